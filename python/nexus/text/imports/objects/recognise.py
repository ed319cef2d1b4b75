"""Which program wrote a JSON file, by the keys at its beginning."""

from collections.abc import Iterator
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.objects.events import ENDS, STARTS, Event, json_events

MAX_EVENTS = 200_000
MAX_CHARS = 1 << 25
MAX_KEYS = 10_000
MAX_KEY_CHARS = 100
MAX_LEVEL = 3
ENTRIES = 20  # the first ones may lack keys
NO_ENTRIES = "no entries"
NAMED = frozenset({"guid", "root", "id"})  # whose values say something

# The first whose keys are all there. `[]` stands for the elements of an array, `.` for a key of an object.
KEYS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (kind, frozenset(keys.split()))
    for kind, keys in (
        ("pinboard", "[].href [].toread"),
        ("pinboard", "[].href [].extended"),
        ("omnivore", "[].slug [].savedAt"),
        ("wallabag", "[].is_archived [].url"),
        ("wallabag", "[].is_read [].is_fav"),
        ("wallabag-api", "._embedded.items"),
        ("delicious", "[].url [].created [].private"),
        ("goodlinks", "[].addedAt [].url"),
        ("feedbin", "[].url [].content [].published"),
        ("karakeep", ".bookmarks[].content .bookmarks[].createdAt"),
        ("readability", ".bookmarks[].article__url"),
        ("linkwarden", ".collections[].links"),
        ("chrome", ".roots.bookmark_bar"),
        ("chrome", ".roots.other"),
        ("firefox", ".guid=root________"),
        ("firefox", ".root=placesRoot"),
        ("firefox", ".children[].guid .children[].typeCode"),
        ("google-reader", ".items[].alternate"),
        ("google-reader", ".items[].origin"),
        ("google-reader", ".items[].canonical"),
        ("miniflux", ".entries[].url .entries[].feed"),
        ("miniflux", ".entries[].url .entries[].status"),
    )
)
# Exports without any entry.
EMPTY: tuple[tuple[str, frozenset[str]], ...] = (
    ("karakeep", frozenset({".bookmarks", ".lists"})),
    ("readability", frozenset({".bookmarks", ".recommendations"})),
    ("linkwarden", frozenset({".collections", ".pinnedLinks"})),
    ("google-reader", frozenset({".items", ".id"})),
    ("miniflux", frozenset({".entries", ".total"})),
)
# The files of an unknown program, or of a person: if nothing else fits.
ANY: tuple[tuple[str, frozenset[str]], ...] = tuple(
    ("json", frozenset({f"[].{name}"})) for name in ("url", "link", "href", "uri")
)

_kinds: WeakKeyDictionary[Document, str | None] = WeakKeyDictionary()


def kind_of(document: Document) -> str | None:
    """None where it is no JSON, or of no program that we know. An array without elements may be of many."""
    if document not in _kinds:
        _kinds[document] = _find(json_events(document)) if document.beginning[:1] in ("[", "{") else None
    if _kinds[document] == NO_ENTRIES:
        raise UnreadableDocumentError(f"There are no entries in {document.name}.")
    return _kinds[document]


def _find(events: Iterator[Event]) -> str | None:
    keys = _Keys()
    chars = 0
    try:
        for event, value in islice(events, MAX_EVENTS):
            if event == "end_array" and keys.is_at_start:
                return NO_ENTRIES
            chars += len(value) if isinstance(value, str) else 0
            if keys.add(event, value) and (kind := keys.kind(KEYS)):
                return kind
            if chars > MAX_CHARS or keys.entries >= ENTRIES:
                break
    except UnreadableDocumentError:
        pass  # reading it says so, if its beginning is known
    return keys.kind(KEYS) or keys.kind(EMPTY) or keys.kind(ANY)


class _Keys:
    """The paths of the keys that were seen, down to the third level."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.entries = 0  # elements of an array that is the file
        self._path: list[str] = []  # of what is open
        self._key = ""
        self._below = 0

    @property
    def is_at_start(self) -> bool:
        return self._path == ["[]"] and not self.entries and not self.seen

    def kind(self, rules: tuple[tuple[str, frozenset[str]], ...]) -> str | None:
        return next((kind for kind, wanted in rules if wanted <= self.seen), None)

    def add(self, event: str, value: Any) -> bool:
        """Whether an object or an array ended that is not deep inside."""
        if self._below:
            self._below += (event in STARTS) - (event in ENDS)
        elif event in ENDS:
            self._path.pop()
            self.entries += self._path == ["[]"]
            return True
        elif event == "map_key":
            self._key = "." + value[:MAX_KEY_CHARS]
            self._see("".join(self._path) + self._key)
        elif event in STARTS and len(self._path) >= MAX_LEVEL:
            self._below = 1
        elif event in STARTS:
            self._enter(event)
        elif event == "string" and self._key[1:] in NAMED:
            self._see(f"{''.join(self._path)}{self._key}={value[:MAX_KEY_CHARS]}")
        return False

    def _enter(self, event: str) -> None:
        inside = "" if not self._path or self._path[-1].endswith("[]") else self._key
        self._path.append(inside + ("[]" if event == "start_array" else ""))

    def _see(self, key: str) -> None:
        if len(self.seen) < MAX_KEYS:
            self.seen.add(key)
