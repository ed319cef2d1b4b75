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
    """Another version of its text is the current one now."""

    event_name: ClassVar[str] = "text"

    media_id: UUID
    version: int


class EntryChanged(BaseModel):
    """One's own state of it is another: archived, starred, its title, note or tags."""

    event_name: ClassVar[str] = "entry"

    media_id: UUID


class HighlightsChanged(BaseModel):
    """Some of one's own highlights of a text came, went or changed; `GET /media/{id}/highlights` has them."""

    event_name: ClassVar[str] = "highlights"

    media_id: UUID


class TagsChanged(BaseModel):
    """A tag or a saved search came, went or changed, or other entries have a tag."""

    event_name: ClassVar[str] = "tags"


class ImportsChanged(BaseModel):
    """An import came, went, moved on, or is in another state; at most once a second while it is running."""

    event_name: ClassVar[str] = "imports"


class LibraryChanged(BaseModel):
    """An episode came, changed or went, or many entries were changed at once or back."""

    event_name: ClassVar[str] = "shelf"


class ExportsChanged(BaseModel):
    """An export or a schedule of exports came, went or is further; `GET /api/exports` has them."""

    event_name: ClassVar[str] = "exports"
