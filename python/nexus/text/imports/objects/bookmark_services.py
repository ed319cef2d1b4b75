"""Services that write a flat array of bookmarks: Pinboard, Delicious, GoodLinks, Readability."""

from nexus.text.imports.documents import Document
from nexus.text.imports.objects.events import EACH
from nexus.text.imports.objects.fields import Fields, array_format, tags_of
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.values import item_or_problem, read_flag, read_text, read_time, split_tags


def _pinboard(document: Document, number: int, fields: Fields) -> ImportRecord:
    tags = fields.get("tags")
    return item_or_problem(
        document,
        number,
        url=fields.get("href"),
        title=fields.get("description"),
        saved_at=read_time(fields.get("time")),
        tags=split_tags(tags, " ") if isinstance(tags, str) else tags_of(tags),
        # What is not marked to be read may never have been meant for reading.
        read=False if read_flag(fields.get("toread")) else None,
        note=read_text(fields.get("extended")),
    )


def _delicious(document: Document, number: int, fields: Fields) -> ImportRecord:
    tags = fields.get("tags")
    return item_or_problem(
        document,
        number,
        url=fields.get("url"),
        title=fields.get("title"),
        saved_at=read_time(fields.get("created")),
        tags=split_tags(tags, ",") if isinstance(tags, str) else tags_of(tags),
        note=read_text(fields.get("description")),
    )


def _goodlinks(document: Document, number: int, fields: Fields) -> ImportRecord:
    return item_or_problem(
        document,
        number,
        url=fields.get("url"),
        title=fields.get("title"),
        saved_at=read_time(fields.get("addedAt")),
        tags=tags_of(fields.get("tags")),
        starred=read_flag(fields.get("starred")),
        read=read_time(fields["readAt"]) is not None if "readAt" in fields else None,
    )


def _readability(document: Document, number: int, fields: Fields) -> ImportRecord:
    return item_or_problem(
        document,
        number,
        url=fields.get("article__url"),
        title=fields.get("article__title"),
        saved_at=read_time(fields.get("date_added")),
        archived=read_flag(fields.get("archive")),
        starred=read_flag(fields.get("favorite")),
    )


PINBOARD = array_format("pinboard", "Pinboard", _pinboard)
DELICIOUS = array_format("delicious", "Delicious", _delicious)
GOODLINKS = array_format("goodlinks", "GoodLinks", _goodlinks)
READABILITY = array_format("readability", "Readability", _readability, ("bookmarks", EACH))
