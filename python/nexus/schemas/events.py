from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from nexus.schemas.library import ItemStatus


class ItemChanged(BaseModel):
    model_config = ConfigDict(from_attributes=True)
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
    """The user read something, or wants to read it again: their other windows show it."""

    model_config = ConfigDict(from_attributes=True)
    event_name: ClassVar[str] = "read"

    media_id: UUID
    read_at: datetime | None


class ShelfChanged(BaseModel):
    """Something without a save of its own came, changed or went: an episode."""

    event_name: ClassVar[str] = "shelf"
