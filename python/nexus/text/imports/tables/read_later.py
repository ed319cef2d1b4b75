"""Tables of programs that keep links for later, where a row is a save and says all there is."""

from datetime import datetime

from nexus.text.imports.documents import Document
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.tables.csv_rows import Row
from nexus.text.imports.tables.table_format import any_tags, json_tags, marked_highlights, table
from nexus.text.imports.values import (
    folder_tags,
    item_or_problem,
    joined_notes,
    read_flag,
    read_tags,
    read_text,
    read_time,
    split_tags,
)

# What wallabag writes for a page that it could not read.
NO_CONTENT = "wallabag can't retrieve contents"


def _instapaper(document: Document, row: Row) -> ImportRecord:
    folder = row["folder"].strip()
    known = folder.lower()
    own_folder = folder_tags(folder) if known not in {"", "unread", "archive", "starred", "home"} else ()
    # A folder is all that is told of an article in it: a starred one may be archived or not.
    archived = {"unread": False, "home": False, "archive": True}.get(known)
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"],
        saved_at=read_time(row["timestamp"]), tags=(*json_tags(row["tags"]), *own_folder),
        archived=archived, read=archived, starred=True if known == "starred" else None,
        note=read_text(row["selection"]),
    )  # fmt: skip


def _raindrop(document: Document, row: Row) -> ImportRecord:
    folder = row["folder"].strip()
    in_folders = folder_tags(*folder.split(" / ")) if folder.lower() != "unsorted" else ()
    highlights, note = marked_highlights(row["highlights"], "Note")
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"],
        saved_at=read_time(row["created"]), tags=read_tags([*split_tags(row["tags"], ","), *in_folders]),
        starred=read_flag(row["favorite"]), note=joined_notes(row["note"], note), highlights=highlights,
    )  # fmt: skip


def _readeck(document: Document, row: Row) -> ImportRecord:
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=read_time(row["created"]),
        tags=json_tags(row["labels"]), archived=read_flag(row["is_archived"]), starred=read_flag(row["is_marked"]),
    )  # fmt: skip


def _wallabag(document: Document, row: Row) -> ImportRecord:
    content = row["content"].strip()
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=_wallabag_time(row["creation date"]),
        tags=split_tags(row["tags"], ","), lang=row["language"].strip().replace("_", "-")[:35] or None,
        html=None if NO_CONTENT in content[:500] else content or None,
    )  # fmt: skip


def _wallabag_time(cell: str) -> datetime | None:
    """`31/12/2024 08:15:00`: the hour is one of twelve, and which half of the day it is in was not written."""
    day, _, time = cell.strip().partition(" ")
    return read_time(f"{'-'.join(reversed(day.split('/')))} {time}".strip())


def _diigo(document: Document, row: Row) -> ImportRecord:
    highlights, note = marked_highlights(row["annotations"], "Sticky note")
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=read_time(row["created_at"]),
        tags=any_tags(row["tags"]), note=joined_notes(row["description"], row["comments"], note),
        highlights=highlights,
    )  # fmt: skip


def _mymind(document: Document, row: Row) -> ImportRecord:
    return item_or_problem(
        document, row.line, url=row["url"], title=row["title"], saved_at=read_time(row["created"]),
        tags=any_tags(row["tags"]), note=read_text(row["note"]), text=read_text(row["content"]),
    )  # fmt: skip


INSTAPAPER = table("instapaper", "Instapaper", {"url", "selection", "folder"}, _instapaper)
RAINDROP = table("raindrop", "Raindrop.io", {"url", "excerpt", "folder"}, _raindrop)
READECK_TABLE = table("readeck", "Readeck", {"url", "is_marked"}, _readeck)
WALLABAG_TABLE = table("wallabag", "wallabag", {"url", "mime type"}, _wallabag)
DIIGO = table("diigo", "Diigo", {"url", "annotations", "comments"}, _diigo)
MYMIND = table("mymind", "mymind", {"id", "type", "url", "content", "note", "created"}, _mymind)
