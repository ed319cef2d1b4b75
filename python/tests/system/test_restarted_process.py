"""A child is started again whenever it ends, at first at once, then after longer and longer pauses."""

import subprocess
import sys
import threading
import time

import pytest

from nexus.system.restarted_process import FIRST_PAUSE_SECONDS, RestartedProcess

CHILD = """
import time
from nexus.system.restarted_process import exit_with_parent
exit_with_parent(lambda: print("last words", flush=True))
print("started", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize(
    ("stable_seconds", "pauses"),
    [(60.0, [FIRST_PAUSE_SECONDS, 2 * FIRST_PAUSE_SECONDS]), (0.0, [FIRST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS])],
)
def test_pauses_grow_unless_it_ran_for_long(stable_seconds: float, pauses: list[float]) -> None:
    seen: list[float] = []
    enough = threading.Event()

    def on_end(code: int, pause: float) -> None:
        assert code == 3
        seen.append(pause)
        if len(seen) == len(pauses):
            enough.set()

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"], stdin=subprocess.PIPE)

    process = RestartedProcess("test", start, grace_seconds=5, on_end=on_end, stable_seconds=stable_seconds)
    process.start()
    assert enough.wait(300)
    process.stop()
    assert seen[: len(pauses)] == pauses


def test_the_first_start_can_wait() -> None:
    asked = threading.Event()
    process = RestartedProcess("test", asked.set, grace_seconds=5, on_end=lambda *_: None, initial_delay_seconds=0.3)
    begun = time.monotonic()
    process.start()
    assert asked.wait(300)
    assert time.monotonic() - begun >= 0.3
    process.stop()


def test_one_that_is_stopped_before_is_never_started() -> None:
    asked = threading.Event()
    process = RestartedProcess("test", asked.set, grace_seconds=5, on_end=lambda *_: None, initial_delay_seconds=1000.0)
    process.start()
    process.stop()
    assert not asked.is_set()


def test_the_child_ends_with_its_parent() -> None:
    """The kernel closes the pipe of a dead parent, however it died."""
    command = [sys.executable, "-P", "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        assert child.stdout.readline() == b"started\n"
        child.stdin.close()
        assert child.stdout.read() == b"last words\n"
        assert child.wait(300) == 1


def test_a_clean_up_that_fails_keeps_no_child_alive() -> None:
    command = [sys.executable, "-P", "-c", CHILD.replace('print("last words", flush=True)', "1 / 0")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        _, errors = child.communicate(timeout=300)
        assert child.returncode == 1
        assert b"ZeroDivisionError" in errors
