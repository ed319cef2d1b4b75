from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from nexus.schemas.library import ClientTimestamp, PatchBody, Tags, without_default
from nexus.search.query import MAX_QUERY_CHARS
from nexus.services.capabilities import Kind
from nexus.services.items import ItemStatus
from nexus.services.library.filters import (
    MAX_FILTER_TAGS,
    MAX_MINUTES,
    MAX_SITE_CHARS,
    MAX_TYPED_TAG_CHARS,
    Archived,
    Filters,
)
from nexus.services.organise.selection import MAX_ENTRIES
from nexus.text.characters import storable

Storable = Annotated[str, AfterValidator(storable)]  # it may be kept


class FilterParameters(BaseModel):
    """The filters of lists, searches and downloads."""

    kind: Kind | None = None
    status: ItemStatus | None = None
    unread: bool = Field(False, description="Only what is ready to read and was not read yet.")
    starred: bool = Field(False, description="Only what is starred.")
    highlighted: bool = Field(False, description="Only what has highlights.")
    archived: Archived | None = Field(
        None,
        description="`true`: only what is archived, `false`: only the Inbox, `any`: both. "
        "Left out: a list is that of the Inbox, a search looks everywhere.",
    )
    tag: list[Annotated[Storable, Field(max_length=MAX_TYPED_TAG_CHARS)]] = Field(
        [], max_length=MAX_FILTER_TAGS, description="Only what has this tag or one below it; of several, all of them."
    )
    untagged: bool = Field(False, description="Only what has no tag.")
    site: Storable | None = Field(None, max_length=MAX_SITE_CHARS, description="Only what is from this host.")
    min_minutes: int | None = Field(None, ge=0, le=MAX_MINUTES, description="Least reading time, in minutes.")
    max_minutes: int | None = Field(None, ge=0, le=MAX_MINUTES, description="Most reading time, in minutes.")

    def as_filters(self) -> Filters:
        given = self.model_dump(exclude={"q", "tag"})
        return Filters(tags=tuple(self.tag), **given)


class Filter(FilterParameters):
    """As the parameters of `GET /api/library`, and `q` as that of `GET /api/search`."""

    model_config = ConfigDict(extra="forbid")

    q: Storable | None = Field(None, max_length=MAX_QUERY_CHARS)


class State(PatchBody):
    read: bool = False
    archived: bool = False
    starred: bool = False


class BulkChanges(BaseModel):
    """Either `media_ids` or `filter`; either `delete` or what is to be changed."""

    model_config = ConfigDict(extra="forbid")

    media_ids: Annotated[list[UUID], Field(min_length=1, max_length=MAX_ENTRIES)] | None = None
    filter: Filter | None = None
    set: State = Field(State(), json_schema_extra=without_default)
    add_tags: Tags = []
    remove_tags: Tags = []
    delete: bool = False
    client_time: ClientTimestamp | None = Field(None, description="When this was decided, if it was earlier than now.")

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.media_ids is None) == (self.filter is None):
            raise ValueError("give media_ids or a filter, and not both")
        changes = bool(self.set.model_fields_set or self.add_tags or self.remove_tags)
        if changes == self.delete:
            raise ValueError("say what to change, or delete, and not both")
        return self


class Changed(BaseModel):
    matched: int
    changed: int = Field(description="How many entries were changed.")
    undo: UUID | None = Field(
        description="What `POST /api/library/undo` takes, for an hour; null where nothing changed, and after deleting."
    )


class Undo(BaseModel):
    model_config = ConfigDict(extra="forbid")

    undo: UUID


class Undone(BaseModel):
    restored: int = Field(
        description="How many entries have their earlier values again; what was decided since the change stays."
    )
