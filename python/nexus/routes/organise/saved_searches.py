"""Searches that a user keeps under a name."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import BaseModel

from nexus.http.dependencies import IndexesDep, SessionDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.organise import Filter
from nexus.schemas.saved_searches import NewSavedSearch, SavedSearch, SavedSearchChanges
from nexus.services.organise import saved_searches as service

router = api_router("/api/saved-searches", tag="saved searches")


@router.get("", summary="List Saved Searches", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep, indexes: IndexesDep) -> list[SavedSearch]:
    """The user's saved searches, by `position`, with how many entries each finds."""
    found = service.list_searches(session, user)
    counts = service.count_each(session, user, indexes, [_parse_search(each.query) for each in found])
    return [_to_wire(each, count) for each, count in zip(found, counts, strict=True)]


@router.post("", status_code=201, responses=problems(400, 401, 403, 409, 413, 422, 503))
def create(body: NewSavedSearch, session: SessionDep, user: UserDep, indexes: IndexesDep) -> SavedSearch:
    """Save a search under a name."""
    values: dict[str, Any] = {"name": body.name, "query": _query(body.query), "sort": body.sort}
    # Before the library is locked: other changes need not wait for it.
    count = service.count_found(session, user, indexes, _parse_search(values["query"]))
    return _to_wire(service.create_search(session, user, values | {"position": body.position}), count)


@router.patch("/{search_id}", responses=problems(400, 401, 403, 404, 409, 413, 422, 503))
def change(
    search_id: UUID, body: SavedSearchChanges, session: SessionDep, user: UserDep, indexes: IndexesDep
) -> SavedSearch:
    """Change a saved search's name, query, sort order or position in the list."""
    values = _stored(body)
    has_query = "query" in values
    count = (
        service.count_found(session, user, indexes, _parse_search(values["query"])) if has_query else service.UNKNOWN
    )
    return _to_wire(service.change_search(session, user, search_id, values), count)


@router.delete("/{search_id}", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def delete(search_id: UUID, session: SessionDep, user: UserDep) -> None:
    """Delete the saved search; the entries it finds are not changed."""
    service.delete_search(session, user, search_id)


def _stored(body: BaseModel) -> dict[str, Any]:
    given = {name: getattr(body, name) for name in body.model_fields_set}
    return given | ({"query": _query(given["query"])} if "query" in given else {})


def _query(query: Filter) -> dict[str, Any]:
    return query.model_dump(mode="json", exclude_defaults=True)


def _parse_search(stored: Mapping[str, Any]) -> service.ParsedSearch:
    query = Filter.model_validate(stored)
    return service.ParsedSearch(query.as_filters(), query.q)


def _to_wire(found: service.SavedSearchDetails, count: service.Count) -> SavedSearch:
    return SavedSearch.model_validate(vars(found) | vars(count))
