"""Media that a user may read, under their own id or under that of a merged duplicate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, cast
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from nexus.db.models import Episode, Fragment, Media, MediaAlias
from nexus.errors import MediaNotReadyError, NotFoundError
from nexus.services.access import IS_OWN_ENTRY, is_readable
from nexus.services.capabilities import Capabilities, Kind, Status, derive_capabilities
from nexus.services.users import CurrentUser
from nexus.text.image_source import IMAGE_PROXY
from nexus.web.public_address import AllowList
from nexus.web.urls import may_request

MAX_URL_CHARS = 16_384
IS_READABLE = text(is_readable("media.id"))
# The times of a private media are its owner's own; an episode, which has no item, has the times of the media.
OWN_TIMES = text(f"""
    SELECT entry.created_at, greatest(entry.created_at, coalesce(own.updated_at, media.updated_at)) AS updated_at,
           coalesce(own.attempts, media.processing_attempts) AS processing_attempts,
           CASE WHEN media.owner_user_id IS NULL THEN coalesce(receipt.finished_at, entry.created_at)
                ELSE coalesce(media.processing_completed_at, entry.created_at) END AS text_since
    FROM media
    CROSS JOIN LATERAL (
        SELECT min(library_media.created_at) AS created_at
        FROM library_media, libraries WHERE library_media.media_id = media.id AND {IS_OWN_ENTRY}
    ) AS entry
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
""")  # noqa: S608 - our own constant


@dataclass(frozen=True)
class Chapter:
    start_ms: int
    end_ms: int | None
    title: str
    url: str | None
    image: str | None  # through the proxy, so that the publisher does not learn who listens


class OwnTimes(NamedTuple):
    """The times of a media for one user, which must not tell when others saved or fetched it."""

    created_at: datetime
    updated_at: datetime
    processing_attempts: int
    text_since: datetime


@dataclass(frozen=True)
class MediaDetails:
    media: Media
    capabilities: Capabilities
    duplicate: bool
    own_times: OwnTimes
    chapters: Sequence[Chapter] = ()
    audio_url: str | None = None


def get_media(session: Session, user: CurrentUser, media_id: UUID) -> MediaDetails:
    mine = MediaAlias.user_id == user.user_id
    winner = select(MediaAlias.media_id).where(MediaAlias.alias_id == media_id, mine).scalar_subquery()
    row = session.execute(
        select(Media, Episode.chapters)
        .outerjoin(Episode, Episode.media_id == Media.id)
        .where(Media.id == func.coalesce(winner, media_id), IS_READABLE),
        {"user_id": user.user_id},
    ).one_or_none()
    if row is None:
        raise NotFoundError("There is no such media in your library.")
    media, stored = row
    chapters = [_chapter(chapter) for chapter in stored or ()]
    own_times = OwnTimes(*session.execute(OWN_TIMES, {"media_id": media.id, "user_id": user.user_id}).one())
    capabilities = capabilities_of(media, has_fragments=media.current_version is not None)
    return MediaDetails(media, capabilities, media.id != media_id, own_times, chapters, media.audio_url)


def allowed_media(details: MediaDetails, allow: AllowList) -> MediaDetails:
    """Without addresses that the user's own machine must not request: a feed may name any."""
    audio = details.audio_url if details.audio_url and _may_request(details.audio_url, allow) else None
    capabilities = replace(details.capabilities, can_play=details.capabilities.can_play and audio is not None)
    chapters = [
        chapter if chapter.url is None or _may_request(chapter.url, allow) else replace(chapter, url=None)
        for chapter in details.chapters
    ]
    return replace(details, capabilities=capabilities, chapters=chapters, audio_url=audio)


def _may_request(url: str, allow: AllowList) -> bool:
    return may_request(url, max_length=MAX_URL_CHARS, allow=allow)


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
    """The parsers refuse the others already; one mistake there must not make a link that runs a script."""
    return url if url and url.startswith(("http://", "https://")) else None


def get_fragments(session: Session, user: CurrentUser, media_id: UUID) -> tuple[MediaDetails, Sequence[Fragment]]:
    details = get_media(session, user, media_id)
    if details.media.processing_status != "ready_for_reading":
        raise MediaNotReadyError("This is not ready for reading yet; its processing_status says how far it is.")
    media = details.media
    is_current = (Fragment.media_id == media.id, Fragment.version == media.current_version)
    return details, session.scalars(select(Fragment).where(*is_current).order_by(Fragment.idx)).all()
