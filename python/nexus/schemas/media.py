from datetime import datetime
from typing import Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from nexus.services.capabilities import Kind, Origin, Status

T = TypeVar("T")


class Data(BaseModel, Generic[T]):
    data: T


class NewLink(BaseModel):
    url: str = Field(min_length=1, description="An http or https link of at most 2048 characters.")


class SavedLink(BaseModel):
    media_id: UUID
    duplicate: Literal[False] = Field(description="Not known before it is fetched; see GET /media/{id} then.")
    processing_status: Literal["pending", "ready_for_reading"] = Field(
        description="`ready_for_reading` where this user saved the link before and its text was too short."
    )
    ingest_enqueued: Literal[True]


class MediaCapabilities(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    can_read: bool
    can_highlight: bool
    can_quote: bool
    can_search: bool
    can_play: bool


class Media(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    kind: Kind
    title: str | None
    canonical_url: str | None
    byline: str | None
    site_name: str | None
    published_at: datetime | None
    lang: str | None
    excerpt: str | None
    word_count: int | None
    processing_status: Status
    failure_stage: Literal["upload", "extract", "transcribe", "embed", "other"] | None
    last_error_code: str | None
    processing_attempts: int = Field(description="How many attempts this user's item of it has used.")
    capabilities: MediaCapabilities
    duplicate: bool = Field(description="The requested id is one of this user's that was merged into this media.")
    version: int | None = Field(description="The version of its text that is current; null as long as there is none.")
    versions: int = Field(description="How many there are.")
    text_changed_at: datetime | None = Field(
        description="When the current version was read, if this user had another one before; else null."
    )
    highlight_count: int = Field(description="How many highlights this user has made in it.")
    item_id: UUID | None = Field(description="This user's newest item of it; null: an episode that was not saved.")
    fetching_again: bool = Field(description="A fetch that this user asked for is under way; its text stays meanwhile.")
    created_at: datetime = Field(description="When this user saved it.")
    updated_at: datetime = Field(description="When it last changed for this user.")


class Chapter(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    start_ms: int
    end_ms: int | None = Field(description="Where it ends, if the publisher says so; null: where the next one begins.")
    title: str
    url: str | None = Field(description="An http or https link of the publisher's.")
    image: str | None = Field(description="A path of this server, ready to use.")


class Audio(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    kept: bool = Field(description="Whether it plays from this server, without a request to the publisher.")
    url: str = Field(description="What a player loads: a path of this server, or the publisher's address.")
    host: str | None = Field(description="The host that a player connects to; null: only this server.")


class Episode(Media):
    """A podcast episode, which can also be heard where its audio is kept or its feed names it."""

    audio_url: str | None = Field(description="The publisher's address, also where the audio is kept.")
    audio: Audio | None = Field(description="Null: it cannot be played.")
    chapters: list[Chapter]


class Version(BaseModel):
    """A version of a text never changes: a later reading of the page is another one."""

    model_config = ConfigDict(from_attributes=True)

    version: int
    origin: Origin = Field(
        description="`fetched` by a plain request, `rendered` in the browser, `reread`: from the stored original."
    )
    extractor: int | None = Field(description="Which extractor read it; null where none did, and in old libraries.")
    title: str | None
    word_count: int | None
    created_at: datetime = Field(description="When it was there for this user.")
    is_current: bool
    original: Literal["kept", "too_large", "user_full", "waiting_full"] | None = Field(
        description="What it was read from: `kept`, or why it was not; null where there was nothing to keep."
    )


class Fragment(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    media_id: UUID
    idx: int
    html_sanitized: str
    canonical_text: str = Field(description="Highlights are offsets into it, in Unicode code points.")
    start_ms: int | None
    end_ms: int | None
    created_at: datetime = Field(description="When the text was there for this user.")


class Retried(BaseModel):
    media_id: UUID
    processing_status: Literal["pending"]
    retry_enqueued: Literal[True]


class FetchAgain(BaseModel):
    media_id: UUID
    processing_status: Status = Field(description="ready_for_reading: its text can be read while it is fetched.")
    fetch_enqueued: bool = Field(description="False: it was waiting for a worker or being fetched already.")
