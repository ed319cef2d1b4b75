from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from nexus.schemas.organise import Storable
from nexus.search.query import MAX_QUERY_CHARS
from nexus.services.exports.formats.format_name import FormatName
from nexus.services.organise.selection import MAX_ENTRIES


def _require_words(query: str) -> str:
    if not query.strip():
        raise ValueError("a query needs at least one word; leave it out to export the whole library")
    return query


Query = Annotated[Storable, Field(min_length=1, max_length=MAX_QUERY_CHARS), AfterValidator(_require_words)]


class NewExport(BaseModel):
    """The whole library with what is archived, unless either `query` or `media_ids` says what."""

    model_config = ConfigDict(extra="forbid")

    format: FormatName
    query: Query | None = Field(None, description="What a search for this finds.")
    media_ids: list[UUID] | None = Field(None, min_length=1, max_length=MAX_ENTRIES)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.query is not None and self.media_ids is not None:
            raise ValueError("choose entries by a query or by their ids, but not by both")
        return self


class LeftOut(BaseModel):
    title: str
    reason: str


class Export(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    format: FormatName
    query: str | None
    status: Literal["queued", "running", "finished", "failed", "cancelled"]
    done: int = Field(description="Entries that are written.")
    total: int = Field(description="Entries that were chosen; 0: not counted yet.")
    size: int | None = Field(description="In bytes, of the finished file.")
    filename: str | None
    message: str | None = Field(description="Why it failed, or what it waits for.")
    left_out: list[LeftOut] = Field(description="The first 100 entries that could not be in the file, and why.")
    schedule_id: UUID | None = Field(description="The schedule that it was made for.")
    created_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None = Field(description="When it is removed; null: when its schedule has newer ones.")


class Exports(BaseModel):
    exports: list[Export]
