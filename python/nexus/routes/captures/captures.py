"""Pages as a user's browser shows them."""

from typing import Annotated

from fastapi import Depends, Query, Request

from nexus.http.dependencies import SessionDep, SettingsDep
from nexus.http.identity import UserDep, UserWithoutSessionDep
from nexus.http.save_context import ItemsContext
from nexus.routes.captures.request_body import DESCRIBED_BODY, read_body
from nexus.routes.routers import api_router
from nexus.schemas.captures.captures import MAX_URL_CHARS, KnownPage, Lookup, SavedCapture
from nexus.schemas.errors import problems
from nexus.services.captures.lookup import find_page
from nexus.services.captures.reader import CaptureReader
from nexus.services.captures.save_capture import check_capture, save_capture

router = api_router("/api/captures", tag="captures")


async def get_raw_body(request: Request) -> bytes:
    return await request.body()


@router.post(
    "",
    status_code=201,
    responses=problems(400, 401, 403, 404, 409, 413, 415, 422, 503),
    openapi_extra=DESCRIBED_BODY,
)
def capture(
    request: Request,
    user: UserWithoutSessionDep,
    raw: Annotated[bytes, Depends(get_raw_body)],
    settings: SettingsDep,
    context: ItemsContext,
) -> SavedCapture:
    """Save a page as its user sees it: private to them, readable at once. Its address is never fetched.

    A page that the user has becomes their own version of it; captured again, it gets a new version where its text is
    another one. With `item_id` it fills that item, which waits for a text.
    """
    reader: CaptureReader = request.app.state.captures
    with reader.slot():
        new = check_capture(read_body(raw, request.headers, settings.capture_max_bytes), context)
        read, attempt = reader.read(new)
    with request.app.state.database.transaction() as session:
        saved = save_capture(session, user, context, new, read, attempt)
    return SavedCapture.model_validate(saved)


@router.get("/lookup", responses=problems(401, 422, 503))
def lookup(
    request: Request,
    session: SessionDep,
    user: UserDep,
    url: Annotated[str, Query(min_length=1, max_length=MAX_URL_CHARS, description="The address of the open page.")],
) -> Lookup:
    """Whether this user has the page: by its address, by the link they saved, and by what they captured."""
    found = find_page(session, user, url, request.app.state.egress_allow)
    return Lookup(page=KnownPage.model_validate(found) if found else None)
