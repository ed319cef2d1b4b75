"""Media that a user may read, under their own id or under that of a merged duplicate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast
from urllib.parse import quote
from uuid import UUID

from sqlalchemy import case, func, select, text
from sqlalchemy.orm import Session

from nexus.db.models import Episode, Fragment, Media, MediaAlias, MediaAudio, MediaVersion, StoredOriginal
from nexus.errors import MediaNotReadyError, NotFoundError
from nexus.services.access import IS_OWN_ENTRY, IS_VISIBLE_ORIGINAL, is_readable
from nexus.services.capabilities import Capabilities, Kind, Origin, Status, derive_capabilities
from nexus.services.users import CurrentUser
from nexus.text.picture_source import PICTURE_PROXY
from nexus.web.public_address import AllowList
from nexus.web.urls import host_of, may_request

MAX_URL_CHARS = 16_384
IS_READABLE = text(is_readable("media.id"))
HAS_VISIBLE_ORIGINAL = text(IS_VISIBLE_ORIGINAL)
# What differs between users. The times of a private media are its owner's own; an episode, which has no item, has
# those of the media.
# A version is as old as the reading in the receipt of the user whose save added it: for them the text did not change.
OWN_FACTS = text(f"""
    SELECT entry.created_at, greatest(entry.created_at, coalesce(own.updated_at, media.updated_at)) AS updated_at,
           coalesce(own.attempts, media.processing_attempts) AS processing_attempts, first.text_since,
           CASE WHEN current.version > 1 AND current.created_at > first.text_since THEN current.created_at END
               AS text_changed_at,
           (SELECT count(*) FROM media_versions WHERE media_versions.media_id = media.id) AS versions,
           entry.highlight_count, own.id AS item_id,
           EXISTS (
               SELECT FROM items JOIN items AS refetch ON refetch.fetch_again_of = items.id
               WHERE items.media_id = media.id AND items.user_id = :user_id
           ) AS fetching_again
    FROM media
    LEFT JOIN media_versions AS current ON current.media_id = media.id AND current.version = media.current_version
    CROSS JOIN LATERAL (
        SELECT min(library_media.created_at) AS created_at,
               coalesce(sum(library_media.highlight_count), 0)::integer AS highlight_count
        FROM library_media, libraries WHERE library_media.media_id = media.id AND {IS_OWN_ENTRY}
    ) AS entry
    LEFT JOIN LATERAL (
        SELECT id, updated_at, attempts FROM items WHERE items.media_id = media.id AND items.user_id = :user_id
        ORDER BY items.created_at DESC, items.id DESC LIMIT 1
    ) AS own ON true
    CROSS JOIN LATERAL (
        SELECT coalesce(min(finished_at) FILTER (WHERE result = 'success'), max(finished_at)) AS finished_at
        FROM items JOIN extraction_attempts ON extraction_attempts.item_id = items.id
        WHERE items.media_id = media.id AND items.user_id = :user_id
    ) AS receipt
    CROSS JOIN LATERAL (
        SELECT CASE WHEN media.owner_user_id IS NULL THEN coalesce(receipt.finished_at, entry.created_at)
                    ELSE coalesce(media.processing_completed_at, entry.created_at) END AS text_since
    ) AS first
    WHERE media.id = :media_id
""")  # noqa: S608 - our own constant


@dataclass(frozen=True)
class Chapter:
    start_ms: int
    end_ms: int | None
    title: str
    url: str | None
    image: str | None  # through the proxy, so that the publisher does not learn who listens


@dataclass(frozen=True)
class Audio:
    kept: bool
    url: str
    host: str | None


@dataclass(frozen=True)
class MediaDetails:
    """A media as one user sees it. Times, counts and attempts are theirs, and do not show when others saved it; only
    that its text changed while this user had it is shown, whoever had it fetched."""

    id: UUID
    kind: Kind
    title: str | None
    canonical_url: str | None
    byline: str | None
    site_name: str | None
    published_at: datetime | None
    lang: str | None
    excerpt: str | None
    word_count: int | None
    lead_image_url: str | None
    processing_status: Status
    failure_stage: str | None
    last_error_code: str | None
    version: int | None  # the current one
    capabilities: Capabilities
    duplicate: bool
    audio_url: str | None
    has_kept_audio: bool
    chapters: Sequence[Chapter]
    created_at: datetime
    updated_at: datetime
    processing_attempts: int
    text_since: datetime
    text_changed_at: datetime | None
    versions: int
    highlight_count: int
    item_id: UUID | None
    fetching_again: bool

    @property
    def audio(self) -> Audio | None:
        """Kept audio before the publisher's, who would learn who listens and when."""
        if self.has_kept_audio:
            return Audio(True, f"/media/{self.id}/audio", None)
        return Audio(False, self.audio_url, host_of(self.audio_url)) if self.audio_url else None

    def version_time(self, version: int, read_at: datetime) -> datetime:
        """The first text was there when the user's own page was read, whoever read it before."""
        return self.text_since if version == 1 else max(self.text_since, read_at)


def get_media(session: Session, user: CurrentUser, media_id: UUID) -> MediaDetails:
    mine = MediaAlias.user_id == user.user_id
    winner = select(MediaAlias.media_id).where(MediaAlias.alias_id == media_id, mine).scalar_subquery()
    row = session.execute(
        select(Media, MediaAudio.media_id, Episode.chapters)
        .outerjoin(MediaAudio, MediaAudio.media_id == Media.id)
        .outerjoin(Episode, Episode.media_id == Media.id)
        .where(Media.id == func.coalesce(winner, media_id), IS_READABLE),
        {"user_id": user.user_id},
    ).one_or_none()
    if row is None:
        raise NotFoundError("There is no such media in your library.")
    media, kept_audio, stored = row
    own_facts = session.execute(OWN_FACTS, {"media_id": media.id, "user_id": user.user_id}).one()._asdict()
    kind, status = cast("Kind", media.kind), cast("Status", media.processing_status)
    has_text, has_audio = media.current_version is not None, kept_audio is not None or media.audio_url is not None
    return MediaDetails(
        id=media.id,
        kind=kind,
        title=media.title,
        canonical_url=media.canonical_url,
        byline=media.byline,
        site_name=media.site_name,
        published_at=media.published_at,
        lang=media.lang,
        excerpt=media.excerpt,
        word_count=media.word_count,
        lead_image_url=media.lead_image_url,
        processing_status=status,
        failure_stage=media.failure_stage,
        last_error_code=media.last_error_code,
        version=media.current_version,
        capabilities=derive_capabilities(kind, status, has_text, has_audio),
        duplicate=media.id != media_id,
        audio_url=media.audio_url,
        has_kept_audio=kept_audio is not None,
        chapters=[_chapter(chapter) for chapter in stored or ()],
        **own_facts,
    )


def allowed_media(details: MediaDetails, allow: AllowList) -> MediaDetails:
    """Without addresses that the user's own machine must not request: a feed may name any."""
    audio = details.audio_url if details.audio_url and _may_request(details.audio_url, allow) else None
    has_audio = audio is not None or details.has_kept_audio
    capabilities = replace(details.capabilities, can_play=details.capabilities.can_play and has_audio)
    chapters = [
        chapter if chapter.url is None or _may_request(chapter.url, allow) else replace(chapter, url=None)
        for chapter in details.chapters
    ]
    return replace(details, capabilities=capabilities, chapters=chapters, audio_url=audio)


def _may_request(url: str, allow: AllowList) -> bool:
    return may_request(url, max_length=MAX_URL_CHARS, allow=allow)


def _chapter(stored: Mapping[str, Any]) -> Chapter:
    image = _web_url(stored["image"])
    return Chapter(
        start_ms=stored["start_ms"],
        end_ms=stored["end_ms"],
        title=stored["title"],
        url=_web_url(stored["url"]),
        image=PICTURE_PROXY + quote(image, safe="") if image else None,
    )


def _web_url(url: str | None) -> str | None:
    """The parsers refuse the others already; one mistake there must not make a link that runs a script."""
    return url if url and url.startswith(("http://", "https://")) else None


@dataclass(frozen=True)
class Version:
    version: int
    origin: Origin
    extractor: int | None
    title: str | None
    word_count: int | None
    created_at: datetime  # for this user
    is_current: bool
    original: str | None  # "kept", or why it was not; None: there is none for this user


@dataclass(frozen=True)
class FragmentDetails:
    id: UUID
    media_id: UUID
    idx: int
    html_sanitized: str
    canonical_text: str
    start_ms: int | None
    end_ms: int | None
    created_at: datetime  # when the text was there for this user


@dataclass(frozen=True)
class Text:
    """The fragments of one version."""

    media_id: UUID
    version: int
    since: datetime
    fragments: Sequence[FragmentDetails]


def list_versions(session: Session, user: CurrentUser, media_id: UUID) -> tuple[UUID, Sequence[Version]]:
    """The media and its versions, the newest first."""
    details = get_media(session, user, media_id)
    of_version = (StoredOriginal.media_id == MediaVersion.media_id) & (StoredOriginal.version == MediaVersion.version)
    # Waiting for the store or in it, it can be downloaded.
    original = case((HAS_VISIBLE_ORIGINAL, func.coalesce(StoredOriginal.missing, "kept")))
    found = session.execute(
        select(MediaVersion, original)
        .outerjoin(StoredOriginal, of_version)
        .where(MediaVersion.media_id == details.id)
        .order_by(MediaVersion.version.desc()),
        {"user_id": user.user_id},
    ).all()
    return details.id, [_version(row, original, details) for row, original in found]


def _version(row: MediaVersion, original: str | None, details: MediaDetails) -> Version:
    return Version(
        version=row.version,
        origin=cast("Origin", row.origin),
        extractor=row.extractor,
        title=row.title,
        word_count=row.word_count,
        created_at=details.version_time(row.version, row.created_at),
        is_current=row.version == details.version,
        original=original,
    )


def get_text(session: Session, user: CurrentUser, media_id: UUID, version: int | None = None) -> Text:
    """The text of the current version if none is given."""
    details = get_media(session, user, media_id)
    if details.processing_status != "ready_for_reading":
        raise MediaNotReadyError("This is not ready for reading yet; its processing_status says how far it is.")
    found = session.get(MediaVersion, (details.id, version or details.version))
    if found is None:
        raise NotFoundError("There is no such version of this text.")
    of_version = (Fragment.media_id == details.id, Fragment.version == found.version)
    rows = session.scalars(select(Fragment).where(*of_version).order_by(Fragment.idx))
    since = details.version_time(found.version, found.created_at)
    return Text(details.id, found.version, since, [_fragment(row, since) for row in rows])


def _fragment(row: Fragment, since: datetime) -> FragmentDetails:
    return FragmentDetails(
        id=row.id,
        media_id=row.media_id,
        idx=row.idx,
        html_sanitized=row.html_sanitized,
        canonical_text=row.canonical_text,
        start_ms=row.start_ms,
        end_ms=row.end_ms,
        created_at=since,
    )
