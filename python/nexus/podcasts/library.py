"""Saves episodes to the library: each once and in its own transaction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.db.text_key import text_key
from nexus.podcasts.corpus.stored_episode import GuidSource
from nexus.services.access import IS_OWN_ENTRY
from nexus.services.audio import keep_audio
from nexus.services.lifecycle.episodes import EpisodeFragment, EpisodeMedia, add_episode, correct_episode
from nexus.services.originals.pending_originals import NewOriginal, add_originals
from nexus.services.users import ensure_user
from nexus.store import Blob, BlobStore
from nexus.text.originals.original_file import Original

FIND_PODCAST = text("""
    SELECT id, feed_url FROM podcasts
    WHERE text_key(feed_url) = ANY(:keys) OR moved_from && CAST(:urls AS text[])
    ORDER BY created_at LIMIT 1 FOR UPDATE
""")
ADD_PODCAST = text("""
    INSERT INTO podcasts (feed_url) VALUES (:url) ON CONFLICT (text_key(feed_url)) DO UPDATE SET feed_url = :url
    RETURNING id
""")
SAVE_PODCAST = text("""
    UPDATE podcasts SET feed_url = :url, moved_from = CAST(:moved_from AS text[]), title = :title, site_url = :site_url,
           lang = :lang, image_url = :image_url, etag = :etag, last_modified = :last_modified,
           last_fetched_at = now(), last_succeeded_at = now(), last_error_code = NULL, last_error_message = NULL,
           consecutive_failures = 0
    WHERE id = :podcast_id
""")
FAIL_PODCAST = text("""
    UPDATE podcasts SET last_fetched_at = now(), last_error_code = :code, last_error_message = :message,
           consecutive_failures = consecutive_failures + 1
    WHERE id = :podcast_id
""")
ALIASES = text("""
    SELECT episode_aliases.alias, removed.user_id IS NOT NULL AS is_removed FROM episodes
    JOIN episode_aliases ON episode_aliases.episode_id = episodes.id
    LEFT JOIN library_media AS entry ON entry.media_id = episodes.media_id AND entry.library_id = :library_id
    LEFT JOIN episode_removals AS removed ON removed.episode_id = episodes.id AND removed.user_id = :user_id
    WHERE episodes.podcast_id = :podcast_id AND (entry.media_id IS NOT NULL OR removed.user_id IS NOT NULL)
""")
EPISODE_AUDIO = text(f"""
    SELECT library_media.media_id, media_audio.sha256 FROM episode_aliases AS named
    JOIN episodes ON episodes.id = named.episode_id
    JOIN library_media ON library_media.media_id = episodes.media_id
    JOIN libraries ON {IS_OWN_ENTRY}
    LEFT JOIN media_audio ON media_audio.media_id = library_media.media_id
    WHERE named.podcast_id = :podcast_id AND named.alias_sha256 = ANY(:aliases) LIMIT 1
""")  # noqa: S608 - our own constant
IS_REMOVED = text("""
    SELECT EXISTS (SELECT FROM episode_removals WHERE episode_id = :episode_id AND user_id = :user_id)
""")
DELETE_REMOVALS = text("""
    DELETE FROM episode_removals USING episodes
    WHERE episodes.id = episode_id AND podcast_id = :podcast_id AND user_id = :user_id
""")
# When two runs save the same episode, the second waits here and then finds the episode of the first.
LOCK_PODCAST = text("SELECT pg_advisory_xact_lock(hashtextextended(CAST(:podcast_id AS text), 6))")
FIND_EPISODE = text("""
    SELECT episodes.id, episodes.media_id FROM episodes
    WHERE podcast_id = :podcast_id
      AND (text_key(guid) = :guid_key OR id IN (
            SELECT episode_id FROM episode_aliases WHERE podcast_id = :podcast_id AND alias_sha256 = ANY(:aliases)))
    ORDER BY (text_key(guid) = :guid_key) DESC, created_at LIMIT 1 FOR UPDATE
""")
ADD_EPISODE = text("""
    INSERT INTO episodes (podcast_id, guid, guid_source, title) VALUES (:podcast_id, :guid, :guid_source, :title)
    RETURNING id
""")
SAVE_EPISODE = text("""
    UPDATE episodes SET media_id = :media_id, title = :title, link = :link, enclosure_url = :audio_url,
           published_at = :published_at, duration_ms = :duration_ms, chapters = CAST(:chapters AS jsonb),
           transcript_source = :transcript_source
    WHERE id = :episode_id
      AND (media_id, title, link, enclosure_url, published_at, duration_ms, chapters, transcript_source)
          IS DISTINCT FROM (CAST(:media_id AS uuid), :title, :link, :audio_url, CAST(:published_at AS timestamptz),
                            CAST(:duration_ms AS bigint), CAST(:chapters AS jsonb), :transcript_source)
""")
ADD_ALIASES = text("""
    INSERT INTO episode_aliases (podcast_id, alias_sha256, alias, episode_id)
    SELECT :podcast_id, text_key(alias), alias, :episode_id FROM unnest(CAST(:aliases AS text[])) AS alias
    ON CONFLICT DO NOTHING
""")
ADD_ENTRY = text("""
    INSERT INTO library_media (library_id, media_id) VALUES (:library_id, :media_id) ON CONFLICT DO NOTHING
""")


@dataclass(frozen=True)
class FeedFacts:
    url: str
    other_urls: tuple[str, ...]
    title: str | None
    site_url: str | None
    lang: str | None
    image_url: str | None
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True)
class EpisodeFacts:
    guid: str
    guid_source: GuidSource
    aliases: tuple[str, ...]
    duration_ms: int | None
    chapters: Sequence[dict[str, Any]]
    transcript_source: str
    media: EpisodeMedia
    fragments: Sequence[EpisodeFragment]
    original: Original | None = None


@dataclass(frozen=True)
class LibraryAliases:
    """Aliases of the episodes that are not to be added."""

    handled: frozenset[str]  # in the library, or removed from it
    removed: frozenset[str]


@dataclass(frozen=True)
class EpisodeAudio:
    media_id: UUID
    sha256: bytes | None  # of what is kept


class PodcastLibrary:
    """The default library of one user. Episodes the user removed are not added again, unless ``restore_removed``."""

    def __init__(
        self,
        database: Database,
        user_id: UUID,
        *,
        restore_removed: bool = False,
        max_original: int = 0,
        store: BlobStore | None = None,
    ) -> None:
        self.store = store  # for audio; None: it stays in the corpus
        self.max_original = max_original  # the size up to which a transcript is kept as it came
        self._database = database
        self._user_id = user_id
        self._restore_removed = restore_removed

    def save_feed(self, facts: FeedFacts) -> UUID:
        with self._database.transaction() as session:
            podcast_id = self._find_or_add(session, facts.url, facts.other_urls)
            moved_from = [url for url in dict.fromkeys(facts.other_urls) if url != facts.url]
            session.execute(
                SAVE_PODCAST,
                {
                    "podcast_id": podcast_id, "moved_from": moved_from, "url": facts.url, "title": facts.title,
                    "site_url": facts.site_url, "lang": facts.lang, "image_url": facts.image_url,
                    "etag": facts.etag, "last_modified": facts.last_modified,
                },
            )  # fmt: skip
            if self._restore_removed:
                session.execute(DELETE_REMOVALS, {"podcast_id": podcast_id, "user_id": self._user_id})
            return podcast_id

    def feed_failed(self, url: str, other_urls: Sequence[str], code: str, message: str) -> None:
        with self._database.transaction() as session:
            podcast_id = self._find_or_add(session, url, other_urls)
            session.execute(FAIL_PODCAST, {"podcast_id": podcast_id, "code": code, "message": message[:1000]})

    def aliases(self, podcast_id: UUID) -> LibraryAliases:
        with self._database.transaction() as session:
            library_id = ensure_user(session, self._user_id)
            values = {"podcast_id": podcast_id, "library_id": library_id, "user_id": self._user_id}
            rows = session.execute(ALIASES, values).all()
        return LibraryAliases(
            frozenset(row.alias for row in rows), frozenset(row.alias for row in rows if row.is_removed)
        )

    def save_episode(self, podcast_id: UUID, facts: EpisodeFacts) -> None:
        with self._database.transaction() as session:
            library_id = ensure_user(session, self._user_id)
            session.execute(LOCK_PODCAST, {"podcast_id": podcast_id})
            episode_id, media_id = self._find_or_add_episode(session, podcast_id, facts)
            is_removed = session.scalar(IS_REMOVED, {"episode_id": episode_id, "user_id": self._user_id})
            if media_id is not None:
                correct_episode(session, media_id, facts.media)
            elif not is_removed:
                is_publishers = facts.transcript_source == "publisher"
                media_id = add_episode(
                    session, self._user_id, facts.media, facts.fragments, is_publishers=is_publishers
                )
                if facts.original:
                    given = NewOriginal(media_id, 1, facts.original, self._user_id, is_direct=True)
                    add_originals(session, [given])
            values = {
                "episode_id": episode_id, "media_id": media_id, "podcast_id": podcast_id, "library_id": library_id,
                "title": facts.media.title, "link": facts.media.link, "audio_url": facts.media.audio_url,
                "published_at": facts.media.published_at, "duration_ms": facts.duration_ms,
                "chapters": json.dumps(list(facts.chapters)), "transcript_source": facts.transcript_source,
                "aliases": list(facts.aliases),
            }  # fmt: skip
            session.execute(SAVE_EPISODE, values)
            session.execute(ADD_ALIASES, values)
            if not is_removed:
                session.execute(ADD_ENTRY, values)

    def episode_audio(self, podcast_id: UUID, aliases: Sequence[str]) -> EpisodeAudio | None:
        """None where the user does not have the episode."""
        values = {"podcast_id": podcast_id, "aliases": [text_key(alias) for alias in aliases], "user_id": self._user_id}
        with self._database.transaction() as session:
            row = session.execute(EPISODE_AUDIO, values).one_or_none()
        return EpisodeAudio(*row) if row else None

    def keep_audio(self, media_id: UUID, blob: Blob, content_type: str) -> None:
        with self._database.transaction() as session:
            keep_audio(session, media_id, blob, content_type)

    def _find_or_add(self, session: Session, url: str, other_urls: Sequence[str]) -> UUID:
        urls = list(dict.fromkeys((url, *other_urls)))
        found = session.execute(FIND_PODCAST, {"keys": [text_key(each) for each in urls], "urls": urls}).one_or_none()
        if found is not None:
            podcast_id: UUID = found.id
            return podcast_id
        added: UUID = session.execute(ADD_PODCAST, {"url": url}).scalar_one()
        return added

    def _find_or_add_episode(self, session: Session, podcast_id: UUID, facts: EpisodeFacts) -> tuple[UUID, UUID | None]:
        values = {
            "podcast_id": podcast_id,
            "guid_key": text_key(facts.guid),
            "aliases": [text_key(alias) for alias in facts.aliases],
        }
        found = session.execute(FIND_EPISODE, values).one_or_none()
        if found is not None:
            return found.id, found.media_id
        new = {
            "podcast_id": podcast_id,
            "guid": facts.guid,
            "guid_source": facts.guid_source,
            "title": facts.media.title,
        }
        return session.execute(ADD_EPISODE, new).scalar_one(), None


def parse_datetime(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None
