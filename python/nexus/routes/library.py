"""What the viewer shows: the shelf, the receipt of a save, how things are going."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from nexus.http.identity import SessionDep, ViewerDep
from nexus.schemas.errors import problems
from nexus.schemas.library import ItemStatus, MediaKind, Shelf
from nexus.schemas.receipts import Receipt
from nexus.schemas.stats import Stats
from nexus.services.library.receipts import get_receipt
from nexus.services.library.shelf import read_shelf
from nexus.services.library.stats import get_stats

router = APIRouter(prefix="/api", tags=["library"])


@router.get("/library", responses=problems(401, 422, 503))
def library(
    session: SessionDep,
    viewer: ViewerDep,
    kind: MediaKind | None = None,
    status: ItemStatus | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(description="The next_cursor of the page before.")] = None,
) -> Shelf:
    """One's shelf: each work once, newest first."""
    return read_shelf(session, viewer, kind=kind, status=status, limit=limit, cursor=cursor)


@router.get("/items/{item_id}/receipt", responses=problems(401, 404, 422, 503))
def receipt(item_id: UUID, session: SessionDep, viewer: ViewerDep) -> Receipt:
    """What happened to a save, attempt by attempt, and what can be done now."""
    return get_receipt(session, viewer, item_id)


@router.get("/stats", responses=problems(401, 422, 503))
def stats(session: SessionDep, viewer: ViewerDep) -> Stats:
    """How one's own saves are doing."""
    return get_stats(session, viewer)
