"""A table of any program, or of a person, that has a column of links."""

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.tables.csv_rows import URL_COLUMNS, Row, columns_of, first_rows
from nexus.text.imports.tables.table_format import any_tags, table
from nexus.text.imports.values import (
    folder_tags,
    item_or_problem,
    read_flag,
    read_link,
    read_tags,
    read_text,
    read_time,
)

TITLES = ("title", "name", "headline")
TAGS = ("tags", "labels", "label", "tag", "keywords", "categories", "category")
TIMES = (
    "created", "created_at", "created at", "date added", "date_added", "added", "added_at", "saved_at", "saved",
    "saved at", "save date", "timestamp", "time", "date", "createdat", "savedat", "addedat", "dateadded",
)  # fmt: skip
FOLDERS = ("folder", "collection", "list", "group")
STATES = ("state", "status", "location")
NOTES = ("note", "notes", "comment", "comments", "description")
ARCHIVED = ("archived", "is_archived", "isarchived")
STARRED = ("starred", "is_starred", "favorite", "favourite", "is_favorite", "favorited", "important")
READ = ("read", "is_read")
NO_FOLDERS = frozenset({"unsorted", "unread", "inbox", "none"})
WORDS_ARCHIVED, WORDS_UNREAD = frozenset({"archive", "archived"}), frozenset({"unread", "inbox", "toread", "to read"})


def read_row(document: Document, row: Row) -> ImportRecord:
    """Also of an object with such names."""
    folder, state = row.first(FOLDERS), row.first(STATES).lower()
    place = {state, folder.lower()}
    archived = True if place & WORDS_ARCHIVED else (False if place & WORDS_UNREAD else _flag(row, ARCHIVED))
    in_folder = () if folder.lower() in NO_FOLDERS | WORDS_ARCHIVED else folder_tags(*folder.split(" / "))
    return item_or_problem(
        document, row.line, url=row.first(URL_COLUMNS), title=row.first(TITLES), saved_at=read_time(row.first(TIMES)),
        tags=read_tags([*any_tags(row.first(TAGS)), *in_folder]), archived=archived,
        starred=_flag(row, STARRED), read=True if state == "read" else _flag(row, READ),
        note=read_text(row.first(NOTES)), author=read_text(row.first(("author", "authors", "byline"))),
    )  # fmt: skip


def _flag(row: Row, columns: tuple[str, ...]) -> bool | None:
    return read_flag(cell) if (cell := row.first(columns)) else None


def _has_links(document: Document) -> bool:
    """Half of the column must be links: a text may begin with such words, too."""
    if not columns_of(document) & set(URL_COLUMNS):
        return False
    cells = [row.first(URL_COLUMNS) for row in first_rows(document)]
    return 2 * sum(read_link(cell) != "" for cell in cells) >= max(1, len(cells))


_ANY = table("csv", "table of links (CSV)", set(), read_row)
GENERIC_TABLE = Format(_ANY.source, _ANY.label, _ANY.read, recognises=_has_links)
