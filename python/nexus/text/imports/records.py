"""What an export of another program says of a save, whichever program it was; each is one line of JSON on its way."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from nexus.text.quotes.colors import HighlightColor


@dataclass(frozen=True, slots=True)
class ImportedHighlight:
    quote: str
    note: str | None = None
    color: HighlightColor | None = None
    tags: tuple[str, ...] = ()
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """None means that the export does not say."""

    file: str  # as the user knows it: `pocket.zip/part_000000.csv`
    line: int  # from 1; in JSON and markup without lines, the number of the entry
    url: str | None = None  # http or https, as it is written there
    title: str | None = None
    saved_at: datetime | None = None
    tags: tuple[str, ...] = ()  # folders are nested tags: `Cooking/Bread`
    archived: bool | None = None
    starred: bool | None = None
    read: bool | None = None
    progress: float | None = None  # 0 to 1
    note: str | None = None
    highlights: tuple[ImportedHighlight, ...] = ()
    html: str | None = None  # content that came along, unsafe
    text: str | None = None  # content that came along as plain text
    author: str | None = None
    site_name: str | None = None
    lang: str | None = None
    published_at: datetime | None = None
    is_feed_item: bool = False  # of a subscription, not saved by the person: left out unless they ask for it


@dataclass(frozen=True, slots=True)
class ImportedFeed:
    file: str
    line: int
    url: str
    title: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """A row that cannot be imported, with a sentence that says why."""

    file: str
    line: int
    code: str
    message: str
    url: str | None = None
    title: str | None = None


ImportRecord = ImportedItem | ImportedFeed | ImportProblem
KINDS: dict[str, type[ImportedItem | ImportedFeed | ImportProblem]] = {
    "item": ImportedItem,
    "feed": ImportedFeed,
    "problem": ImportProblem,
}
NAMES = {kind: name for name, kind in KINDS.items()}
TIMES = ("saved_at", "published_at", "created_at")


def to_json(record: ImportRecord) -> str:
    """One line; what the export does not say is left out."""
    return _ENCODER.encode({"kind": NAMES[type(record)], **_given_fields(record)})


def from_json(line: str) -> ImportRecord:
    return from_values(json.loads(line))


def from_values(given: Mapping[str, Any]) -> ImportRecord:
    """What was read of a line."""
    values = dict(given)
    kind = KINDS[values.pop("kind")]
    if highlights := values.pop("highlights", None):
        values["highlights"] = tuple(ImportedHighlight(**_read(ImportedHighlight, one)) for one in highlights)
    return kind(**_read(kind, values))


def _read(kind: type[Any], values: dict[str, Any]) -> dict[str, Any]:
    known = {field.name for field in fields(kind)}
    return {name: _value(name, value) for name, value in values.items() if name in known}


def _value(name: str, value: Any) -> Any:
    if name in TIMES and value is not None:
        return datetime.fromisoformat(value)
    return tuple(value) if isinstance(value, list) else value


def _given_fields(record: ImportRecord | ImportedHighlight) -> dict[str, Any]:
    # Not `asdict`, which copies every value: 0.2 ms for an item, three minutes for a million.
    values = ((name, getattr(record, name)) for name in _FIELDS[type(record)])
    return {name: value for name, value in values if value is not None and value != ()}


def _write(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, ImportedHighlight):
        return _given_fields(value)
    raise TypeError(f"{type(value)} has no form in JSON")


_FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in (*NAMES, ImportedHighlight)}
_ENCODER = json.JSONEncoder(default=_write, ensure_ascii=False)
