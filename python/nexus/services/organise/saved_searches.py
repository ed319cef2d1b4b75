"""Searches that a user keeps under a name: filters, words and an order."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args
from uuid import UUID

from psycopg.errors import QueryCanceled
from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from nexus.db.models import SavedSearch
from nexus.errors import (
    BrokenIndexError,
    IndexBuildingError,
    InvalidQueryError,
    InvalidTagError,
    NotFoundError,
    SearchExistsError,
    TooManySearchesError,
)
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.library.library_lock import lock_library
from nexus.services.library.query_plan import count_matching
from nexus.services.library.sorting import Sort as ListSort
from nexus.services.library.tag_names import key_of
from nexus.services.library.tags import notify_tags
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import search_ids
from nexus.services.users import CurrentUser
from nexus.text.characters import one_line

# `relevance`: of a search with words.
Sort = ListSort | Literal["relevance"]
SORTS: Sequence[Sort] = (*get_args(ListSort), "relevance")

MAX_SEARCHES = 100
MAX_NAME_CHARS = 100
MAX_POSITION = 100_000
MAX_COUNTED = 1000
COUNT_SECONDS = 2.0  # of a whole list


@dataclass(frozen=True)
class SavedSearchDetails:
    id: UUID
    name: str
    query: Mapping[str, Any]  # as it is stored
    sort: Sort
    position: int


@dataclass(frozen=True)
class ParsedSearch:
    """The stored query, as it is run."""

    filters: Filters
    words: str | None


@dataclass(frozen=True)
class Count:
    count: int | None  # None: not counted
    count_is_more: bool


UNKNOWN = Count(None, count_is_more=False)


def clean_name(typed: str) -> str:
    """In one line. ValueError: nothing is left of it."""
    name = one_line(typed)
    if not name:
        raise ValueError("a name needs at least one letter")
    return name


def list_searches(session: Session, user: CurrentUser) -> list[SavedSearchDetails]:
    query = select(SavedSearch).where(SavedSearch.user_id == user.user_id)
    ordered = query.order_by(SavedSearch.position, SavedSearch.created_at, SavedSearch.id)
    return [_saved_search(row) for row in session.scalars(ordered)]


def count_found(session: Session, user: CurrentUser, indexes: Indexes, parsed: ParsedSearch) -> Count:
    """Counting stops at a thousand, and at the time that a whole list may take."""
    return _count_until(session, user, indexes, parsed, time.monotonic() + COUNT_SECONDS)


def _count(session: Session, user: CurrentUser, indexes: Indexes, parsed: ParsedSearch) -> Count:
    limit = MAX_COUNTED + 1
    if parsed.words is not None:
        try:
            found = len(search_ids(session, user, indexes, parsed.words, parsed.filters, limit=limit))
        except (BrokenIndexError, IndexBuildingError):
            return UNKNOWN
    else:
        of_list = build_conditions(session, user, parsed.filters, archived="false")
        found = count_matching(session, parsed.filters, of_list, limit=limit)
    return Count(min(found, MAX_COUNTED), found > MAX_COUNTED)


def count_each(session: Session, user: CurrentUser, indexes: Indexes, searches: Sequence[ParsedSearch]) -> list[Count]:
    """Once the time is over, no other search is counted, and one that takes longer than is left is given up. One that
    an earlier version could read is listed, so that it can be changed."""
    end = time.monotonic() + COUNT_SECONDS
    counts = []
    for parsed in searches:
        try:
            counts.append(_count_until(session, user, indexes, parsed, end))
        except (InvalidQueryError, InvalidTagError):
            counts.append(UNKNOWN)
    return counts


def _count_until(session: Session, user: CurrentUser, indexes: Indexes, parsed: ParsedSearch, end: float) -> Count:
    left_ms = int((end - time.monotonic()) * 1000)
    if left_ms <= 0:  # 0 would be no limit
        return UNKNOWN
    try:
        with session.begin_nested():
            session.execute(text(f"SET LOCAL statement_timeout = {left_ms:d}"))
            count = _count(session, user, indexes, parsed)
            session.execute(text("SET LOCAL statement_timeout TO DEFAULT"))
            return count
    except OperationalError as error:
        if isinstance(error.orig, QueryCanceled):
            return UNKNOWN
        raise


def create_search(session: Session, user: CurrentUser, values: Mapping[str, Any]) -> SavedSearchDetails:
    """At the end of the list, unless it has a position."""
    lock_library(session, user)
    known = list_searches(session, user)
    if len(known) >= MAX_SEARCHES:
        raise TooManySearchesError(f"You have {MAX_SEARCHES} saved searches, which is the limit. Delete one first.")
    _require_free(known, values["name"])
    last = max((each.position for each in known), default=0)
    position = values["position"] if values["position"] is not None else last + 1
    made = SavedSearch(user_id=user.user_id, **(dict(values) | {"position": position}))
    session.add(made)
    session.flush()
    notify_tags(session, user)
    return _saved_search(made)


def change_search(
    session: Session, user: CurrentUser, search_id: UUID, values: Mapping[str, Any]
) -> SavedSearchDetails:
    lock_library(session, user)
    found = _find(session, user, search_id)
    if "name" in values:
        _require_free([each for each in list_searches(session, user) if each.id != search_id], values["name"])
    for name, value in values.items():
        setattr(found, name, value)
    session.flush()
    notify_tags(session, user)
    return _saved_search(found)


def delete_search(session: Session, user: CurrentUser, search_id: UUID) -> None:
    lock_library(session, user)  # a change that found it must not lose it
    session.delete(_find(session, user, search_id))
    session.flush()
    notify_tags(session, user)


def _find(session: Session, user: CurrentUser, search_id: UUID) -> SavedSearch:
    query = select(SavedSearch).where(SavedSearch.id == search_id, SavedSearch.user_id == user.user_id)
    found = session.scalar(query)
    if found is None:
        raise NotFoundError("You have no such saved search.")
    return found


def _saved_search(row: SavedSearch) -> SavedSearchDetails:
    return SavedSearchDetails(row.id, row.name, row.query, cast("Sort", row.sort), row.position)


def _require_free(others: Sequence[SavedSearchDetails], name: str) -> None:
    """As with tags, neither case nor accents make another name."""
    taken = next((each.name for each in others if key_of(each.name) == key_of(name)), None)
    if taken is not None:
        raise SearchExistsError(f"You already have a saved search “{taken}”; choose another name.")
