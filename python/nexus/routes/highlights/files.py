"""Highlights as files and as a feed."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.http.responses.attachment import attachment_headers
from nexus.routes.highlights.library import HighlightFiltersDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.highlights.feed import Feed, NewFeed
from nexus.schemas.media import Data
from nexus.services.highlights import feed as feeds
from nexus.services.highlights.files import FileFormat, HighlightExporter
from nexus.services.highlights.listing import HighlightFilters
from nexus.services.library.entries import get_entry

router = api_router("/highlights", tag="highlights")

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "application/zip": {},
            "text/markdown": {},
            "text/csv": {},
            "application/json": {},
            "text/plain": {},
        },
        "description": "The file, as an attachment.",
    }
}
ATOM: dict[int | str, dict[str, Any]] = {200: {"content": {"application/atom+xml": {}}, "description": "The feed."}}


@router.get("/export", response_class=Response, responses=FILE | problems(400, 401, 404, 422, 431, 503))
def export(
    request: Request,
    session: SessionDep,
    user: UserDep,
    filters: HighlightFiltersDep,
    format: Annotated[  # noqa: A002
        FileFormat,
        Query(description="`markdown`: a file for each text, in a ZIP if there are several; `readwise`: its CSV."),
    ],
    media_id: Annotated[UUID | None, Query(description="Only those of this text.")] = None,
) -> Response:
    """All highlights, or those that the filters find, by text; sent while they are read."""
    title = "Highlights"
    if media_id is not None:
        entry = get_entry(session, user, media_id)
        title = entry.title
        filters = HighlightFilters(filters.tags, filters.color, filters.query, entry.media_id)
    exporter = HighlightExporter(request.app.state.database.transaction, user, _base_url(request))
    made = exporter.file(session, filters, format)
    headers = attachment_headers(title, made.suffix) | {"Cache-Control": "private, no-store"}
    return StreamingResponse(made.chunks, media_type=made.media_type, headers=headers)


@router.get("/feed", responses=problems(401, 422, 503))
def feed(session: SessionDep, user: UserDep) -> Data[Feed | None]:
    """The user's Atom feed of highlights, without its address; null: there is none."""
    found = feeds.get_feed(session, user)
    return Data(data=Feed.model_validate(found, from_attributes=True) if found else None)


@router.post("/feed", status_code=201, responses=problems(401, 403, 413, 422, 503))
def open_feed(request: Request, session: SessionDep, user: UserDep) -> Data[NewFeed]:
    """Create a new address for the feed of highlights; the one before no longer works."""
    made = feeds.open_feed(session, user)
    return Data(data=NewFeed(url=f"{_base_url(request)}/highlights/feed/{made.secret}", created_at=made.created_at))


@router.delete("/feed", status_code=204, responses=problems(401, 403, 413, 422, 503))
def close_feed(session: SessionDep, user: UserDep) -> None:
    """Close the feed of highlights: its address no longer works. Can be repeated."""
    feeds.close_feed(session, user)


@router.get("/feed/{secret}", response_class=Response, responses=ATOM | problems(404, 422, 503))
def read_feed(secret: str, request: Request, session: SessionDep) -> Response:
    """The newest 50 highlights as Atom, for whoever has the address: readers of feeds send no tokens."""
    made = feeds.read_feed(session, secret, _base_url(request))
    return Response(made, media_type="application/atom+xml", headers={"Cache-Control": "private, no-cache"})


def _base_url(request: Request) -> str:
    return str(request.base_url).rstrip("/")
