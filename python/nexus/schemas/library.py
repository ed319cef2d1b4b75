from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, Field

from nexus.services.capabilities import Kind
from nexus.services.items import ItemStatus


class Entry(BaseModel):
    """One media of the library, as a card shows it."""

    media_id: UUID
    item_id: UUID | None = Field(description="The newest item of it; null for an episode that was not saved.")
    kind: Kind
    status: ItemStatus
    status_detail: str | None
    title: str = Field(description="Its title, or the link as long as there is none.")
    site_name: str | None
    byline: str | None
    requested_url: str | None = Field(description="The link as this user gave it.")
    canonical_url: str | None
    excerpt: str | None
    word_count: int | None
    reading_minutes: int | None
    lead_image: str | None = Field(description="A path of this server, ready to use.")
    published_at: datetime | None
    can_read: bool
    can_play: bool
    has_waiting_text: bool = Field(description="A pasted text waits in case the link cannot be read.")
    read_at: datetime | None = Field(description="When this user was done with it; null: not read yet.")
    created_at: datetime = Field(description="When it was added to the library.")
    updated_at: datetime


class Counts(BaseModel):
    """Of the whole library, whatever is filtered."""

    all: int
    unread: int = Field(description="Ready to read, and not read yet.")
    by_status: dict[ItemStatus, int]
    by_kind: dict[Kind, int]


class Shelf(BaseModel):
    entries: list[Entry]
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")
    counts: Counts


class Reading(BaseModel):
    read_at: datetime | None = Field(description="When this user was done with it; null: not read yet.")
