"""A job's log: bounded, without secrets, and its end is there."""

from pathlib import Path

import pytest

from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.capped_log import CappedLog
from nexus.operator.jobs.log_reader import position_before_end, read_from, read_tail
from tests.operator.scripts import QueueHarness, Script


def guarded(path: Path) -> GuardedPath:
    return GuardedPath(path.parent, (path.name,))


def written(path: Path, *chunks: bytes, limit: int = 0, secrets: tuple[str, ...] = ()) -> str:
    log = CappedLog(guarded(path), limit, secrets)
    for chunk in chunks:
        log.write(chunk)
    log.close()
    return path.read_text()


def test_secret_in_two_chunks_is_hidden(tmp_path: Path) -> None:
    chunks = (b"key=hunter2", b"-hunter2!\nrest hunter2-hunter2")
    text = written(tmp_path / "log", *chunks, secrets=("hunter2-hunter2", "ab"))
    assert text == "key=[hidden]!\nrest [hidden]"


def test_limit_keeps_the_end(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [f"line {n}\n".encode() for n in range(5000)]
    text = written(path, *lines, limit=4000)
    head, _, kept = text.partition("\n")
    assert len(text) <= 4100
    assert kept.endswith("line 4999\n")
    assert kept.startswith("line ")
    dropped = int(head.split()[3])
    assert dropped + len(kept) == sum(map(len, lines))


def test_one_endless_line_is_bounded_too(tmp_path: Path) -> None:
    text = written(tmp_path / "log", *[b"x" * 50_000] * 40, limit=100_000)
    assert len(text) <= 300_000


@pytest.mark.parametrize("limit", [1, 3, 64])
def test_reading_in_chunks_gives_every_character_once(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "log"
    path.write_text("añ🎧z" * 9)
    position, text = 0, ""
    while True:
        chunk = read_from(guarded(path), position, max(limit, 4))
        if not chunk.text:
            break
        text, position = text + chunk.text, chunk.position
    assert text == "añ🎧z" * 9
    assert position == path.stat().st_size == position_before_end(guarded(path), 0)


def test_bytes_that_are_not_utf8_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xff\xfe\n")
    assert read_from(guarded(path), 0).text == "\ufffd\ufffd\n"
    assert read_tail(guarded(path), 4096).text == "\ufffd\ufffd\n"


def test_limit_holds_for_a_real_job(harness: QueueHarness) -> None:
    harness.restart(log_max_bytes=10_000)
    done = harness.ends(harness.enqueue(Script("for n in range(20_000): print('line', n)")))
    assert done.status == "succeeded"
    assert len(harness.log(done)) < 11_000
    assert harness.log(done).endswith("line 19999\n")
