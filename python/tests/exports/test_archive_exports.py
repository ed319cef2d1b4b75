"""The archive as an export; the tests of archives check what is in it."""

import json
from pathlib import Path
from typing import Any

from nexus.services.archives.archive_file import ArchiveFile
from tests.api.saving import BOB, save
from tests.exports.exporting import Exports


def test_a_library_is_exported_as_an_archive(exports: Exports, tmp_path: Path) -> None:
    items = [save(exports.http, url=f"https://example.org/{number}") for number in range(3)]
    save(exports.http, BOB, url="https://example.org/of-bob")
    lines = records(exports.file("archive"), tmp_path)
    assert [item["id"] for line in lines for item in line["items"]] == items
    first = lines[0]["media"]["id"]
    assert [line["media"]["id"] for line in records(exports.file("archive", media_ids=[first]), tmp_path)] == [first]


def records(content: bytes, folder: Path) -> list[dict[str, Any]]:
    path = folder / "archive.zip"
    path.write_bytes(content)
    with ArchiveFile(path) as archive:
        return [json.loads(line.content) for line in archive.media_lines()]
