"""The bookmarks of browsers as JSON: Chrome and its relatives, and Firefox, also compressed (`.jsonlz4`).

A folder's name may stand behind all it contains, as it does in Chrome's files. So a file is read twice: for the
folders, then for the links. No more than the folders is held.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BufferedReader, TextIOWrapper
from itertools import count
from typing import Any

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.objects.events import ENDS, STARTS, Event, build, events_of, json_events
from nexus.text.imports.objects.fields import Fields, as_dict, as_list, as_string
from nexus.text.imports.objects.lists import folder_name
from nexus.text.imports.objects.lz4_block import MAGIC, InflatedLz4
from nexus.text.imports.objects.recognise import kind_of
from nexus.text.imports.records import ImportedFeed, ImportProblem, ImportRecord
from nexus.text.imports.values import (
    folder_tags,
    item_or_problem,
    joined_notes,
    read_link,
    read_tags,
    read_time,
    read_title,
    split_tags,
)

MAX_LEVELS = 200
MAX_FOLDERS = 200_000
MAX_TAGGED = 200_000
WANTED = frozenset(
    {"annos", "dateAdded", "date_added", "guid", "name", "root", "tags", "title", "type", "typeCode", "uri", "url"}
)
# Firefox's own folders, by id and by their older names. They are no folders of the user's.
ROOTS = frozenset({
    "root________", "menu________", "toolbar_____", "unfiled_____", "mobile______", "placesRoot",
    "bookmarksMenuFolder", "toolbarFolder", "unfiledBookmarksFolder", "mobileFolder",
})  # fmt: skip
TAGS = frozenset({"tags________", "tagsFolder"})
NO_LINKS = frozenset({
    "folder", "text/x-moz-place-container", "text/x-moz-place-separator", "separator", 2, 3,
})  # fmt: skip
DESCRIPTION, FEED = "bookmarkProperties/description", "livemark/feedURI"


@dataclass(slots=True)
class Node:
    number: int  # the same each time the file is read
    is_top: bool  # the file itself, or one of Chrome's roots
    fields: Fields = field(default_factory=dict)
    has_children: bool = False


@dataclass(frozen=True, slots=True)
class Folder:
    name: str
    is_root: bool
    is_tags: bool


Stack = list[Node | None]  # None: an array of children
OpenEvents = Callable[[], Iterator[Event]]


class Nodes:
    """Each node when it ends, with what is open around it."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._numbers = count()
        self._key = ""
        self._beside = 0
        self.stack: Stack = []
        self.is_too_deep = False

    def __iter__(self) -> Iterator[Node]:
        for event, value in self._events:
            if self._beside:
                self._beside += (event in STARTS) - (event in ENDS)
            elif event == "map_key":
                self._key = value
            elif event in ENDS:
                ended = self.stack.pop()
                if ended:
                    yield ended
            else:
                self._value(event, value)

    def _value(self, event: str, value: Any) -> None:
        parent = self.stack[-1] if self.stack else None
        is_node = event == "start_map" and (parent is None or parent.is_top)
        is_children = event == "start_array" and parent is not None and self._key == "children"
        if (is_node or is_children) and len(self.stack) >= 2 * MAX_LEVELS:
            self.is_too_deep = True
            self._beside = 1
        elif is_node:
            self.stack.append(Node(next(self._numbers), not self.stack or parent is not None))
        elif is_children and parent is not None:
            parent.has_children = True
            self.stack.append(None)
        elif parent is not None and self._key in WANTED:
            parent.fields[self._key] = build(self._events, event, value)
        elif event in STARTS:
            self._beside = 1


class _Tree:
    def __init__(self, document: Document, open_events: OpenEvents) -> None:
        self._document = document
        self._open = open_events
        self._folders: dict[int, Folder] = {}
        self._tags: dict[str, tuple[str, ...]] = {}

    def records(self) -> Iterator[ImportRecord]:
        self._find_folders()
        nodes = Nodes(self._open())
        number = 0
        for node in nodes:
            if node.is_top or self._is_below_tags(nodes.stack):
                continue
            if record := self._record(node, number + 1, nodes.stack):
                number += 1
                yield record
        if nodes.is_too_deep:
            message = f"Folders within more than {MAX_LEVELS} others were not read."
            yield ImportProblem(self._document.name, number + 1, "nested_too_deep", message)

    def _find_folders(self) -> None:
        try:
            for node in Nodes(self._open()):
                if node.has_children and len(self._folders) < MAX_FOLDERS:
                    names = {as_string(node.fields.get(key)) for key in ("guid", "root")}
                    name = folder_name(node.fields.get("title") or node.fields.get("name"))
                    self._folders[node.number] = Folder(name, bool(names & ROOTS), bool(names & TAGS))
            if any(folder.is_tags for folder in self._folders.values()):
                self._find_tags()
        except UnreadableDocumentError:
            pass  # said when the links are read

    def _find_tags(self) -> None:
        """Older Firefoxes keep a folder for each tag, with a copy of each link."""
        nodes = Nodes(self._open())
        for node in nodes:
            uri = node.fields.get("uri")
            if isinstance(uri, str) and self._is_below_tags(nodes.stack) and len(self._tags) < MAX_TAGGED:
                names = self._folders_around(nodes.stack)
                self._tags[uri] = (*self._tags.get(uri, ()), *names[-1:])

    def _is_below_tags(self, stack: Stack) -> bool:
        around = (self._folders.get(node.number) for node in stack if node)
        return any(folder.is_tags for folder in around if folder)

    def _folders_around(self, stack: Stack) -> list[str]:
        around = (self._folders.get(node.number) for node in stack if node and not node.is_top)
        return [folder.name for folder in around if folder and not folder.is_root and not folder.is_tags]

    def _record(self, node: Node, number: int, stack: Stack) -> ImportRecord | None:
        fields = node.fields
        annotations = {
            as_string(each.get("name")): each.get("value") for each in map(as_dict, as_list(fields.get("annos")))
        }
        folder = folder_tags(*self._folders_around(stack))
        url, title = fields.get("uri", fields.get("url")), fields.get("title", fields.get("name"))
        if feed := read_link(annotations.get(FEED)):
            return ImportedFeed(self._document.name, number, feed, read_title(title, feed), folder)
        if node.has_children or (not url and _kind(fields) & NO_LINKS):
            return None
        own = split_tags(fields.get("tags"), ",")
        return item_or_problem(
            self._document,
            number,
            url=url,
            title=title,
            saved_at=read_time(fields.get("dateAdded", fields.get("date_added"))),
            tags=read_tags([*own, *(self._tags.get(url, ()) if isinstance(url, str) else ()), *folder]),
            note=joined_notes(annotations.get(DESCRIPTION)),
        )


def _kind(fields: Fields) -> set[str | int]:
    return {kind for kind in (fields.get("type"), fields.get("typeCode")) if isinstance(kind, str | int)}


def _read(document: Document) -> Iterator[ImportRecord]:
    return _Tree(document, lambda: json_events(document)).records()


def _read_firefox(document: Document) -> Iterator[ImportRecord]:
    return _Tree(document, lambda: _firefox_events(document)).records()


def _firefox_events(document: Document) -> Iterator[Event]:
    if not document.first_bytes.startswith(MAGIC):
        yield from json_events(document)
        return
    raw = BufferedReader(InflatedLz4(document.open_bytes(), document.name))
    with TextIOWrapper(raw, "utf-8", errors="replace", newline="") as text:
        yield from events_of(text, document.name)


def _is_firefox(document: Document) -> bool:
    return document.first_bytes.startswith(MAGIC) or kind_of(document) == "firefox"


CHROME = Format("chrome", "Chrome", one_by_one(_read), recognises=lambda document: kind_of(document) == "chrome")
FIREFOX = Format("firefox", "Firefox", one_by_one(_read_firefox), recognises=_is_firefox)
