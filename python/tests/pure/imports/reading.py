"""Reads exports that a test writes: files by name, or a ZIP file of them."""

import io
import resource
import tempfile
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from nexus.errors import ImportEmptyError, ImportNotRecognisedError
from nexus.text.imports.read_export import ImportSummary, read_export
from nexus.text.imports.records import ImportedFeed, ImportedItem, ImportProblem, ImportRecord, from_json

Files = Mapping[str, str | bytes]


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def zipped(files: Files) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, as_bytes(content))
    return buffer.getvalue()


def read(files: Files, source: str | None = None) -> tuple[ImportSummary, list[ImportRecord]]:
    with tempfile.TemporaryDirectory() as folder:
        given = []
        for number, (name, content) in enumerate(files.items()):
            path = Path(folder) / str(number)  # the name is the user's, the path is ours
            path.write_bytes(as_bytes(content))
            given.append((name, path))
        rows = Path(folder) / "rows.jsonl"
        summary = read_export(given, rows, source=source)
        records = [from_json(line) for line in rows.read_text(encoding="utf-8").split("\n") if line]
    assert summary.total == len(records)
    return summary, records


def records_or_a_sentence(files: Files) -> list[ImportRecord]:
    message, records = "", list[ImportRecord]()
    try:
        _, records = read(files)
    except (ImportNotRecognisedError, ImportEmptyError) as error:
        message = error.message
    assert message.endswith(".") is not bool(records), message
    return records


def items(files: Files) -> list[ImportedItem]:
    """The items of an export without problems."""
    _, records = read(files)
    found = [record for record in records if isinstance(record, ImportedItem)]
    assert found == records
    return found


def problems(files: Files) -> list[ImportProblem]:
    return [record for record in read(files)[1] if isinstance(record, ImportProblem)]


def feeds(files: Files) -> list[ImportedFeed]:
    return [record for record in read(files)[1] if isinstance(record, ImportedFeed)]


def memory_for(path: Path, rows: Path) -> tuple[int, int]:
    """The number of records, and by how many bytes the peak memory of this process grew, which should be a new one."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    summary = read_export([(path.name, path)], rows)
    return summary.total, 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
