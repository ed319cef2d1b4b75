"""All highlights of a user, filtered and in two orders; a page costs the same however many highlights there are."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.services.capabilities import Kind
from nexus.services.cursors import ListPosition, read_cursor, read_key_cursor, refusal, write_cursor, write_key_cursor
from nexus.services.highlights.records import COLUMNS, Highlight, highlight_of
from nexus.services.highlights.text_search import tsquery_of
from nexus.services.library.tag_names import read_tag_names
from nexus.services.library.tags import ids_with_descendants, tags_by_key
from nexus.services.users import CurrentUser
from nexus.text.quotes.colors import HighlightColor

Sort = Literal["newest", "text"]
NEWEST_LIST, TEXT_LIST = "hl-new", "hl-text"  # for their cursors

# What they were marked in, joined after `page` is known. LIMIT keeps the planner from reading whole tables.
WITH_MEDIA = f"""
    SELECT {COLUMNS}, media.kind, entry.own_title, media.title, item.title AS item_title, media.byline,
           media.site_name, media.lang, media.published_at, page.title_key,
           coalesce(media.canonical_url, item.requested_url, media.declared_url) AS url
    FROM page JOIN highlights AS highlight ON highlight.library_id = :library_id AND highlight.id = page.id
    JOIN library_media AS entry ON entry.library_id = :library_id AND entry.media_id = highlight.media_id
    JOIN media ON media.id = highlight.media_id
    LEFT JOIN LATERAL (
        SELECT title, requested_url FROM items WHERE items.media_id = media.id AND items.user_id = :user_id
        ORDER BY items.created_at DESC, items.id DESC LIMIT 1
    ) AS item ON true
"""  # noqa: S608 - our own constants
NEWEST = """
    WITH page AS MATERIALIZED (
        SELECT highlight.id, highlight.created_at, '' AS title_key FROM highlights AS highlight
        WHERE highlight.library_id = :library_id AND highlight.deleted_at IS NULL{conditions}
          AND (highlight.created_at, highlight.id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid))
        ORDER BY highlight.created_at DESC, highlight.id DESC LIMIT :limit
    ) {with_media} ORDER BY page.created_at DESC, page.id DESC
"""
# With a tag: the newest of each tag, since a tag includes those below it.
OF_TAG = """
    WITH page AS MATERIALIZED (
        SELECT DISTINCT found.created_at, found.id, '' AS title_key
        FROM unnest(CAST(:tag_ids_0 AS uuid[])) AS tag(id) CROSS JOIN LATERAL (
            SELECT tagged.created_at, tagged.highlight_id AS id
            FROM highlight_tags AS tagged CROSS JOIN LATERAL (
                SELECT * FROM highlights AS one
                WHERE one.library_id = tagged.library_id AND one.id = tagged.highlight_id LIMIT 1
            ) AS highlight
            WHERE tagged.tag_id = tag.id AND highlight.deleted_at IS NULL{conditions}
              AND (tagged.created_at, tagged.highlight_id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid))
            ORDER BY tagged.created_at DESC, tagged.highlight_id DESC LIMIT :limit
        ) AS found
        ORDER BY found.created_at DESC, found.id DESC LIMIT :limit
    ) {with_media} ORDER BY page.created_at DESC, page.id DESC
"""
# By the titles of the texts, in each in its order.
BY_TEXT = """
    WITH page AS MATERIALIZED (
        SELECT found.id, entry.title_key, entry.media_id, found.start_fragment, found.start_offset
        FROM library_media AS entry CROSS JOIN LATERAL (
            SELECT highlight.id, highlight.start_fragment, highlight.start_offset FROM highlights AS highlight
            WHERE highlight.library_id = entry.library_id AND highlight.media_id = entry.media_id
              AND highlight.deleted_at IS NULL{conditions}
              AND ((entry.title_key, entry.media_id) <> (:title_key, CAST(:media_id AS uuid))
                   OR (highlight.start_fragment, highlight.start_offset, highlight.id)
                      > (:start_fragment, :start_offset, CAST(:before_id AS uuid)))
            ORDER BY highlight.start_fragment, highlight.start_offset, highlight.id LIMIT :limit
        ) AS found
        WHERE entry.library_id = :library_id AND entry.has_highlights
          AND (entry.title_key, entry.media_id) >= (:title_key, CAST(:media_id AS uuid))
        ORDER BY entry.title_key, entry.media_id, found.start_fragment, found.start_offset, found.id LIMIT :limit
    ) {with_media}
    ORDER BY page.title_key, page.media_id, page.start_fragment, page.start_offset, page.id
"""
# The same where the ids of all that may match are known.
FEW_BY_TEXT = """
    WITH page AS MATERIALIZED (
        SELECT highlight.id, entry.title_key, entry.media_id, highlight.start_fragment, highlight.start_offset
        FROM highlights AS highlight CROSS JOIN LATERAL (
            SELECT title_key, media_id FROM library_media AS one
            WHERE one.library_id = highlight.library_id AND one.media_id = highlight.media_id LIMIT 1
        ) AS entry
        WHERE highlight.library_id = :library_id AND highlight.deleted_at IS NULL{conditions}
          AND (entry.title_key, entry.media_id, highlight.start_fragment, highlight.start_offset, highlight.id)
              > (:title_key, CAST(:media_id AS uuid), :start_fragment, :start_offset, CAST(:before_id AS uuid))
        ORDER BY entry.title_key, entry.media_id, highlight.start_fragment, highlight.start_offset, highlight.id
        LIMIT :limit
    ) {with_media}
    ORDER BY page.title_key, page.media_id, page.start_fragment, page.start_offset, page.id
"""
FEW = 2000
PROBE = "SELECT id FROM highlights WHERE library_id = :library_id AND deleted_at IS NULL"
PROBE_TAG = "SELECT highlight_id FROM highlight_tags WHERE tag_id = ANY(CAST(:tag_ids_{} AS uuid[]))"
WITH_TAG = """
    AND (SELECT true FROM highlight_tags AS tagged
         WHERE tagged.library_id = highlight.library_id AND tagged.highlight_id = highlight.id
           AND tagged.tag_id = ANY(CAST(:tag_ids_{} AS uuid[])) LIMIT 1) IS TRUE"""
FIRST = {"before": "infinity", "before_id": UUID(int=2**128 - 1)}
FIRST_BY_TEXT = {
    "title_key": "",
    "media_id": UUID(int=0),
    "start_fragment": -1,
    "start_offset": -1,
    "before_id": UUID(int=0),
}


@dataclass(frozen=True)
class HighlightFilters:
    tags: tuple[str, ...] = ()  # all of them; one that has others below it includes those
    color: HighlightColor | None = None
    query: str | None = None
    media_id: UUID | None = None


@dataclass(frozen=True)
class MarkedMedia:
    """What a highlight was marked in."""

    kind: Kind
    title: str
    byline: str | None
    site_name: str | None
    url: str | None


@dataclass(frozen=True)
class ListedHighlight(Highlight):
    media: MarkedMedia


@dataclass(frozen=True)
class HighlightPage:
    highlights: Sequence[ListedHighlight]
    next_cursor: str | None


@dataclass
class _HighlightConditions:
    """What filters mean, as conditions of a row under the name `highlight`; and for each of them a query for what it
    finds alone."""

    sql: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    tags: int = 0
    probes: list[str] = field(default_factory=list)


def list_highlights(
    session: Session,
    user: CurrentUser,
    filters: HighlightFilters,
    *,
    sort: Sort = "newest",
    limit: int = 50,
    cursor: str | None = None,
) -> HighlightPage:
    conditions = _build_conditions(session, user, filters)
    values = conditions.values | {"library_id": user.default_library_id, "user_id": user.user_id, "limit": limit + 1}
    # In the order of time one filter alone is quick however many it finds.
    few = _few(session, conditions, values) if sort == "text" or len(conditions.probes) > 1 else None
    if few is not None:
        conditions.sql += " AND highlight.id = ANY(CAST(:few AS uuid[]))"
        values["few"] = few
    if sort == "text":
        statement = BY_TEXT if few is None else FEW_BY_TEXT
        values |= _read_text_cursor(cursor) if cursor else FIRST_BY_TEXT
    else:
        statement = OF_TAG if conditions.tags and not few else NEWEST
        values |= _read_newest_cursor(cursor) if cursor else FIRST
    made = statement.format(conditions=conditions.sql, with_media=WITH_MEDIA)
    rows = session.execute(text(made), values).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return HighlightPage([listed(row) for row in rows[:limit]], _write_cursor(sort, last) if last else None)


def _few(session: Session, conditions: _HighlightConditions, values: dict[str, Any]) -> Sequence[UUID] | None:
    """What the first filter finds that finds few: so many are read and sorted in some milliseconds."""
    for probe in conditions.probes:
        found = session.scalars(text(f"{probe} LIMIT {FEW + 1}"), values).all()
        if len(found) <= FEW:
            return found
    return None


def listed(row: Row[Any]) -> ListedHighlight:
    title = row.own_title or row.title or row.item_title or row.url or "Untitled"
    media = MarkedMedia(cast("Kind", row.kind), title, row.byline, row.site_name, row.url)
    return ListedHighlight(**vars(highlight_of(row)), media=media)


def _build_conditions(session: Session, user: CurrentUser, filters: HighlightFilters) -> _HighlightConditions:
    conditions = _HighlightConditions()
    if filters.color:
        conditions.sql += " AND highlight.color = :color"
        # In the order of its index, which keeps the planner from reading the table itself.
        conditions.probes.append(f"{PROBE} AND color = :color ORDER BY created_at DESC, id DESC")
        conditions.values["color"] = filters.color
    if filters.media_id:
        conditions.sql += " AND highlight.media_id = :of_media_id"
        conditions.values["of_media_id"] = filters.media_id
    if filters.query is not None:
        conditions.sql += " AND highlight.words @@ CAST(:words AS tsquery)"
        conditions.probes.append(f"{PROBE} AND words @@ CAST(:words AS tsquery)")
        conditions.values["words"] = tsquery_of(filters.query)
    if filters.tags:
        groups = ids_with_descendants(tags_by_key(session, user), list(read_tag_names(filters.tags)))
        conditions.tags = len(groups)
        for number, group in enumerate(groups):
            conditions.sql += WITH_TAG.format(number)
            conditions.probes.append(PROBE_TAG.format(number))
            conditions.values[f"tag_ids_{number}"] = group
    return conditions


def _write_cursor(sort: Sort, last: Row[Any]) -> str:
    if sort == "newest":
        return write_cursor(NEWEST_LIST, ListPosition(last.created_at, last.id))
    key = [last.title_key, str(last.media_id), last.start_fragment, last.start_offset]
    return write_key_cursor(TEXT_LIST, json.dumps(key), last.id)


def _read_newest_cursor(cursor: str) -> dict[str, Any]:
    position = read_cursor(NEWEST_LIST, cursor)
    return {"before": position.created_at, "before_id": position.id}


def _read_text_cursor(cursor: str) -> dict[str, Any]:
    key, highlight_id = read_key_cursor(TEXT_LIST, cursor)
    try:
        title_key, media_id, fragment, offset = json.loads(key)
        title_key.encode()  # only a string, and no half of a character
        start = {"start_fragment": int(fragment), "start_offset": int(offset)}
        found = {"title_key": title_key, "media_id": UUID(media_id), "before_id": highlight_id} | start
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise refusal() from None
    if "\0" in title_key:
        raise refusal()
    return found
