from typing import Annotated, Self
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from nexus.schemas.library import Moment, Tags
from nexus.services.capabilities import Kind
from nexus.services.items import ItemStatus
from nexus.services.library.filters import Archived, Filters
from nexus.services.organise.selection import MAX_ENTRIES
from nexus.text.characters import storable

Minutes = Annotated[int, Field(ge=0, le=100_000)]

Storable = Annotated[str, AfterValidator(storable)]  # it may be kept


class Filter(BaseModel):
    """As the parameters of `GET /api/library`, and `q` as that of `GET /api/search`."""

    model_config = ConfigDict(extra="forbid")

    q: Storable | None = Field(None, max_length=500)
    kind: Kind | None = None
    status: ItemStatus | None = None
    unread: bool = False
    starred: bool = False
    highlighted: bool = False
    archived: Archived | None = None
    tag: Annotated[list[Annotated[Storable, Field(max_length=1000)]], Field(max_length=100)] = []
    untagged: bool = False
    site: Storable | None = Field(None, max_length=1000)
    min_minutes: Minutes | None = None
    max_minutes: Minutes | None = None

    def as_filters(self) -> Filters:
        given = self.model_dump(exclude={"q", "tag"})
        return Filters(tags=tuple(self.tag), **given)


class State(BaseModel):
    model_config = ConfigDict(extra="forbid")

    read: bool = False
    archived: bool = False
    starred: bool = False


class BulkChanges(BaseModel):
    """Either `media_ids` or `filter`; either `delete` or what is to be changed."""

    model_config = ConfigDict(extra="forbid")

    media_ids: Annotated[list[UUID], Field(min_length=1, max_length=MAX_ENTRIES)] | None = None
    filter: Filter | None = None
    set: State = State()
    add_tags: Tags = []
    remove_tags: Tags = []
    delete: bool = False
    client_time: Moment | None = Field(None, description="When this was decided, if it was earlier than now.")

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
    changed: int = Field(description="How many are different now.")
    undo: UUID | None = Field(description="Undoes it for an hour; null where nothing changed, and after deleting.")


class Undo(BaseModel):
    model_config = ConfigDict(extra="forbid")

    undo: UUID


class Undone(BaseModel):
    restored: int = Field(description="How many are as they were; what was decided since then stays.")
