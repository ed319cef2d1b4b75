"""A user's library entries: each media once, with its state and what can be done with it now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError
from nexus.services.capabilities import Kind, Status, derive_capabilities
from nexus.services.items import ItemStatus
from nexus.services.locks import find_readable
from nexus.services.users import CurrentUser
from nexus.text.picture_source import PICTURE_PROXY
from nexus.text.reading_time import reading_minutes

# What a page takes of library_media.
COLUMNS = """entry.media_id, entry.kind, entry.status, entry.created_at, entry.read_at, entry.last_read_at,
    entry.archived_at, entry.starred_at, entry.own_title, entry.note, entry.site,
    entry.highlight_count"""
# The rest of an entry, joined after `page` is known, so that it costs no more than the page has rows.
ENTRIES = """
    SELECT page.*, media.processing_status, media.title, media.site_name, media.byline, media.lang,
           media.canonical_url, media.excerpt, media.word_count, media.lead_image_url,
           -- No EXISTS: for that PostgreSQL may read the whole table once instead of the rows of this page.
           media.audio_url IS NOT NULL
               OR (SELECT true FROM media_audio WHERE media_audio.media_id = media.id) IS TRUE AS has_audio,
           media.published_at, item.id AS item_id, item.title AS item_title, item.status_detail, item.requested_url,
           greatest(page.created_at, coalesce(item.updated_at, media.updated_at)) AS updated_at,
           item.final_text_source IS NULL AND item_pastes.item_id IS NOT NULL AS has_waiting_text,
           ARRAY(SELECT tags.name FROM entry_tags JOIN tags ON tags.id = entry_tags.tag_id
                 WHERE entry_tags.library_id = :library_id AND entry_tags.media_id = page.media_id AND entry_tags.is_set
                 ORDER BY tags.name_key) AS tags,
           positions.fraction, greatest(positions.text_at, positions.audio_at) AS position_at
    FROM page JOIN media ON media.id = page.media_id
    LEFT JOIN LATERAL (
        SELECT * FROM items WHERE items.media_id = page.media_id AND items.user_id = :user_id
        ORDER BY items.created_at DESC, items.id DESC LIMIT 1
    ) AS item ON true
    LEFT JOIN item_pastes ON item_pastes.item_id = item.id
    LEFT JOIN positions ON positions.user_id = :user_id AND positions.media_id = page.media_id
"""
ONE = text(f"""
    WITH page AS (
        SELECT {COLUMNS} FROM library_media AS entry WHERE library_id = :library_id AND media_id = :media_id
    ) {ENTRIES}
""")  # noqa: S608 - our own constants


@dataclass(frozen=True)
class ReadingProgress:
    """How far the user is, in short; services/library/positions.py has the whole position."""

    fraction: float | None  # None: only the audio was played
    updated_at: datetime


@dataclass(frozen=True)
class Entry:
    media_id: UUID
    item_id: UUID | None  # the newest item of it; None: an episode that nobody saved
    kind: Kind
    status: ItemStatus
    status_detail: str | None
    title: str  # the user's own, that of the media, or the link as long as it has none
    site_name: str | None
    site: str | None  # the host it is from, by which it can be listed
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
    last_read_at: datetime | None
    archived_at: datetime | None
    starred_at: datetime | None
    own_title: str | None
    note: str | None
    tags: Sequence[str]  # their names, sorted
    highlight_count: int
    position: ReadingProgress | None
    created_at: datetime
    updated_at: datetime


def get_entry(session: Session, user: CurrentUser, media_id: UUID) -> Entry:
    """Also by the id of a media that was merged away."""
    found = find_readable(session, user, media_id)
    values = {"media_id": found, "library_id": user.default_library_id, "user_id": user.user_id}
    row = session.execute(ONE, values).one_or_none()
    if row is None:
        raise NotFoundError("There is no such media in your library.")
    return entry_of(row)


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
        title=row.own_title or row.title or row.item_title or _link(row) or "Untitled",
        site_name=row.site_name,
        site=row.site,
        byline=row.byline,
        requested_url=row.requested_url,
        canonical_url=row.canonical_url,
        excerpt=row.excerpt,
        word_count=row.word_count,
        reading_minutes=None if row.word_count is None else reading_minutes(row.word_count, row.lang),
        lead_image=PICTURE_PROXY + quote(row.lead_image_url, safe="") if row.lead_image_url else None,
        published_at=row.published_at,
        can_read=can.can_read,
        can_play=can.can_play,
        has_waiting_text=row.has_waiting_text,
        read_at=row.read_at,
        last_read_at=row.last_read_at,
        archived_at=row.archived_at,
        starred_at=row.starred_at,
        own_title=row.own_title,
        note=row.note,
        tags=row.tags,
        highlight_count=row.highlight_count,
        position=ReadingProgress(row.fraction, row.position_at) if row.position_at else None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _link(row: Row[Any]) -> str | None:
    url: str | None = row.canonical_url or row.requested_url  # as in its place among the titles
    return url.partition("://")[2].removeprefix("www.").rstrip("/") or url if url else None
