"""Recognises the files of an export and reads them, one record after the other, into a file of JSON lines."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from nexus.errors import (
    ImportEmptyError,
    ImportNotRecognisedError,
    ImportTooLargeError,
    TextMemoryError,
    TextTimeoutError,
    UnreadableDocumentError,
)
from nexus.text.characters import storable
from nexus.text.imports.disk_space import DiskSpace
from nexus.text.imports.documents import UploadedFiles, UploadOpener
from nexus.text.imports.formats import FORMATS, RecognisedFormat, formats_of, recognise
from nexus.text.imports.records import ImportedFeed, ImportedItem, ImportProblem, ImportRecord, to_json
from nexus.text.imports.tables.csv_rows import header_of
from nexus.text.process_pool import ProcessPool

FIRST_ROWS = 20
FIRST_PROBLEMS = 100
PROCESSOR_SECONDS = 120.0
CLOCK_SECONDS = 600.0
MEMORY_BYTES = 1 << 30


@dataclass(frozen=True)
class PreviewRow:
    """What a person sees of a record before the import."""

    file: str
    line: int
    url: str | None
    title: str | None
    saved_at: datetime | None
    tags: tuple[str, ...]
    archived: bool | None
    starred: bool | None
    read: bool | None
    progress: float | None
    highlights: int
    has_content: bool


@dataclass
class ImportCounts:
    items: int = 0
    feeds: int = 0
    highlights: int = 0
    with_content: int = 0
    feed_items: int = 0  # among the items: of subscriptions, left out unless the person asks for them
    problems: int = 0


@dataclass
class ImportSummary:
    """`total` is the number of lines that were written."""

    sources: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    total: int = 0
    counts: ImportCounts = field(default_factory=ImportCounts)
    rows: list[PreviewRow] = field(default_factory=list)
    problems: list[ImportProblem] = field(default_factory=list)

    def add(self, record: ImportRecord) -> None:
        self.total += 1
        if isinstance(record, ImportProblem):
            self.counts.problems += 1
            if len(self.problems) < FIRST_PROBLEMS:
                self.problems.append(record)
            return
        if isinstance(record, ImportedItem):
            self.counts.items += 1
            self.counts.highlights += len(record.highlights)
            self.counts.with_content += bool(record.html or record.text)
            self.counts.feed_items += record.is_feed_item
        else:
            self.counts.feeds += 1
        if len(self.rows) < FIRST_ROWS:
            self.rows.append(_preview(record))


def read_export_in_child(
    files: Sequence[tuple[str, Path]], rows_path: Path, *, source: str | None = None, reserve: int = 0
) -> ImportSummary:
    """`read_export` in a process of its own, which may be killed by its limits without harm to this one."""
    with closing(
        ProcessPool(
            workers=1, deadline_seconds=PROCESSOR_SECONDS, clock_seconds=CLOCK_SECONDS, memory_bytes=MEMORY_BYTES
        )
    ) as pool:
        try:
            return pool.run(read_export, files, rows_path, source=source, reserve=reserve)
        except (TextMemoryError, TextTimeoutError) as error:
            raise ImportTooLargeError(
                "Reading this takes more memory or time than one import may have. Import its files one by one."
            ) from error


def read_export(
    files: Sequence[tuple[str, Path]], rows_path: Path, *, source: str | None = None, reserve: int = 0
) -> ImportSummary:
    """`files`: the names that the user knows, and where the bytes are. `source`: only look for this program's.
    `reserve`: of the disk of `rows_path`, in bytes."""
    formats = formats_of(source)
    space = DiskSpace(rows_path.parent, reserve)
    with UploadOpener(files, rows_path.parent, space) as export:
        recognised, problems = recognise(export, formats)
        if not recognised:
            raise ImportNotRecognisedError(_nothing_recognised(export, problems, formats[0].label if source else None))
        summary = ImportSummary(
            tuple(dict.fromkeys(each.format.source for each in recognised)),
            tuple(dict.fromkeys(each.format.label for each in recognised)),
        )
        with rows_path.open("w", encoding="utf-8", newline="\n") as rows:
            for record in _records(export, recognised, problems):
                summary.add(record)
                line = _line(record)
                space.take(len(line))
                rows.write(line)
    if summary.total == 0:
        raise ImportEmptyError(f"There are no entries in this export ({', '.join(summary.labels)}).")
    return summary


def _records(
    export: UploadedFiles, recognised: list[RecognisedFormat], problems: list[ImportProblem]
) -> Iterator[ImportRecord]:
    for each in recognised:
        yield from each.format.read(export, each.documents)
    yield from export.problems
    yield from problems


def _line(record: ImportRecord) -> str:
    line = to_json(record)
    # Escaped characters: NUL, and halves of pairs, which UTF-8 cannot write.
    if "\\u0000" in line or not _is_utf8(line):
        line = to_json(_storable(record))
    return line + "\n"


def _is_utf8(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


def _storable(record: Any) -> Any:
    if isinstance(record, str):
        return storable(record)
    if isinstance(record, tuple):
        return tuple(map(_storable, record))
    if hasattr(record, "__dataclass_fields__"):
        return replace(record, **{name: _storable(getattr(record, name)) for name in record.__dataclass_fields__})
    return record


def _preview(record: ImportedItem | ImportedFeed) -> PreviewRow:
    record = _storable(record)
    if isinstance(record, ImportedFeed):
        record = ImportedItem(record.file, record.line, record.url, record.title, tags=record.tags)
    return PreviewRow(
        record.file, record.line, record.url, record.title, record.saved_at, record.tags, record.archived,
        record.starred, record.read, record.progress, len(record.highlights), bool(record.html or record.text),
    )  # fmt: skip


def _nothing_recognised(export: UploadedFiles, problems: list[ImportProblem], label: str | None) -> str:
    if export.problems and not export.documents:
        return export.problems[0].message
    unreadable = [each.message for each in problems if each.code == UnreadableDocumentError.code]
    if unreadable and len(export.documents) == 1:
        return unreadable[0]
    if label:
        return f"This is not an export of {label}."
    tables = [each for each in export.documents if each.base_name.endswith((".csv", ".tsv"))]
    if len(export.documents) == 1 and tables and (columns := header_of(tables[0])):
        return f"This table has no column of links: its columns are {', '.join(columns)[:500]}."
    labels = list(dict.fromkeys(each.label for each in FORMATS))
    return f"This is not a known export. Known formats: {', '.join(labels)}."
