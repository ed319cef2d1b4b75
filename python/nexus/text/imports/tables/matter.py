"""Matter: a table of articles, one of highlights, and the pages themselves."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document, UploadedFiles
from nexus.text.imports.format import Format, guarded
from nexus.text.imports.page_file import read_page_file
from nexus.text.imports.records import ImportedHighlight, ImportedItem, ImportProblem, ImportRecord
from nexus.text.imports.tables.csv_rows import Row, columns_of, read_rows
from nexus.text.imports.tables.highlights_by_text import HighlightsByText, MarkedText
from nexus.text.imports.tables.table_format import any_tags
from nexus.text.imports.values import item_or_problem, read_flag, read_text, read_time, read_title

HISTORY = {"url", "publisher", "last interaction date"}
HIGHLIGHTS = {"text", "highlighted date", "title"}
PAGES = "content_*.html"


def _matches(export: UploadedFiles) -> list[Document]:
    """The tables; with them the pages beside them."""
    tables = [document for document in export.find("*_matter_*.csv") if _recognises(document)]
    return [*tables, *export.find(PAGES)] if tables else []


def _recognises(document: Document) -> bool:
    columns = columns_of(document)
    return columns >= HISTORY or columns >= HIGHLIGHTS


def _read(_export: UploadedFiles, documents: list[Document]) -> Iterator[ImportRecord]:
    pages = {document.base_name: document for document in documents if fnmatchcase(document.base_name, PAGES)}
    tables = [document for document in documents if document.base_name not in pages]
    marked = [document for document in tables if columns_of(document) >= HIGHLIGHTS]
    texts = HighlightsByText()
    for document in marked:
        yield from guarded(document, _collect(document, texts))
    for document in tables:
        if document not in marked:
            yield from guarded(document, _read_history(document, texts, pages))
    yield from texts.take_rest()


def _read_history(document: Document, texts: HighlightsByText, pages: Mapping[str, Document]) -> Iterator[ImportRecord]:
    for row in read_rows(document):
        record = row if isinstance(row, ImportProblem) else _item(document, row)
        if not isinstance(row, Row) or not isinstance(record, ImportedItem):
            yield record
            continue
        file_id = row["file id"].strip().lower()
        page = pages.get(file_id) or pages.get(f"{file_id}.html") or pages.get(f"content_{file_id}.html")
        content = None
        if page:
            try:
                content = read_page_file(page)
            except UnreadableDocumentError as error:
                yield ImportProblem(page.name, 1, error.code, error.message, record.url, record.title)
        yield replace(record, html=content, highlights=texts.take(record.title, record.author))


def _item(document: Document, row: Row) -> ImportRecord:
    queued = read_flag(row.first(("in queue", "saved")) or None)
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], author=read_text(row["author"]),
        site_name=read_text(row["publisher"]), tags=any_tags(row["tags"].replace(";", "|")),
        archived=None if queued is None else not queued, starred=read_flag(row["favorited"] or None),
        read=read_flag(row["read"] or None),
        # Not when it was saved, which is not told, but near it for most.
        saved_at=read_time(row["last interaction date"]),
    )  # fmt: skip


def _collect(document: Document, texts: HighlightsByText) -> Iterator[ImportRecord]:
    for row in read_rows(document):
        if isinstance(row, ImportProblem):
            yield row
        elif quote := read_text(row["text"]):
            text = MarkedText(document.name, row.line, read_title(row["title"]), read_text(row["author"]))
            texts.add(text, ImportedHighlight(quote, created_at=read_time(row["highlighted date"])))
            if texts.is_full:
                yield from texts.take_rest()
        else:
            yield ImportProblem(document.name, row.line, "no_highlight", "There is no highlight in this row.")


MATTER = Format("matter", "Matter", _read, _matches, _recognises)
