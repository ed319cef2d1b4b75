"""A child that is started again whenever it ends: at once at first, then less and less often."""

import subprocess
import sys
import threading

import pytest

from nexus.system.kept_process import FIRST_PAUSE_SECONDS, KeptProcess


@pytest.mark.parametrize(
    ("long_seconds", "pauses"),
    [(60.0, [FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS]), (0.0, [FIRST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS])],
)
def test_pauses_grow_unless_it_ran_for_long(long_seconds: float, pauses: list[float]) -> None:
    seen: list[float] = []
    enough = threading.Event()

    def on_end(code: int, pause: float) -> None:
        assert code == 3
        seen.append(pause)
        if len(seen) == len(pauses):
            enough.set()

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"], stdin=subprocess.PIPE)

    process = KeptProcess("test", start, grace_seconds=5, on_end=on_end, long_seconds=long_seconds)
    process.start()
    assert enough.wait(60)
    process.stop()
    assert seen[: len(pauses)] == pauses
