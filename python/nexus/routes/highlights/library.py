"""All highlights of a user: listed, reviewed."""

from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query
from pydantic import Field

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.highlights.highlights import Highlight, HighlightPage, Review
from nexus.schemas.media import Data
from nexus.services.highlights.listing import HighlightFilters, Sort, list_highlights
from nexus.services.highlights.review import get_review, mark_seen
from nexus.text.quotes.colors import HighlightColor

router = api_router("/highlights", tag="highlights")


async def get_highlight_filters(
    tag: Annotated[
        list[Annotated[str, Field(max_length=1000)]] | None,
        Query(max_length=100, description="Only those with this tag or one below it; of several, all of them."),
    ] = None,
    color: HighlightColor | None = None,
    q: Annotated[
        str | None,
        Query(description='Words of the quote or the note, "a phrase", -without; the last may be a beginning.'),
    ] = None,
) -> HighlightFilters:
    return HighlightFilters(tuple(tag or ()), color, q)


HighlightFiltersDep = Annotated[HighlightFilters, Depends(get_highlight_filters)]


@router.get("", summary="List Highlights", responses=problems(400, 401, 422, 431, 503))
def list_(
    session: SessionDep,
    user: UserDep,
    filters: HighlightFiltersDep,
    sort: Annotated[
        Sort, Query(description="`text`: by the titles of the texts, and within a text in text order.")
    ] = "newest",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    cursor: Annotated[str | None, Query(description="The next_cursor of the page before.")] = None,
) -> Data[HighlightPage]:
    """Highlights of all texts, each with its media."""
    page = list_highlights(session, user, filters, sort=sort, limit=limit, cursor=cursor)
    return Data(data=HighlightPage.model_validate(page))


@router.get("/review", responses=problems(401, 422, 503))
def review(
    session: SessionDep,
    user: UserDep,
    day: Annotated[date | None, Query(description="The user's date of today; left out: today in UTC.")] = None,
) -> Data[Review]:
    """Five older highlights, at random: none is shown again before all others have been."""
    return Data(data=Review.model_validate(get_review(session, user, day)))


@router.post("/{highlight_id:uuid}/seen", responses=problems(401, 403, 404, 413, 422, 503))
def seen(highlight_id: UUID, session: SessionDep, user: UserDep) -> Data[Highlight]:
    """Mark a highlight as seen: reviews show it again only after all others were seen."""
    return Data(data=Highlight.model_validate(mark_seen(session, user, highlight_id)))
