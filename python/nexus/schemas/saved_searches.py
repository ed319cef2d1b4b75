from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from nexus.errors import InvalidRecordError
from nexus.schemas.library import PatchBody
from nexus.schemas.organise import Filter
from nexus.services.library.sorting import Sort as ListSort
from nexus.text.characters import storable


def _one_line(typed: str) -> str:
    name = " ".join(storable(typed).split())
    if not name:
        raise ValueError("a name needs at least one letter")
    return name


Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_one_line)]
# `relevance`: of a search with words.
Sort = ListSort | Literal["relevance"]
Place = Annotated[
    int, Field(strict=True, ge=0, le=100_000, description="Where it stands in the list: smaller numbers come first.")
]


class SavedSearch(BaseModel):
    id: UUID
    name: str
    query: Filter
    sort: Sort
    position: int
    count: int | None = Field(
        description="How many entries it finds, up to 1 000. Null: counting all searches took more than 2 seconds, "
        "and this one was left; or it was changed and keeps its query, which is not counted then."
    )
    count_is_more: bool


class NewSavedSearch(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Name
    query: Filter
    sort: Sort = "newest"
    position: Place | None = None


def read_stored_search(said: dict[str, Any]) -> dict[str, Any]:
    """One that an archive has: what is kept of it."""
    try:
        found = NewSavedSearch.model_validate({name: said.get(name) for name in NewSavedSearch.model_fields})
    except ValidationError:
        raise InvalidRecordError("This is no search that this version could list.") from None
    query = found.query.model_dump(mode="json", exclude_defaults=True)
    return {"name": found.name, "query": query, "sort": found.sort, "position": found.position or 0}


class SavedSearchChanges(PatchBody):
    """Only what is given is changed."""

    name: Name = "Search"
    query: Filter = Filter.model_validate({})
    sort: Sort = "newest"
    position: Place = 0
