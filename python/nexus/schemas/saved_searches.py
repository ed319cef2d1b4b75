from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from nexus.schemas.library import PatchBody
from nexus.schemas.organise import Filter
from nexus.services.organise.saved_searches import MAX_NAME_CHARS, MAX_POSITION, Sort, clean_name

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), AfterValidator(clean_name)]
Position = Annotated[
    int,
    Field(strict=True, ge=0, le=MAX_POSITION, description="Its position in the list: smaller numbers come first."),
]


class SavedSearch(BaseModel):
    id: UUID
    name: str
    query: Filter
    sort: Sort
    position: int
    count: int | None = Field(
        description="How many entries it finds, up to 1 000. Null: not counted, because counting all searches took "
        "more than 2 seconds, or because this response is to a change that kept the query."
    )
    count_is_more: bool


class NewSavedSearch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name
    query: Filter
    sort: Sort = "newest"
    position: Position | None = None


class SavedSearchChanges(PatchBody):
    """Only what is given is changed."""

    name: Name = "Search"
    query: Filter = Filter.model_validate({})
    sort: Sort = "newest"
    position: Position = 0
