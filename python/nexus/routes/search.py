"""Search in the user's library, and texts that are similar to one of them."""

from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from pydantic_core import to_json

from nexus.http.dependencies import IndexesDep, SessionDep
from nexus.http.identity import OpenTransactionDep, UserDep
from nexus.routes.library import FiltersDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.search import Related, SearchResults, Suggestions, TextHits
from nexus.search.index import Sort
from nexus.services.search.related import related_entries
from nexus.services.search.search import Results, SearchRequest, search
from nexus.services.search.suggestions import Suggestion, suggest
from nexus.services.search.text_hits import text_hits

router = api_router("/api", tag="search")

QueryText = Annotated[
    str,
    Query(
        description='Words, "a phrase", -without, this OR that, and operators: site: author: tag: kind: lang: before: '
        "after: in:title|text|notes|highlights is:unread|read|archived|starred|highlighted. "
        "The last word may be only the beginning of one."
    ),
]


def _json_response(body: Results | dict[str, list[Suggestion]]) -> Response:
    """As it is: to check it against its schema, in another thread, took an eighth of a search. A test checks it."""
    return Response(to_json(body), media_type="application/json")


@router.get("/search", name="search", response_model=SearchResults, responses=problems(400, 401, 422, 431, 503))
def search_library(
    open_transaction: OpenTransactionDep,
    indexes: IndexesDep,
    q: QueryText,
    filters: FiltersDep,
    sort: Annotated[Sort, Query(description="A cursor is valid only with the order it was made for.")] = "relevance",
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    cursor: Annotated[str | None, Query(description="The next_cursor of the page before.")] = None,
) -> Response:
    """Search the user's texts, titles, tags, notes, sites and authors; entries with all of the words come first."""
    with open_transaction() as (session, user):
        results = search(session, user, indexes, SearchRequest(q, filters, sort), limit=limit, cursor=cursor)
    return _json_response(results)


@router.get("/search/suggestions", response_model=Suggestions, responses=problems(401, 422, 431, 503))
def suggestions(
    open_transaction: OpenTransactionDep,
    indexes: IndexesDep,
    q: Annotated[str, Query(description="What was typed, up to the cursor.")] = "",
    limit: Annotated[int, Query(ge=1, le=50)] = 12,
) -> Response:
    """Completions of the last word: operators, and tags, sites, authors, languages and years of the user's entries."""
    with open_transaction() as (session, user):
        found = suggest(session, user, indexes, q, limit=limit)
    return _json_response({"suggestions": found})


@router.get("/library/{media_id:uuid}/related", responses=problems(401, 404, 422, 503))
def related(
    media_id: UUID,
    session: SessionDep,
    user: UserDep,
    indexes: IndexesDep,
    limit: Annotated[int, Query(ge=1, le=20)] = 5,
) -> Related:
    """Entries of the user's library with much the same words, the closest first."""
    found = related_entries(session, user, indexes, media_id, limit=limit)
    return Related.model_validate({"entries": found}, from_attributes=True)


@router.get("/library/{media_id:uuid}/hits", responses=problems(400, 401, 404, 422, 431))
def hits_in_text(media_id: UUID, session: SessionDep, user: UserDep, indexes: IndexesDep, q: QueryText) -> TextHits:
    """Where the words of a search occur in a text, in text order."""
    return TextHits.model_validate(text_hits(session, user, indexes, media_id, q), from_attributes=True)
