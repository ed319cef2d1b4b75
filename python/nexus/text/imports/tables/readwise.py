"""Readwise: the table of Reader, where a row is a document, and that of highlights, where a row is one of them."""

from collections.abc import Iterator
from dataclasses import replace

from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.records import ImportedHighlight, ImportedItem, ImportProblem, ImportRecord
from nexus.text.imports.tables.csv_rows import Row, columns_of, read_rows
from nexus.text.imports.tables.highlights_by_text import HighlightsByText, MarkedText
from nexus.text.imports.tables.table_format import any_tags, literal_tags, read_records
from nexus.text.imports.values import (
    item_or_problem,
    read_color,
    read_flag,
    read_link,
    read_progress,
    read_text,
    read_time,
    read_title,
)  # fmt: skip

READER = {"url", "document tags", "seen"}
# What Readwise exports, and what it and others take as an import, which may have links.
HIGHLIGHTS = ({"highlight", "book title"}, {"highlight", "title"})
ARCHIVED = {"new": False, "later": False, "shortlist": False, "archive": True}
TITLES, AUTHORS, LINKS = ("book title", "title"), ("book author", "author"), ("url", "source url", "source_url")
TIMES = ("highlighted at", "date")


def _recognises(document: Document) -> bool:
    return columns_of(document) >= READER or _has_highlights(document)


def _has_highlights(document: Document) -> bool:
    columns = columns_of(document)
    return any(columns >= needed for needed in HIGHLIGHTS)


def _read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
    with_highlights = [document for document in documents if _has_highlights(document)]
    texts = HighlightsByText()
    for document in with_highlights:
        yield from guarded(document, _collect(document, texts))
    for document in documents:
        if document not in with_highlights:
            for record in guarded(document, read_records(document, _item)):
                yield _with_highlights(record, texts)
    yield from texts.take_rest()


def _with_highlights(record: ImportRecord, texts: HighlightsByText) -> ImportRecord:
    if not isinstance(record, ImportedItem):
        return record
    found = texts.take(record.title, record.author)
    return replace(record, highlights=found) if found else record


def _item(document: Document, row: Row) -> ImportRecord:
    location = row["location"].strip().lower()
    tags = literal_tags(row["document tags"])
    # Reader's lists are places: what was put on the short list is only told by it.
    kept = tuple(tag for tag in tags if tag.lower() != "favorite") + (("shortlist",) if location == "shortlist" else ())
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=read_time(row["saved date"]),
        tags=kept, starred=True if len(tags) != len(kept) and "favorite" in map(str.lower, tags) else None,
        archived=ARCHIVED.get(location), read=False if read_flag(row["seen"]) is False else None,
        progress=read_progress(row["reading progress"]), is_feed_item=location == "feed",
    )  # fmt: skip


def _collect(document: Document, texts: HighlightsByText) -> Iterator[ImportRecord]:
    """Adds the highlights, and yields the rows without one, and what is too much to be kept."""
    for row in read_rows(document):
        if isinstance(row, ImportProblem):
            yield row
            continue
        quote = read_text(row["highlight"])
        if quote is None:
            yield ImportProblem(document.name, row.line, "no_highlight", "There is no highlight in this row.")
            continue
        marked = MarkedText(
            document.name, row.line, read_title(row.first(TITLES)), read_text(row.first(AUTHORS)),
            read_link(row.first(LINKS)) or None, any_tags(row["document tags"]),
        )  # fmt: skip
        texts.add(marked, _highlight(row, quote))
        if texts.is_full:
            yield from texts.take_rest()


def _highlight(row: Row, quote: str) -> ImportedHighlight:
    return ImportedHighlight(
        quote, read_text(row["note"]), read_color(row["color"]), any_tags(row["tags"]),
        read_time(row.first(TIMES)),
    )  # fmt: skip


READWISE = Format("readwise", "Readwise", _read, recognises=_recognises)
