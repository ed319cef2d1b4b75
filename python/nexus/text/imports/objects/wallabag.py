"""wallabag: the JSON of version 2, of its API, and of version 1."""

from collections.abc import Iterator

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.objects.events import EACH
from nexus.text.imports.objects.fields import Fields, as_dict, as_list, content, language, people, records_at, tags_of
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportedHighlight, ImportRecord
from nexus.text.imports.values import item_or_problem, read_flag, read_text, read_time, split_tags

# What it keeps as the content of a page it could not fetch.
NOT_FETCHED = "wallabag can't retrieve contents for this article"
PATHS = {"wallabag": (EACH,), "wallabag-api": ("_embedded", "items", EACH)}


def _read(document: Document) -> Iterator[ImportRecord]:
    return records_at(document, _item, *PATHS[kind_of(document) or "wallabag"])


def _item(document: Document, number: int, fields: Fields) -> ImportRecord:
    # What it calls archived is what it calls read.
    is_read = read_flag(fields.get("is_archived", fields.get("is_read")))
    html = content(fields.get("content"))
    tags = fields.get("tags")
    return item_or_problem(
        document,
        number,
        url=fields.get("url") or fields.get("given_url") or fields.get("origin_url"),
        title=fields.get("title"),
        saved_at=read_time(fields.get("created_at")),
        tags=split_tags(tags, ",") if isinstance(tags, str) else tags_of(tags),
        archived=is_read,
        read=is_read,
        starred=read_flag(fields.get("is_starred", fields.get("is_fav"))),
        highlights=tuple(_highlights(fields)),
        html=None if html and NOT_FETCHED in html[:1000] else html,
        author=people(fields.get("published_by")),
        lang=language(fields.get("language")),
        published_at=read_time(fields.get("published_at")),
    )


def _highlights(fields: Fields) -> Iterator[ImportedHighlight]:
    for annotation in map(as_dict, as_list(fields.get("annotations"))):
        if quote := read_text(annotation.get("quote")):
            yield ImportedHighlight(
                quote, read_text(annotation.get("text")), created_at=read_time(annotation.get("created_at"))
            )


WALLABAG = Format("wallabag", "wallabag", one_by_one(_read), recognises=lambda document: kind_of(document) in PATHS)
