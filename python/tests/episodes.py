"""Podcast episodes in a user's library, saved by the function that podcast runs call."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text

from nexus.db.session import Database
from nexus.podcasts.library import EpisodeFacts, FeedFacts, PodcastLibrary
from nexus.services.lifecycle.episodes import EpisodeFragment, EpisodeMedia

Chapter = dict[str, Any]


def episode_media(**values: Any) -> EpisodeMedia:
    unknown: dict[str, Any] = dict.fromkeys(EpisodeMedia.__annotations__)
    return EpisodeMedia(**(unknown | {"title": "Pilot", "word_count": 1} | values))


def fragments_of(*texts: str) -> list[EpisodeFragment]:
    """Fragments of one second each, with a pause at the end."""
    return [EpisodeFragment(f"<p>{text}</p>", text, n * 1000, n * 1000 + 900) for n, text in enumerate(texts)]


def save_episode(
    database: Database,
    user_id: UUID,
    fragments: Sequence[EpisodeFragment],
    chapters: Sequence[Chapter] = (),
    **media: Any,
) -> UUID:
    """The episode of a feed that nobody else has; its media."""
    library, guid = PodcastLibrary(database, user_id), str(uuid4())
    feed = FeedFacts(f"https://show.example/{guid}", (), None, None, None, None, None, None)
    podcast_id = library.save_feed(feed)
    media_facts = episode_media(**media)
    library.save_episode(
        podcast_id, EpisodeFacts(guid, "guid", (guid,), None, chapters, "publisher", media_facts, fragments)
    )
    with database.transaction() as session:
        query = text("SELECT media_id FROM episodes WHERE podcast_id = :podcast_id")
        saved: UUID = session.execute(query, {"podcast_id": podcast_id}).scalar_one()
    return saved
