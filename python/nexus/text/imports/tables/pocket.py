"""Pocket: tables of at most 10 000 rows, and beside them highlights and collections as JSON."""

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.objects.events import EACH, entries, json_events
from nexus.text.imports.objects.fields import Fields, as_dict, as_list, records_at
from nexus.text.imports.records import ImportedHighlight, ImportedItem, ImportRecord
from nexus.text.imports.tables.csv_rows import Row, columns_of
from nexus.text.imports.tables.table_format import read_records
from nexus.text.imports.values import item_or_problem, read_tags, read_text, read_time, split_tags

COLUMNS = {"url", "time_added"}
ANNOTATIONS, COLLECTIONS = "*annotations/*.json", "*collections/*.json"
ARCHIVED = {"unread": False, "archive": True, "archived": True}
MAX_CHARS_KEPT = 100_000_000  # of highlights, until their articles have been read


def _matches(export: UploadedFiles) -> list[Document]:
    """The parts; with them, what else Pocket put into that ZIP file."""
    parts = [document for document in export.find("part_*.csv") if columns_of(document) >= COLUMNS]
    if not parts:
        return []
    beside = [document for document in export.documents if _is(ANNOTATIONS, document) or _is(COLLECTIONS, document)]
    return [*parts, *beside]


def _recognises(document: Document) -> bool:
    beginning = document.beginning
    if beginning.startswith("["):
        return all(key in beginning for key in ('"url"', '"highlights"', '"quote"', '"created_at"'))
    if beginning.startswith("{"):
        return all(key in beginning for key in ('"slug"', '"createdAt"', '"items"', '"excerpt"'))
    return columns_of(document) >= COLUMNS


def _is(pattern: str, document: Document) -> bool:
    return fnmatchcase(document.path.lower(), pattern)


def _read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
    starts = [(document, document.beginning[:1]) for document in documents]
    marked: dict[str, list[ImportedItem]] = {}
    chars = 0
    for document in (document for document, start in starts if start == "["):
        for record in guarded(document, records_at(document, _annotated, EACH)):
            if isinstance(record, ImportedItem) and record.url and chars < MAX_CHARS_KEPT:
                marked.setdefault(record.url, []).append(record)
                chars += 1000 + sum(len(highlight.quote) for highlight in record.highlights)
            else:
                yield record
    for document in (document for document, start in starts if start not in ("[", "{")):
        for record in guarded(document, read_records(document, _item)):
            if isinstance(record, ImportedItem) and record.url and (found := marked.pop(record.url, None)):
                yield replace(record, highlights=tuple(one for each in found for one in each.highlights))
            else:
                yield record
    for left in marked.values():
        yield from left
    for document in (document for document, start in starts if start == "{"):
        yield from guarded(document, _read_collection(document))


def _item(document: Document, row: Row) -> ImportRecord:
    archived = ARCHIVED.get(row["status"].strip().lower())
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=read_time(row["time_added"]),
        tags=split_tags(row["tags"], "|"), archived=archived, read=archived,
    )  # fmt: skip


def _annotated(document: Document, number: int, fields: Fields) -> ImportRecord:
    highlights = [as_dict(highlight) for highlight in as_list(fields.get("highlights"))]
    return item_or_problem(
        document, number, url=fields.get("url"), title=fields.get("title"),
        highlights=tuple(
            ImportedHighlight(quote, created_at=read_time(each.get("created_at")))
            for each in highlights if (quote := read_text(each.get("quote")))
        ),
    )  # fmt: skip


def _read_collection(document: Document) -> Iterator[ImportRecord]:
    title, slug, created = (_value(document, name) for name in ("title", "slug", "createdAt"))
    tags = read_tags([title or slug])
    saved_at = read_time(created)

    def item(document: Document, number: int, fields: Fields) -> ImportRecord:
        return item_or_problem(
            document, number, url=fields.get("url"), title=fields.get("title"), note=read_text(fields.get("note")),
            saved_at=saved_at, tags=tags,
        )  # fmt: skip

    yield from records_at(document, item, "items", EACH)


def _value(document: Document, name: str) -> Any:
    return next((entry.value for entry in entries(json_events(document), name)), None)


POCKET = Format("pocket", "Pocket", _read, _matches, _recognises)
