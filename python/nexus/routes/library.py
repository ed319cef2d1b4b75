"""A user's library: its entries, receipts, figures."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.library import Entry, EntryChanges, LibraryPage, ReadMark
from nexus.schemas.organise import FilterParameters
from nexus.schemas.receipts import Receipt
from nexus.schemas.stats import Stats
from nexus.services.library.changes import DECIDE, EntryUpdate, change_entry
from nexus.services.library.entries import get_entry
from nexus.services.library.entry_tags import TagChanges
from nexus.services.library.filters import Filters
from nexus.services.library.listing import list_entries
from nexus.services.library.read_state import get_read_at, mark_read, mark_unread
from nexus.services.library.sorting import Sort
from nexus.services.library.stats import get_stats
from nexus.services.receipts import get_receipt

router = api_router("/api", tag="library")


async def get_filters(parameters: Annotated[FilterParameters, Query()]) -> Filters:
    return parameters.as_filters()


FiltersDep = Annotated[Filters, Depends(get_filters)]


@router.get("/library", responses=problems(401, 422, 431, 503))
def library(
    session: SessionDep,
    user: UserDep,
    filters: FiltersDep,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(description="The next_cursor of the page before.")] = None,
    sort: Annotated[Sort, Query(description="A cursor is valid only with the order it was made for.")] = "newest",
) -> LibraryPage:
    """The user's library: each media once, in the order that is asked for."""
    page = list_entries(session, user, filters, limit=limit, cursor=cursor, sort=sort)
    return LibraryPage.model_validate(page, from_attributes=True)


@router.get("/library/{media_id:uuid}", responses=problems(401, 404, 422, 503))
def entry(media_id: UUID, session: SessionDep, user: UserDep) -> Entry:
    """One entry, as the library shows it."""
    return Entry.model_validate(get_entry(session, user, media_id), from_attributes=True)


# No other paths, so that those with a name refuse the methods they do not have.
@router.patch("/library/{media_id:uuid}", responses=problems(401, 403, 404, 409, 413, 422, 503))
def change(media_id: UUID, body: EntryChanges, session: SessionDep, user: UserDep) -> Entry:
    """Mark an entry as read, archive, star or tag it, or give it a title and a note of the user's own."""
    given = body.model_dump(include=body.model_fields_set & DECIDE.keys())
    whole = body.tags if "tags" in body.model_fields_set else None
    tags = TagChanges(whole, body.add_tags, body.remove_tags)
    entry = change_entry(session, user, media_id, EntryUpdate(given, tags, body.client_time))
    return Entry.model_validate(entry, from_attributes=True)


@router.get("/library/{media_id}/read", responses=problems(401, 404, 422, 503))
def reading(media_id: UUID, session: SessionDep, user: UserDep) -> ReadMark:
    """Whether, and when, the user marked the entry as read."""
    return ReadMark(read_at=get_read_at(session, user, media_id))


@router.put("/library/{media_id}/read", status_code=204, responses=problems(401, 403, 404, 409, 413, 422, 503))
def mark_as_read(media_id: UUID, session: SessionDep, user: UserDep) -> None:
    """Mark an entry as read. Can be repeated."""
    mark_read(session, user, media_id)


@router.delete("/library/{media_id}/read", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def mark_as_unread(media_id: UUID, session: SessionDep, user: UserDep) -> None:
    """Mark an entry as unread."""
    mark_unread(session, user, media_id)


@router.get("/items/{item_id}/receipt", responses=problems(401, 404, 422, 503))
def receipt(item_id: UUID, session: SessionDep, user: UserDep) -> Receipt:
    """What happened to an item, attempt by attempt, and what can be done now."""
    return Receipt.model_validate(get_receipt(session, user, item_id), from_attributes=True)


@router.get("/stats", responses=problems(401, 422, 503))
def stats(session: SessionDep, user: UserDep) -> Stats:
    """Figures about the user's items: how many in which status, how many a day, and how long reading them took."""
    return Stats.model_validate(get_stats(session, user), from_attributes=True)
