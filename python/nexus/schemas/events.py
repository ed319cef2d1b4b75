from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel

from nexus.schemas.positions import Position
from nexus.services.items import ItemStatus


class ItemChanged(BaseModel):
    event_name: ClassVar[str] = "item"

    item_id: UUID
    media_id: UUID
    status: ItemStatus
    status_detail: str | None
    title: str | None
    updated_at: datetime


class ItemRemoved(BaseModel):
    event_name: ClassVar[str] = "removed"

    item_id: UUID


class ReadChanged(BaseModel):
    """For the user's other windows."""

    event_name: ClassVar[str] = "read"

    media_id: UUID
    read_at: datetime | None


class PositionChanged(Position):
    """For the user's other devices."""

    event_name: ClassVar[str] = "position"


class TextChanged(BaseModel):
    """A text has a new current version."""

    event_name: ClassVar[str] = "text"

    media_id: UUID
    version: int


class EntryChanged(BaseModel):
    """The user archived, starred or tagged an entry, or gave it another title or note."""

    event_name: ClassVar[str] = "entry"

    media_id: UUID


class HighlightsChanged(BaseModel):
    """Highlights of a text were created, changed or deleted; `GET /media/{id}/highlights` has them."""

    event_name: ClassVar[str] = "highlights"

    media_id: UUID


class TagsChanged(BaseModel):
    """A tag or saved search was created, changed or deleted, or entries were tagged or untagged."""

    event_name: ClassVar[str] = "tags"


class ImportsChanged(BaseModel):
    """An import was created, removed or made progress; at most once a second while it is running."""

    event_name: ClassVar[str] = "imports"


class LibraryChanged(BaseModel):
    """An episode was added, changed or removed, or a bulk change was made or undone."""

    event_name: ClassVar[str] = "shelf"


class ExportsChanged(BaseModel):
    """An export or an export schedule was created, removed or made progress; `GET /api/exports` has them."""

    event_name: ClassVar[str] = "exports"
