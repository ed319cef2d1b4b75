"""Archives of a library of any size are written and read with bounded memory."""

import copy
import io
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import pytest

from nexus.services.archives import layout, restore
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.writer import write_archive
from tests.archives.conftest import Server
from tests.archives.forged_archives import Record, edit_records, split_part, the_article

FEW, MANY = 10, 50
TEXT = "<p>" + "A long text of a page. " * 800 + "</p>"  # 18 KB, and as much again as canonical text


def copies_of_article(count: int, records: list[Record]) -> list[Record]:
    """The lines of one media, repeated under other ids."""
    article = the_article(records)
    made = []
    for number in range(count):
        record = copy.deepcopy(article)
        record["media"] |= {"id": str(uuid4()), "canonical_url": f"https://example.org/{number}"}
        record |= {"items": [], "highlights": [], "originals": [], "pictures": []}
        record["versions"] = record["versions"][-1:]
        record["versions"][0]["fragments"] = [
            {**record["versions"][0]["fragments"][0], "id": str(uuid4()), "html": TEXT, "text": ""}
        ]
        made.append(record)
    return made


class DiscardedOutput(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, piece: Any, /) -> int:
        return len(memoryview(piece).cast("B"))


def test_memory_does_not_grow_with_the_library(
    source: Server, target: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "PART_BYTES", 150_000)
    monkeypatch.setattr(restore, "BATCH_BYTES", 100_000)
    monkeypatch.setattr("nexus.services.archives.writer.PAGE_BYTES", 100_000)
    maker = source.maker()
    media = maker.add_article()
    maker.add_entry(media)
    maker.finish()
    original = source.save_archive(maker.user, tmp_path)
    peaks: dict[int, list[int]] = {}
    for count in (FEW, MANY):
        path = split_part(edit_records(original, partial(copies_of_article, count)), 5)
        user = target.user(uuid4())
        target.restore(path, user, after=count)  # what is loaded once is not counted
        sink: IO[bytes] = DiscardedOutput()  # type: ignore[assignment]
        peaks[count] = [
            peak(partial(target.restore, path, user)),
            peak(partial(write_archive, target.database, target.store, user, sink)),
        ]
        assert len(target.view(user.user_id)["entries"]) == count
        target.clear()
    for few, many in zip(peaks[FEW], peaks[MANY], strict=True):
        assert many < 1.5 * few, peaks


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_library_of_many_parts_is_whole(
    source: Server, target: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "PART_BYTES", 1000)
    maker = source.maker()
    for _ in range(5):
        maker.add_entry(maker.add_paste())
    maker.finish()
    path = source.save_archive(maker.user, tmp_path)
    with ArchiveFile(path) as archive:
        assert len(archive.manifest.parts) == 5
        assert [line.number for line in archive.media_lines(3)] == [4, 5]
    assert target.restore(path, target.user(maker.user), after=3).added == 2
