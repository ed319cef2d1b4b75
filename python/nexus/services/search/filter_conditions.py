"""The filters of a search: those of the library and those that were typed, for the engine and for PostgreSQL.

The engine narrows by them so that hits, counts and facets agree; PostgreSQL checks the state of each hit again, because
the index may be some moments old.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy.orm import Session

from nexus.errors import InvalidTagError
from nexus.search.query import Filter, Query
from nexus.services.library.filters import SWITCHES, Conditions, Filters, build_conditions, read_site, with_tag
from nexus.services.library.tag_names import read_tag_name
from nexus.services.library.tags import TagRecord, ids_with_descendants, tags_by_key
from nexus.services.users import CurrentUser

ReadTags = Callable[[], Mapping[str, TagRecord]]
_STATES = {
    **{name: SWITCHES[name] for name in ("unread", "starred", "highlighted")},
    "read": "entry.read_at IS NOT NULL",
    "archived": "entry.is_archived",
}


def narrowed(query: Query, filters: Filters) -> Query:
    """For the engine."""
    return replace(query, filters=(*query.filters, *_engine(filters)))


def _engine(filters: Filters) -> Iterator[Filter]:
    for name in ("kind", "status"):
        if value := getattr(filters, name):
            yield Filter(name, value)
    for state in ("unread", "starred", "highlighted"):
        if getattr(filters, state):
            yield Filter("is", state)
    if filters.archived in ("true", "false"):
        yield Filter("is", "archived", is_wanted=filters.archived == "true")
    if filters.untagged:
        yield Filter("is", "tagged", is_wanted=False)
    yield from (Filter("tag", name) for name in filters.tags)
    if filters.site:
        yield Filter("host", read_site(filters.site))
    if filters.min_minutes is not None:
        yield Filter("min_seconds", str(max(60 * (filters.min_minutes - 1) + 1, 0)))
    if filters.max_minutes is not None:
        yield Filter("max_seconds", str(60 * filters.max_minutes))


def search_conditions(session: Session, user: CurrentUser, query: Query, filters: Filters) -> Conditions:
    """The conditions for an entry that may be shown. A search looks everywhere, in the Inbox and in the archive."""
    conditions = build_conditions(session, user, filters, archived="any")
    read_tags = cache(lambda: tags_by_key(session, user))  # once, and only where one is typed
    for number, one in enumerate(query.filters):
        name = f"typed_{number}"
        sql = _condition(one, name, conditions.values, read_tags)
        if sql is not None:
            conditions.sql[name] = f"({sql})" if one.is_wanted else f"({sql}) IS NOT TRUE"
    return conditions


def _condition(one: Filter, name: str, values: dict[str, Any], read_tags: ReadTags) -> str | None:
    """None: only the index knows it, as it knows the words."""
    if one.name == "is":
        return _STATES.get(one.value)
    if one.name == "kind":
        values[name] = one.value
        return f"entry.kind = :{name}"
    if one.name == "site":
        values[name] = one.value.removeprefix("www.")
        return f"entry.site = :{name} OR right(entry.site, length(:{name}) + 1) = '.' || :{name}"
    if one.name in ("before", "after"):
        values[name] = datetime.fromisoformat(one.value).replace(tzinfo=UTC)
        return f"entry.created_at {'<' if one.name == 'before' else '>='} :{name}"
    if one.name == "tag":
        number = f"{name}_tags"
        values[f"tag_ids_{number}"] = _tag_ids(one.value, read_tags)
        return with_tag(number)
    return None


def _tag_ids(typed: str, read_tags: ReadTags) -> list[Any]:
    """With those below it; empty for what cannot be a tag."""
    try:
        key = read_tag_name(typed).key
    except InvalidTagError:
        return []
    return ids_with_descendants(read_tags(), [key])[0]
