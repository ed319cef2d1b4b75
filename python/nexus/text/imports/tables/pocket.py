"""Pocket: tables of at most 10 000 rows, and beside them highlights and collections as JSON."""

import json
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document, Export
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.records import ImportedHighlight, ImportedItem, ImportProblem, ImportRecord
from nexus.text.imports.tables.csv_rows import Row, columns_of, read_rows
from nexus.text.imports.values import folder_tags, item_or_problem, read_text, read_time, split_tags

COLUMNS = {"url", "time_added"}
ANNOTATIONS, COLLECTIONS = "*annotations/*.json", "*collections/*.json"
ARCHIVED = {"unread": False, "archive": True, "archived": True}
MAX_JSON_CHARS = 20_000_000

Highlights = dict[str, tuple[ImportedHighlight, ...]]


def _matches(export: Export) -> list[Document]:
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


def _read(_export: Export, documents: list[Document]) -> Iterator[ImportRecord]:
    starts = [(document, document.beginning[:1]) for document in documents]
    annotations = [document for document, start in starts if start == "["]
    collections = [document for document, start in starts if start == "{"]
    tables = [document for document, start in starts if start not in ("[", "{")]
    highlights: Highlights = {}
    alone: list[ImportedItem] = []
    for document in annotations:
        for record in guarded(document, _read_annotations(document)):
            if isinstance(record, ImportedItem) and record.url:
                highlights[record.url] = (*highlights.get(record.url, ()), *record.highlights)
                alone.append(record)
            else:
                yield record
    waiting = set(highlights)
    for document in tables:
        for record in guarded(document, _read_table(document)):
            if isinstance(record, ImportedItem) and record.url in waiting:
                waiting.remove(record.url)
                yield replace(record, highlights=highlights[record.url])
            else:
                yield record
    yield from (record for record in alone if record.url in waiting)
    for document in collections:
        yield from guarded(document, _read_collection(document))


def _read_table(document: Document) -> Iterator[ImportRecord]:
    for row in read_rows(document):
        yield row if isinstance(row, ImportProblem) else _item(document, row)


def _item(document: Document, row: Row) -> ImportRecord:
    archived = ARCHIVED.get(row["status"].strip().lower())
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=read_time(row["time_added"]),
        tags=split_tags(row["tags"], "|"), archived=archived, read=archived,
    )  # fmt: skip


def _read_annotations(document: Document) -> Iterator[ImportRecord]:
    for number, entry in enumerate(_list(_json(document)), 1):
        marked = _list(entry.get("highlights"))
        yield item_or_problem(
            document, number, url=entry.get("url"), title=entry.get("title"),
            highlights=tuple(
                ImportedHighlight(quote, created_at=read_time(each.get("created_at")))
                for each in marked if (quote := read_text(each.get("quote")))
            ),
        )  # fmt: skip


def _read_collection(document: Document) -> Iterator[ImportRecord]:
    found = _json(document)
    collection = found if isinstance(found, dict) else {}
    title = collection.get("title") or collection.get("slug")
    for number, entry in enumerate(_list(collection.get("items")), 1):
        yield item_or_problem(
            document, number, url=entry.get("url"), title=entry.get("title"), note=read_text(entry.get("note")),
            saved_at=read_time(collection.get("createdAt")),
            tags=folder_tags(title) if isinstance(title, str) else (),
        )  # fmt: skip


def _list(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _json(document: Document) -> Any:
    try:
        return json.loads(document.read_text(MAX_JSON_CHARS))
    except (ValueError, RecursionError) as error:
        raise UnreadableDocumentError(f"{document.name} is not complete: it is no JSON.") from error


POCKET = Format("pocket", "Pocket", _read, _matches, _recognises)
