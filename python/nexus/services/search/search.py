"""Searches a library: reads the query, searches the index, checks the hits and adds what is shown of them."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.errors import BrokenIndexError, IndexBuildingError, InvalidCursorError
from nexus.search.index import IndexHit, PreparedQuery, Snapshot, Sort, Summary
from nexus.search.query import Filter, Query, read_query
from nexus.services.cursors import read_key_cursor, refusal, write_key_cursor
from nexus.services.library.entries import Entry
from nexus.services.library.filters import Filters
from nexus.services.library.tags import tags_by_key
from nexus.services.search.filter_conditions import narrowed, search_conditions
from nexus.services.search.hits import Hit, check_entries, check_ids, show_hits
from nexus.services.search.indexes import Indexes, IndexState
from nexus.services.users import CurrentUser

CURSOR = "search"
# Nobody pages this far. `search_ids` returns all hits, for bulk changes and downloads.
MAX_OFFSET = 10_000
MAX_TIME = 2**62  # in microseconds; later than any entry
# Hits of all that were found that may be gone: the index is some moments old.
SPARE = 64
FACETS = ("kind", "site", "tag", "year")
# Hits that PostgreSQL refuses are made up for by the next ones, so many times.
MAX_ROUNDS = 5
# Counting takes a millisecond or two, in which PostgreSQL looks for the entries of the page.
COUNT_EXECUTOR = ThreadPoolExecutor(4, "search-counting")


@dataclass(frozen=True)
class SearchRequest:
    typed: str
    filters: Filters
    sort: Sort = "relevance"


@dataclass(frozen=True)
class Facet:
    value: str
    count: int


@dataclass(frozen=True)
class Results:
    hits: Sequence[Hit]
    total: int | None  # with the first page only
    total_is_about: bool
    corrected: Mapping[str, str]
    facets: Mapping[str, Sequence[Facet]] | None  # with the first page only
    next_cursor: str | None
    index: IndexState


@dataclass(frozen=True)
class Window:
    """Which of the engine's hits make a page. `until`: what was saved later is left out, so that pages do not shift."""

    sort: Sort
    offset: int
    until: int | None


def search(
    session: Session, user: CurrentUser, indexes: Indexes, request: SearchRequest, *, limit: int, cursor: str | None
) -> Results:
    query, filters = read_query(request.typed), request.filters
    window = _read_cursor(request.sort, cursor)
    conditions = search_conditions(session, user, query, filters)
    opened = indexes.open(session, user.default_library_id)
    if opened.snapshot is None:
        is_about = opened.state.state != "ready"
        return Results((), 0, is_about, {}, dict.fromkeys(FACETS, ()), None, opened.state)
    try:
        prepared = opened.snapshot.prepare(_until(narrowed(query, filters), window.until))
        _ = prepared.ranked  # once, before two threads look for it
        counting = COUNT_EXECUTOR.submit(opened.snapshot.summary, prepared, FACETS) if cursor is None else None
        page = _page(opened.snapshot, prepared, window, limit, lambda ids: check_entries(session, conditions, ids))
        summary = counting.result() if counting else None
    except BrokenIndexError as error:
        indexes.report(session, user.default_library_id, error)
        raise
    hits = show_hits(session, page.entries, prepared.query, page.languages)
    return Results(
        hits=hits,
        total=summary.total if summary else None,
        total_is_about=bool(page.refused) or opened.state.state != "ready",
        corrected=prepared.corrected,
        facets=_facets(session, user, summary) if summary else None,
        next_cursor=_write_cursor(window, page.next_offset, summary) if page.next_offset is not None else None,
        index=opened.state,
    )


def search_ids(
    session: Session, user: CurrentUser, indexes: Indexes, typed: str, filters: Filters, *, limit: int
) -> Sequence[UUID]:
    """The media of all entries that a search finds, at most so many, the newest first."""
    query = read_query(typed)
    conditions = search_conditions(session, user, query, filters)
    opened = indexes.open(session, user.default_library_id)
    if opened.state.state != "ready":
        raise IndexBuildingError("Your library is being indexed for the search; try again when that is done.")
    if opened.snapshot is None:
        return []
    try:
        prepared = opened.snapshot.prepare(narrowed(query, filters))
        found = opened.snapshot.hits(prepared, sort="newest", limit=limit + SPARE)
    except BrokenIndexError as error:
        indexes.report(session, user.default_library_id, error)
        raise
    return check_ids(session, conditions, [one.media_id for one in found])[:limit]


@dataclass(frozen=True)
class HitPage:
    entries: Sequence[Entry]  # that passed the check
    languages: Mapping[UUID, str | None]
    refused: int  # that did not
    next_offset: int | None


def _page(
    snapshot: Snapshot,
    prepared: PreparedQuery,
    window: Window,
    limit: int,
    check: Callable[[Sequence[UUID]], list[Entry]],
) -> HitPage:
    passed: list[Entry] = []
    seen: list[IndexHit] = []
    has_more = True
    for _ in range(MAX_ROUNDS):
        wanted = limit - len(passed)
        found = snapshot.hits(prepared, sort=window.sort, limit=wanted + 1, offset=window.offset + len(seen))
        seen += found[:wanted]
        passed += check([one.media_id for one in found[:wanted]])
        has_more = len(found) > wanted and window.offset + len(seen) < MAX_OFFSET
        if not has_more or len(passed) >= limit:
            break
    next_offset = window.offset + len(seen) if has_more else None
    return HitPage(passed, dict(seen), len(seen) - len(passed), next_offset)


def _until(query: Query, until: int | None) -> Query:
    return query if until is None else replace(query, filters=(*query.filters, Filter("until", str(until))))


def _facets(session: Session, user: CurrentUser, summary: Summary) -> dict[str, list[Facet]]:
    """Tags by the names they have; one that was deleted a moment ago is left out."""
    found = {name: [Facet(value, count) for value, count in summary.facets[name]] for name in FACETS}
    if found["tag"]:
        names = _tag_names(session, user)
        found["tag"] = [Facet(names[facet.value], facet.count) for facet in found["tag"] if facet.value in names]
    found["year"].sort(key=lambda facet: facet.value, reverse=True)
    return found


def _tag_names(session: Session, user: CurrentUser) -> dict[str, str]:
    """By key, also of those that only stand above others."""
    names: dict[str, str] = {}
    for key, tag in tags_by_key(session, user).items():
        parts, named = key.split("/"), tag.name.name.split("/")
        for count in range(1, len(parts)):
            names.setdefault("/".join(parts[:count]), "/".join(named[:count]))
        names[key] = tag.name.name
    return names


def _write_cursor(window: Window, offset: int, summary: Summary | None) -> str:
    until = summary.newest if summary else window.until
    return write_key_cursor(CURSOR, f"{window.sort} {offset} {until}", UUID(int=0))


def _read_cursor(sort: Sort, cursor: str | None) -> Window:
    if cursor is None:
        return Window(sort, 0, None)
    key, _ = read_key_cursor(CURSOR, cursor)
    try:
        of, offset, until = key.split(" ")
        window = Window(sort, int(offset), int(until))
    except ValueError:
        raise refusal() from None
    if of != sort:
        raise InvalidCursorError("This cursor belongs to a list in another order; start again without it.")
    if not 0 <= window.offset <= MAX_OFFSET or not -MAX_TIME < int(until) < MAX_TIME:
        raise refusal()
    return window
