import re
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from nexus.services.capabilities import Kind
from nexus.services.items import ItemStatus


class Progress(BaseModel):
    """How far the user is; `GET /api/library/{media_id}/position` says where."""

    fraction: float | None = Field(description="Of the text; null when only the audio was played.")
    updated_at: datetime


class Entry(BaseModel):
    """One media of the library, as a card shows it."""

    media_id: UUID
    item_id: UUID | None = Field(description="The newest item of it; null for an episode that was not saved.")
    kind: Kind
    status: ItemStatus
    status_detail: str | None
    title: str = Field(description="The user's own title for it, else its title, or the link as long as there is none.")
    site_name: str | None
    site: str | None = Field(description="The host it is from, without `www.`: the filter `site` takes it.")
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
    read_at: datetime | None = Field(description="When this user finished it; null: not read yet.")
    last_read_at: datetime | None = Field(description="When it was last marked as read or read on in.")
    archived_at: datetime | None = Field(description="Null: it is in the Inbox.")
    starred_at: datetime | None
    own_title: str | None = Field(description="This user's own title for it.")
    note: str | None = Field(description="This user's own words about it.")
    tags: list[str] = Field(description="The names of its tags, sorted.")
    highlight_count: int = Field(description="How many highlights this user has made in it.")
    position: Progress | None = Field(description="Null: not begun.")
    created_at: datetime = Field(description="When it was added to the library.")
    updated_at: datetime


class Counts(BaseModel):
    """Counts of the whole library, whatever the filter."""

    all: int
    inbox: int = Field(description="Not archived.")
    archived: int
    starred: int = Field(description="In the Inbox and in the archive.")
    unread: int = Field(description="In the Inbox, ready to read, and not read yet.")
    by_status: dict[ItemStatus, int]
    by_kind: dict[Kind, int]


class LibraryPage(BaseModel):
    entries: list[Entry]
    next_cursor: str | None = Field(description="Where the next page begins; null at the end.")
    counts: Counts


class ReadMark(BaseModel):
    read_at: datetime | None = Field(description="When this user finished it; null: not read yet.")


def _is_text(value: object) -> object:
    """Pydantic would take a number for seconds, also one in a text."""
    if not isinstance(value, str) or re.fullmatch(r"\s*[-+]?[\d.]+\s*", value):
        raise ValueError("a time must be a string, such as 2026-01-31T12:00:00Z")
    return value


ClientTimestamp = Annotated[AwareDatetime, BeforeValidator(_is_text)]
Tags = Annotated[list[Annotated[str, Field(max_length=1000)]], Field(max_length=1000)]


def without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


def _without_defaults(schema: dict[str, Any]) -> None:
    for each in schema["properties"].values():
        without_default(each)


class PatchBody(BaseModel):
    """A body of which only what is given counts. Its defaults are never applied, so the schema has none: a client that
    fills them in would change fields that were not meant."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_without_defaults)


class EntryChanges(PatchBody):
    """Only what is given is changed."""

    read: bool = False
    archived: bool = False
    starred: bool = False
    title: str | None = Field(None, max_length=500, description="The user's own title; blank or null removes it.")
    note: str | None = Field(None, max_length=10_000, description="The user's own note; blank or null removes it.")
    tags: Tags = Field([], description="All of its tags: those that are not given are removed.")
    add_tags: Tags = Field([])
    remove_tags: Tags = Field([])
    client_time: ClientTimestamp | None = Field(
        None,
        description="When the user decided this, if it is sent later: what was decided after it is kept. "
        "Left out: now.",
    )
