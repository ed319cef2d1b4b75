"""A user's library entries: each media once, newest first, with what can be done with it now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast, get_args
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.services.capabilities import Kind, Status, derive_capabilities
from nexus.services.cursors import Position, read_cursor, write_cursor
from nexus.services.items import ItemStatus
from nexus.services.users import CurrentUser
from nexus.text.image_source import IMAGE_PROXY
from nexus.text.reading_time import reading_minutes

CURSOR = "library"
KINDS: tuple[Kind, ...] = get_args(Kind)
STATUSES: tuple[ItemStatus, ...] = get_args(ItemStatus)

# The rest of an entry, joined after `page` is known, so that it costs no more than the page has rows.
ENTRIES = """
    SELECT page.*, media.processing_status, media.title, media.site_name, media.byline, media.lang,
           media.canonical_url, media.excerpt, media.word_count, media.lead_image_url,
           -- No EXISTS: for that PostgreSQL may read the whole table once instead of the rows of this page.
           media.audio_url IS NOT NULL
               OR (SELECT true FROM media_audio WHERE media_audio.media_id = media.id) IS TRUE AS has_audio,
           media.published_at, item.id AS item_id, item.title AS item_title, item.status_detail, item.requested_url,
           greatest(page.created_at, coalesce(item.updated_at, media.updated_at)) AS updated_at,
           item.final_text_source IS NULL AND item_pastes.item_id IS NOT NULL AS has_waiting_text
    FROM page JOIN media ON media.id = page.media_id
    LEFT JOIN LATERAL (
        SELECT * FROM items WHERE items.media_id = page.media_id AND items.user_id = :user_id
        ORDER BY items.created_at DESC, items.id DESC LIMIT 1
    ) AS item ON true
    LEFT JOIN item_pastes ON item_pastes.item_id = item.id
"""
# The first rows of each (kind, status) run of one index, and the newest of those: a library with a million entries
# costs what one with a thousand does, whatever is filtered.
PAGE = text(f"""
    WITH page AS (
        SELECT entry.* FROM unnest(CAST(:kinds AS text[])) AS wanted(kind)
        CROSS JOIN unnest(CAST(:statuses AS text[])) AS chosen(status)
        CROSS JOIN LATERAL (
            SELECT media_id, kind, status, created_at, read_at FROM library_media
            WHERE library_id = :library_id AND kind = wanted.kind AND status = chosen.status
              AND (created_at, media_id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid))
            ORDER BY created_at DESC, media_id DESC LIMIT :limit
        ) AS entry
        ORDER BY entry.created_at DESC, entry.media_id DESC LIMIT :limit
    ) {ENTRIES} ORDER BY page.created_at DESC, page.media_id DESC
""")  # noqa: S608 - our own constant
# The same over the partial index of unread entries; PostgreSQL uses it only where its condition is spelled out.
UNREAD_PAGE = text(f"""
    WITH page AS (
        SELECT entry.* FROM unnest(CAST(:kinds AS text[])) AS wanted(kind)
        CROSS JOIN LATERAL (
            SELECT media_id, kind, status, created_at, read_at FROM library_media
            WHERE library_id = :library_id AND kind = wanted.kind AND status = 'succeeded' AND read_at IS NULL
              AND (created_at, media_id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid))
            ORDER BY created_at DESC, media_id DESC LIMIT :limit
        ) AS entry
        WHERE 'succeeded' = ANY(CAST(:statuses AS text[]))
        ORDER BY entry.created_at DESC, entry.media_id DESC LIMIT :limit
    ) {ENTRIES} ORDER BY page.created_at DESC, page.media_id DESC
""")  # noqa: S608
COUNTS = text("""
    SELECT kind, status, is_read, sum(difference)::bigint AS entries FROM shelf_counts
    WHERE library_id = :library_id GROUP BY kind, status, is_read
""")
FIRST_PAGE = {"before": "infinity", "before_id": UUID(int=0)}


@dataclass(frozen=True)
class Filters:
    kind: str | None = None
    status: str | None = None
    unread: bool = False


@dataclass(frozen=True)
class Entry:
    media_id: UUID
    item_id: UUID | None  # the newest item of it; None: an episode that nobody saved
    kind: Kind
    status: ItemStatus
    status_detail: str | None
    title: str  # of the media, or the link as long as it has none
    site_name: str | None
    byline: str | None
    requested_url: str | None
    canonical_url: str | None
    excerpt: str | None
    word_count: int | None
    reading_minutes: int | None
    lead_image: str | None  # a path of this server
    published_at: datetime | None
    can_read: bool
    can_play: bool
    has_waiting_text: bool
    read_at: datetime | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class Counts:
    """Of the whole library, whatever is filtered."""

    all: int
    unread: int
    by_status: Mapping[ItemStatus, int]
    by_kind: Mapping[Kind, int]


@dataclass(frozen=True)
class Page:
    entries: Sequence[Entry]
    next_cursor: str | None
    counts: Counts


def list_entries(session: Session, user: CurrentUser, filters: Filters, *, limit: int, cursor: str | None) -> Page:
    after = dict(zip(FIRST_PAGE, read_cursor(CURSOR, cursor), strict=True)) if cursor is not None else FIRST_PAGE
    values = {
        "kinds": [filters.kind] if filters.kind else list(KINDS),
        "statuses": [filters.status] if filters.status else list(STATUSES),
        "library_id": user.default_library_id,
        "user_id": user.user_id,
        "limit": limit + 1,
    }
    rows = session.execute(UNREAD_PAGE if filters.unread else PAGE, values | after).all()
    last = rows[limit - 1] if len(rows) > limit else None
    return Page(
        entries=[entry_of(row) for row in rows[:limit]],
        next_cursor=write_cursor(CURSOR, Position(last.created_at, last.media_id)) if last else None,
        counts=count_entries(session, user),
    )


def count_entries(session: Session, user: CurrentUser) -> Counts:
    by_status, by_kind, unread = dict.fromkeys(STATUSES, 0), dict.fromkeys(KINDS, 0), 0
    for kind, status, is_read, entries in session.execute(COUNTS, {"library_id": user.default_library_id}):
        by_status[status] += entries
        by_kind[kind] += entries
        unread += entries if status == "succeeded" and not is_read else 0
    return Counts(all=sum(by_kind.values()), unread=unread, by_status=by_status, by_kind=by_kind)


def entry_of(row: Row[Any]) -> Entry:
    # PostgreSQL lets no media be ready without a fragment.
    is_ready = row.processing_status == "ready_for_reading"
    kind, processing = cast("Kind", row.kind), cast("Status", row.processing_status)
    can = derive_capabilities(kind, processing, is_ready, row.has_audio)
    return Entry(
        media_id=row.media_id,
        item_id=row.item_id,
        kind=row.kind,
        status=row.status,
        status_detail=row.status_detail,
        title=row.title or row.item_title or _without_scheme(row.requested_url or row.canonical_url) or "Untitled",
        site_name=row.site_name,
        byline=row.byline,
        requested_url=row.requested_url,
        canonical_url=row.canonical_url,
        excerpt=row.excerpt,
        word_count=row.word_count,
        reading_minutes=None if row.word_count is None else reading_minutes(row.word_count, row.lang),
        lead_image=IMAGE_PROXY + quote(row.lead_image_url, safe="") if row.lead_image_url else None,
        published_at=row.published_at,
        can_read=can.can_read,
        can_play=can.can_play,
        has_waiting_text=row.has_waiting_text,
        read_at=row.read_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _without_scheme(url: str | None) -> str | None:
    return url.partition("://")[2].removeprefix("www.").rstrip("/") or url if url else None
