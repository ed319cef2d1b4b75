"""Karakeep (Hoarder): bookmarks, and the lists they are in."""

from collections.abc import Iterator

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.objects.events import EACH, entries, json_events
from nexus.text.imports.objects.fields import Fields, as_dict, as_list, content, records_at, tags_of
from nexus.text.imports.objects.lists import Lists, as_id
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportRecord
from nexus.text.imports.values import item_or_problem, read_flag, read_tags, read_text, read_time

MAX_LISTS_OF_BOOKMARK = 100


def _read(document: Document) -> Iterator[ImportRecord]:
    lists = _lists(document)

    def item(document: Document, number: int, fields: Fields) -> ImportRecord:
        kept = as_dict(fields.get("content"))
        of_lists = [
            tag for each in as_list(fields.get("lists"))[:MAX_LISTS_OF_BOOKMARK] for tag in lists.tags(as_id(each))
        ]
        return item_or_problem(
            document,
            number,
            url=kept.get("url") or kept.get("sourceUrl"),
            title=fields.get("title") or kept.get("title"),
            saved_at=read_time(fields.get("createdAt")),
            tags=read_tags([*tags_of(fields.get("tags")), *of_lists]),
            archived=read_flag(fields.get("archived")),
            starred=read_flag(fields.get("favourited")),
            note=read_text(fields.get("note")),
            text=content(kept.get("text")),
        )

    return records_at(document, item, "bookmarks", EACH)


def _lists(document: Document) -> Lists:
    """They are written after the bookmarks. What a smart list contains follows from its query, and is not kept."""
    lists = Lists()
    try:
        for _, value in entries(json_events(document), "lists", EACH):
            fields = as_dict(value)
            if fields.get("type") != "smart":
                lists.add(as_id(fields.get("id")), fields.get("name"), as_id(fields.get("parentId")))
    except UnreadableDocumentError:
        pass  # said when the bookmarks are read
    return lists


KARAKEEP = Format(
    "karakeep", "Karakeep", one_by_one(_read), recognises=lambda document: kind_of(document) == "karakeep"
)
