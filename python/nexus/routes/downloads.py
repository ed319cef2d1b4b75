"""Downloads: a text, chosen ones, or what a list or a search shows, as one file. Included before the library routes."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query, Request, Response
from fastapi.exceptions import RequestValidationError

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.http.responses.downloads import DownloadResponse
from nexus.routes.library import FiltersDep
from nexus.routes.media import VersionNumber
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.services.downloads.selection import select_found, select_listed, select_media, select_one
from nexus.services.library.filters import Filters
from nexus.services.search.search import SearchRequest

router = api_router(tag="downloads")

Format = Annotated[
    Literal["html", "epub"],
    Query(description="`html`: one file with everything in it; `epub`: a book for e-readers (EPUB 3)."),
]
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/html": {}, "application/epub+zip": {}},
        "description": "The file, as an attachment named after its title.",
    }
}


@router.get(
    "/media/{media_id:uuid}/download",
    response_class=Response,
    responses=FILE | problems(401, 404, 409, 422, 503, 507),
)
def download(
    media_id: UUID,
    request: Request,
    session: SessionDep,
    user: UserDep,
    format: Format,  # noqa: A002
    version: VersionNumber = None,
) -> Response:
    """A text with the pictures that are kept, its source and its dates. Nothing is fetched for it."""
    selection = select_one(session, user, media_id, version)
    return DownloadResponse(request.app.state.downloads, user, selection, format)


@router.get(
    "/api/library/download", response_class=Response, responses=FILE | problems(400, 401, 404, 409, 422, 431, 503, 507)
)
def download_many(
    request: Request,
    session: SessionDep,
    user: UserDep,
    format: Format,  # noqa: A002
    filters: FiltersDep,
    media_id: Annotated[list[UUID] | None, Query(description="Only these, in this order; at most 100.")] = None,
    q: Annotated[str | None, Query(description="What a search for this finds.")] = None,
) -> Response:
    """Up to 100 texts in one file, with a table of contents; what has no text yet is named at its end."""
    if media_id and (q is not None or filters != Filters()):
        why = "choose texts by their ids, or by a search and filters, but not by both"
        raise RequestValidationError([{"type": "value_error", "loc": ("query", "media_id"), "msg": why}])
    if media_id:
        selection = select_media(session, user, media_id)
    elif q is not None:
        selection = select_found(session, user, request.app.state.indexes, SearchRequest(q, filters))
    else:
        selection = select_listed(session, user, filters)
    return DownloadResponse(request.app.state.downloads, user, selection, format)
