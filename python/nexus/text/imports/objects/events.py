"""JSON as a stream of events. `entries` builds the values that a reader asks for, and nothing else of a file."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple, TextIO

from ijson.backends import yajl2_c
from ijson.common import JSONError

from nexus.errors import UnreadableDocumentError
from nexus.text.imports.documents import Document

EACH = "[]"  # the step of a path that stands for every element of an array
CHUNK_BYTES = 1 << 16
MAX_STRING = 1 << 25  # bytes; yajl holds a string until it ends, and it is there in several forms
MAX_DEPTH = 50  # below an entry; no export nests deeper than four
MAX_VALUES = 200_000  # of one entry
MAX_CHARS = 1 << 26  # of all values of one entry
STARTS = frozenset({"start_map", "start_array"})
ENDS = frozenset({"end_map", "end_array"})

Event = tuple[str, Any]


class Entry(NamedTuple):
    positions: tuple[int, ...]  # from 0, in each array on the way
    value: Any


class _Utf8:
    """The file in the encoding yajl reads. Stops where one string would fill the memory."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.since_last_event = 0

    def read(self, size: int) -> bytes:
        # Twice as much each time while a string lasts: with every chunk yajl reads it again from its beginning, so
        # 64 MB in chunks of equal size took 40 s.
        data = self._text.read(max(size, self.since_last_event)).encode("utf-8", "replace") if size else b""
        self.since_last_event += len(data)
        if self.since_last_event > MAX_STRING:
            raise JSONError("a string is too long")
        return data


def json_events(document: Document) -> Iterator[Event]:
    with document.open_text() as text:
        yield from events_of(text, document.name)


def events_of(text: TextIO, name: str) -> Iterator[Event]:
    """Raises UnreadableDocumentError where it is no JSON any more, after the events before that place."""
    source = _Utf8(text)
    depth = 0
    try:
        # As floats: otherwise a number of 4301 digits is a null pointer in ijson 3.6, which ends the process.
        for event, value in yajl2_c.basic_parse(source, buf_size=CHUNK_BYTES, use_float=True):
            source.since_last_event = 0
            yield event, value
            depth += (event in STARTS) - (event in ENDS)
            if depth == 0:
                return  # what follows the value of the file does not matter
    except JSONError as error:
        raise UnreadableDocumentError(f"{name} is damaged or cut off here. What comes before was read.") from error


def entries(events: Iterator[Event], *path: str, without: Collection[str] = ()) -> Iterator[Entry]:
    """The values at a path, such as `"bookmarks", EACH`. `without`: keys of theirs that are not built."""
    walk = _Walk(path)
    for event, value in events:
        if event == "map_key":
            walk.key = value
        elif event in ENDS:
            walk.leave()
        elif walk.reaches_target():
            yield Entry(tuple(walk.positions), build(events, event, value, without))
        elif event in STARTS:
            walk.enter(event)


class _Walk:
    """Where the stream is, as far as the path goes; a count of what is open beside it."""

    def __init__(self, path: tuple[str, ...]) -> None:
        self._path = path
        self._open = 0  # containers on the path
        self._beside = 0
        self._is_on_path = False  # the value that begins now
        self.positions: list[int] = []  # of the element that is being read, in each array on the path
        self.key = ""

    def reaches_target(self) -> bool:
        """A value begins."""
        step = self._path[self._open - 1] if self._open else None
        self._is_on_path = not self._beside and step in (None, EACH, self.key)
        if self._is_on_path and step == EACH:
            self.positions[-1] += 1
        return self._is_on_path and self._open == len(self._path)

    def enter(self, event: str) -> None:
        is_array = self._is_on_path and self._path[self._open] == EACH
        if not self._is_on_path or is_array != (event == "start_array"):
            self._beside += 1
            return
        self._open += 1
        if is_array:
            self.positions.append(-1)

    def leave(self) -> None:
        if self._beside:
            self._beside -= 1
        else:
            self._open -= 1
            if self._path[self._open] == EACH:
                self.positions.pop()


def build(events: Iterator[Event], event: str, value: Any, without: Collection[str] = ()) -> Any:
    """The value that begins with this event; what is nested too deep or is too much of one entry is left out."""
    if event not in STARTS:
        return value
    built = _Value(event, without)
    while built.is_open:
        built.add(*next(events))
    return built.root


class _Value:
    def __init__(self, event: str, without: Collection[str]) -> None:
        self.root = self._empty(event)
        self._without = without
        self._stack = [self.root]  # what is open
        self._keys = [""]  # and the last key in each of them
        self._beside = 0  # open in what is left out
        self._values_left = MAX_VALUES
        self._chars_left = MAX_CHARS

    @property
    def is_open(self) -> bool:
        return bool(self._stack)

    def add(self, event: str, value: Any) -> None:
        if self._beside:
            self._beside += (event in STARTS) - (event in ENDS)
        elif event in ENDS:
            self._stack.pop()
            self._keys.pop()
        elif event == "map_key":
            self._keys[-1] = value
        elif self._is_left_out(event, value):
            self._beside = int(event in STARTS)
        elif event in STARTS:
            new = self._empty(event)
            self._put(new)
            self._stack.append(new)
            self._keys.append("")
        else:
            self._put(value)

    def _is_left_out(self, event: str, value: Any) -> bool:
        self._values_left -= 1
        self._chars_left -= len(self._keys[-1]) + (len(value) if isinstance(value, str) else 0)
        is_too_deep = event in STARTS and len(self._stack) >= MAX_DEPTH
        is_unwanted = len(self._stack) == 1 and self._keys[0] in self._without
        return is_too_deep or is_unwanted or self._values_left < 0 or self._chars_left < 0

    def _put(self, value: Any) -> None:
        if isinstance(self._stack[-1], dict):
            self._stack[-1][self._keys[-1]] = value
        else:
            self._stack[-1].append(value)

    @staticmethod
    def _empty(event: str) -> Any:
        return {} if event == "start_map" else []
