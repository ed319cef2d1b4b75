"""A library entry in memory, as the rows of a batch find and leave it: `entry_lookup.py` reads it, `entry_writer.py`
writes it.

What a row changed is in its `EntryChange`, from which `undo_rows.py` can undo it.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

DEVICE = "import"  # as which positions from imports are shown

# Columns of library_media that rows change, and the times of the decisions about them.
STATE = ("created_at", "read_at", "last_read_at", "archived_at", "starred_at", "note")
DECIDED = ("read_decided_at", "archived_decided_at", "starred_decided_at", "note_decided_at")
COLUMNS = (*STATE, *DECIDED)


class ImportedPosition(NamedTuple):
    at: datetime
    fraction: float
    device: str | None


@dataclass
class BatchEntry:
    media_id: UUID
    item_id: UUID | None
    created_at: datetime
    read_at: datetime | None = None
    last_read_at: datetime | None = None
    archived_at: datetime | None = None
    starred_at: datetime | None = None
    note: str | None = None
    read_decided_at: datetime | None = None
    archived_decided_at: datetime | None = None
    starred_decided_at: datetime | None = None
    note_decided_at: datetime | None = None
    own_title: str | None = None
    title: str | None = None  # of the media
    is_ready: bool = False
    item_status: str | None = None
    is_imported: bool = True  # nobody saved it by hand
    tags: dict[UUID, bool] = field(default_factory=dict)  # false: taken away
    quotes: set[str] = field(default_factory=set)
    highlights: int = 0
    position: ImportedPosition | None = None
    has_content: bool = False  # of another row, which waits for its item
    is_new: bool = False
    is_touched: bool = False  # its columns are to be written

    @property
    def needs_text(self) -> bool:
        return self.item_status in ("needs_user_text", "failed")

    def values(self) -> dict[str, Any]:
        return {column: getattr(self, column) for column in COLUMNS}


@dataclass
class AddedHighlight:
    id: UUID
    quote: str
    color: str
    note: str | None
    created_at: datetime
    tag_ids: list[UUID]


@dataclass
class EntryChange:
    """What one row did to an entry."""

    entry: BatchEntry
    before: dict[str, Any]
    tag_ids: list[UUID] = field(default_factory=list)
    new_tag_ids: list[UUID] = field(default_factory=list)
    highlights: list[AddedHighlight] = field(default_factory=list)
    position: ImportedPosition | None = None
    earlier_position: ImportedPosition | None = None
    title: str | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def changed_columns(self) -> dict[str, Any]:
        after = self.entry.values()
        return {column: after[column] for column in COLUMNS if after[column] != self.before[column]}

    def __bool__(self) -> bool:
        return bool(self.changed_columns or self.tag_ids or self.highlights or self.position or self.title)

    def as_undo(self, *, is_added: bool) -> dict[str, Any]:
        """As JSON; read by `undo_rows.py`."""
        changed = self.entry.values() if is_added else self.changed_columns
        return {
            "added": is_added,
            "after": {column: _text(value) for column, value in changed.items()},
            "before": {column: _text(self.before[column]) for column in changed},
            "tags": [str(tag_id) for tag_id in self.tag_ids],
            "new_tags": [str(tag_id) for tag_id in self.new_tag_ids],
            "highlights": [str(each.id) for each in self.highlights],
            "position": _position(self.position),
            "earlier_position": _position(self.earlier_position),
            "title": self.title,
        }


def _position(position: ImportedPosition | None) -> list[Any] | None:
    return [position.at.isoformat(), position.fraction, position.device] if position else None


def _text(value: datetime | str | None) -> str | None:
    return value.isoformat() if isinstance(value, datetime) else value
