"""Works: what a user may read of them, under their own id or under that of a merged duplicate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, cast
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import ColumnElement, exists, func, select, text
from sqlalchemy.orm import Session

from nexus.db.models import Episode, Fragment, Library, LibraryMedia, Media, MediaAlias
from nexus.errors import MediaNotReadyError, NotFoundError
from nexus.services.capabilities import Capabilities, Kind, Status, derive_capabilities
from nexus.services.users import CurrentUser
from nexus.text.image_source import IMAGE_PROXY
from nexus.web.public_address import AllowList
from nexus.web.urls import may_request

MAX_URL = 16_384
# What is private to its owner has only times of theirs; what came without a save, those of the media.
OWN_TIMES = text("""
    SELECT place.created_at, greatest(place.created_at, coalesce(own.updated_at, media.updated_at)) AS updated_at,
           coalesce(own.attempts, media.processing_attempts) AS processing_attempts,
           CASE WHEN media.owner_user_id IS NULL THEN coalesce(receipt.finished_at, place.created_at)
                ELSE coalesce(media.processing_completed_at, place.created_at) END AS text_since
    FROM media
    CROSS JOIN LATERAL (
        SELECT min(library_media.created_at) AS created_at
        FROM library_media JOIN libraries ON libraries.id = library_media.library_id
        WHERE library_media.media_id = media.id AND libraries.owner_user_id = :user_id
    ) AS place
    LEFT JOIN LATERAL (
        SELECT updated_at, attempts FROM items WHERE items.media_id = media.id AND items.user_id = :user_id
        ORDER BY items.created_at DESC, items.id DESC LIMIT 1
    ) AS own ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(min(finished_at) FILTER (WHERE result = 'success'), max(finished_at)) AS finished_at
        FROM items JOIN extraction_attempts ON extraction_attempts.item_id = items.id
        WHERE items.media_id = media.id AND items.user_id = :user_id
    ) AS receipt
    WHERE media.id = :media_id
""")


@dataclass(frozen=True)
class Chapter:
    start_ms: int
    end_ms: int | None
    title: str
    url: str | None
    image: str | None  # through the proxy: the publisher never learns who listens where


class OwnTimes(NamedTuple):
    """What a user sees of the times of a work: their own. When others saved or fetched it is nobody's business."""

    created_at: datetime
    updated_at: datetime
    processing_attempts: int
    text_since: datetime  # when its text was there for them


@dataclass(frozen=True)
class MediaDetails:
    media: Media
    capabilities: Capabilities
    duplicate: bool
    own_times: OwnTimes
    chapters: Sequence[Chapter] = ()
    audio_url: str | None = None


def readable_by(user: CurrentUser) -> ColumnElement[bool]:
    """The one rule of who may read what: it is in a library of theirs."""
    return exists(
        select(LibraryMedia.media_id)
        .join(Library, Library.id == LibraryMedia.library_id)
        .where(LibraryMedia.media_id == Media.id, Library.owner_user_id == user.user_id)
        .correlate(Media)
    )


def get_media(session: Session, user: CurrentUser, media_id: UUID) -> MediaDetails:
    mine = MediaAlias.user_id == user.user_id
    winner = select(MediaAlias.media_id).where(MediaAlias.alias_id == media_id, mine).scalar_subquery()
    has_fragments = exists(select(Fragment.id).where(Fragment.media_id == Media.id).correlate(Media))
    row = session.execute(
        select(Media, has_fragments, Episode.chapters)
        .outerjoin(Episode, Episode.media_id == Media.id)
        .where(Media.id == func.coalesce(winner, media_id), readable_by(user))
    ).one_or_none()
    if row is None:
        raise NotFoundError("There is no such media in your library.")
    media, readable, stored = row
    chapters = [_chapter(each) for each in stored or ()]
    own_times = OwnTimes(*session.execute(OWN_TIMES, {"media_id": media.id, "user_id": user.user_id}).one())
    capabilities = capabilities_of(media, has_fragments=readable)
    return MediaDetails(media, capabilities, media.id != media_id, own_times, chapters, media.audio_url)


def allowed_media(work: MediaDetails, allow: AllowList) -> MediaDetails:
    """Without addresses that the reader's own machine must not be made to ask: feeds are written by strangers."""
    audio = work.audio_url if work.audio_url and _may_request(work.audio_url, allow) else None
    capabilities = replace(work.capabilities, can_play=work.capabilities.can_play and audio is not None)
    chapters = [
        each if each.url is None or _may_request(each.url, allow) else replace(each, url=None) for each in work.chapters
    ]
    return replace(work, capabilities=capabilities, chapters=chapters, audio_url=audio)


def _may_request(url: str, allow: AllowList) -> bool:
    return may_request(url, max_length=MAX_URL, allow=allow)


def capabilities_of(media: Media, *, has_fragments: bool) -> Capabilities:
    kind, status = cast("Kind", media.kind), cast("Status", media.processing_status)
    return derive_capabilities(kind, status, has_fragments, media.audio_url is not None)


def _chapter(stored: Mapping[str, Any]) -> Chapter:
    image = _web_address(stored["image"])
    return Chapter(
        start_ms=stored["start_ms"],
        end_ms=stored["end_ms"],
        title=stored["title"],
        url=_web_address(stored["url"]),
        image=IMAGE_PROXY + quote(image, safe="") if image else None,
    )


def _web_address(url: str | None) -> str | None:
    """The parsers let nothing else in; a link that runs a script must not depend on all of them being right."""
    return url if url and url.startswith(("http://", "https://")) else None


def get_fragments(session: Session, user: CurrentUser, media_id: UUID) -> tuple[MediaDetails, Sequence[Fragment]]:
    work = get_media(session, user, media_id)
    if work.media.processing_status != "ready_for_reading":
        raise MediaNotReadyError("This is not ready for reading yet; its processing_status says how far it is.")
    fragments = session.scalars(select(Fragment).where(Fragment.media_id == work.media.id).order_by(Fragment.idx))
    return work, fragments.all()
