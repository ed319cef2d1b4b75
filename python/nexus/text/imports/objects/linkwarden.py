"""Linkwarden: links in collections, which contain each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.objects.events import EACH, entries, json_events
from nexus.text.imports.objects.fields import Fields, as_dict, as_list, as_string, content, no_entry, tags_of, too_long
from nexus.text.imports.objects.lists import Id, Lists, as_id
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportedFeed, ImportRecord
from nexus.text.imports.values import item_or_problem, read_link, read_tags, read_text, read_time

NO_COLLECTION = "unorganized"  # its collection for what is in none
MAX_PINNED = 200_000
MAX_COLLECTIONS = 100_000


@dataclass
class _Account:
    """What is known of links outside of them."""

    collections: Lists = field(default_factory=Lists)
    ids: list[Id | None] = field(default_factory=list)  # of the collections, in their order
    feeds: list[tuple[str, str | None, int]] = field(default_factory=list)
    pinned_ids: set[Id] = field(default_factory=set)
    pinned_urls: set[str] = field(default_factory=set)

    def add_collection(self, position: int, fields: Fields) -> None:
        name = as_string(fields.get("name")) or ""
        # Some versions write no ids: such a collection is in no other.
        own = as_id(fields.get("id")) or f"position {position}"
        self.ids.append(own)
        is_default = name.lower() == NO_COLLECTION
        self.collections.add(own, "" if is_default else name, as_id(fields.get("parentId")))
        for feed in map(as_dict, as_list(fields.get("rssSubscriptions"))):
            if url := read_link(feed.get("url")):
                self.feeds.append((url, as_string(feed.get("name")), position))

    def add_pinned(self, fields: Fields) -> None:
        if (own := as_id(fields.get("id"))) is not None:
            self.pinned_ids.add(own)
        elif url := as_string(fields.get("url")):
            self.pinned_urls.add(url)

    def is_pinned(self, fields: Fields) -> bool:
        return as_id(fields.get("id")) in self.pinned_ids or as_string(fields.get("url")) in self.pinned_urls

    def tags(self, position: int) -> tuple[str, ...]:
        return self.collections.tags(self.ids[position]) if position < len(self.ids) else ()


def _read(document: Document) -> Iterator[ImportRecord]:
    account = _account(document)
    number = 0
    for number, entry in enumerate(entries(json_events(document), "collections", EACH, "links", EACH), 1):
        if isinstance(entry.value, dict):
            yield _item(document, number, entry.value, account, entry.positions[0])
            yield from too_long(document, number, entry.value)
        else:
            yield no_entry(document, number)
    for further, (url, name, position) in enumerate(account.feeds, number + 1):
        yield ImportedFeed(document.name, further, url, name, account.tags(position))


def _account(document: Document) -> _Account:
    account = _Account()
    try:
        for position, value in entries(json_events(document), "collections", EACH, without=("links",)):
            if position[0] < MAX_COLLECTIONS:
                account.add_collection(position[0], as_dict(value))
        for position, value in entries(json_events(document), "pinnedLinks", EACH):
            if position[0] < MAX_PINNED:
                account.add_pinned(as_dict(value))
    except UnreadableDocumentError:
        pass  # said when the links are read
    return account


def _item(document: Document, number: int, fields: Fields, account: _Account, collection: int) -> ImportRecord:
    return item_or_problem(
        document,
        number,
        url=fields.get("url"),
        title=fields.get("name"),
        saved_at=read_time(fields.get("importDate")) or read_time(fields.get("createdAt")),
        tags=read_tags([*tags_of(fields.get("tags")), *account.tags(collection)]),
        starred=account.is_pinned(fields),
        note=read_text(fields.get("description")),
        text=content(fields.get("textContent")),
    )


LINKWARDEN = Format(
    "linkwarden", "Linkwarden", one_by_one(_read), recognises=lambda document: kind_of(document) == "linkwarden"
)
