"""Podcast episodes: written as readable media by a podcast run, without an item in the queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.capabilities import Origin
from nexus.text.readings.extractor_version import EXTRACTOR

INSERT_MEDIA = text("""
    INSERT INTO media (id, kind, created_by_user_id, declared_url, title, byline, site_name, lang, published_at,
                       excerpt, word_count, lead_image_url, audio_url, processing_status, processing_completed_at,
                       current_version)
    VALUES (:media_id, 'podcast_episode', :user_id, :link, :title, :byline, :site_name, :lang, :published_at,
            :excerpt, :word_count, :lead_image_url, :audio_url, 'ready_for_reading', now(), 1)
""")
ADD_VERSION = text("""
    INSERT INTO media_versions (media_id, version, origin, title, word_count)
    VALUES (:media_id, 1, :origin, :title, :word_count)
""")
ADD_REREAD = text("""
    INSERT INTO media_versions (media_id, version, origin, extractor, title, word_count)
    SELECT id, :version, 'reread', :extractor, title, :word_count FROM media WHERE id = :media_id
""")
SHOW_VERSION = text("UPDATE media SET current_version = :version, word_count = :word_count WHERE id = :media_id")
# What a publisher may correct later. The text stays, because highlights are offsets into it.
UPDATE_MEDIA = text("""
    UPDATE media SET title = :title, byline = :byline, site_name = :site_name, published_at = :published_at,
           lead_image_url = :lead_image_url, audio_url = :audio_url, declared_url = :link
    WHERE id = :media_id
      AND (title, byline, site_name, published_at, lead_image_url, audio_url, declared_url)
          IS DISTINCT FROM (:title, :byline, :site_name, CAST(:published_at AS timestamptz), :lead_image_url,
                            :audio_url, :link)
""")
INSERT_FRAGMENTS = text("""
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text, start_ms, end_ms)
    SELECT :media_id, :version, idx - 1, html, words, start_ms, end_ms
    FROM unnest(CAST(:htmls AS text[]), CAST(:texts AS text[]), CAST(:starts AS bigint[]), CAST(:ends AS bigint[]))
         WITH ORDINALITY AS given (html, words, start_ms, end_ms, idx)
""")


@dataclass(frozen=True)
class EpisodeFragment:
    html_sanitized: str
    canonical_text: str
    start_ms: int | None = None
    end_ms: int | None = None


@dataclass(frozen=True)
class EpisodeMedia:
    title: str | None
    byline: str | None
    site_name: str | None
    lang: str | None
    published_at: datetime | None
    excerpt: str | None
    word_count: int
    lead_image_url: str | None
    audio_url: str | None
    link: str | None


def add_episode(
    session: Session,
    user_id: UUID,
    about: EpisodeMedia,
    fragments: Sequence[EpisodeFragment],
    *,
    is_publishers: bool,
) -> UUID:
    """`is_publishers`: the transcript was fetched from the publisher; else it was made from the audio."""
    media_id = uuid4()
    session.execute(INSERT_MEDIA, {**vars(about), "media_id": media_id, "user_id": user_id})
    origin: Origin = "fetched" if is_publishers else "transcribed"
    session.execute(ADD_VERSION, {**vars(about), "media_id": media_id, "origin": origin})
    _add_fragments(session, media_id, 1, fragments)
    return media_id


def reread_episode(
    session: Session, media_id: UUID, version: int, fragments: Sequence[EpisodeFragment], word_count: int
) -> None:
    """Add the next version, read from the same transcript. The media has to be locked."""
    values = {"media_id": media_id, "version": version, "word_count": word_count, "extractor": EXTRACTOR}
    session.execute(ADD_REREAD, values)
    _add_fragments(session, media_id, version, fragments)
    session.execute(SHOW_VERSION, values)


def _add_fragments(session: Session, media_id: UUID, version: int, fragments: Sequence[EpisodeFragment]) -> None:
    values = {
        "media_id": media_id,
        "version": version,
        "htmls": [fragment.html_sanitized for fragment in fragments],
        "texts": [fragment.canonical_text for fragment in fragments],
        "starts": [fragment.start_ms for fragment in fragments],
        "ends": [fragment.end_ms for fragment in fragments],
    }
    session.execute(INSERT_FRAGMENTS, values)


def correct_episode(session: Session, media_id: UUID, about: EpisodeMedia) -> None:
    session.execute(UPDATE_MEDIA, {**vars(about), "media_id": media_id})
