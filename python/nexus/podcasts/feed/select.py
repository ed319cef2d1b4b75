"""Selects episodes: by order, then dates, then offset, then maximum."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.feed.identity import FeedEpisode

NO_DATE = datetime.min.replace(tzinfo=UTC)


def select(episodes: Sequence[FeedEpisode], config: PodcastConfig) -> list[FeedEpisode]:
    ordered = oldest_first(episodes)
    if config.episode_order == "newest":
        ordered.reverse()
    dated = [each for each in ordered if _within(each, config)]
    end = None if config.max_episodes is None else config.episode_offset + config.max_episodes
    return dated[config.episode_offset : end]


def oldest_first(episodes: Iterable[FeedEpisode]) -> list[FeedEpisode]:
    """By date; an entry without one stays next to its neighbour in the document, which is sorted from new to old."""
    keyed = []
    date = NO_DATE
    for each in sorted(episodes, key=lambda one: -one.entry.position):
        date = each.entry.published_at or date
        keyed.append((date, each))
    keyed.sort(key=lambda pair: pair[0])
    return [each for _, each in keyed]


def _within(each: FeedEpisode, config: PodcastConfig) -> bool:
    if each.entry.published_at is None:
        return True  # leaving it out would lose it for good
    day = each.entry.published_at.date()
    too_early = config.episode_since is not None and day < config.episode_since
    too_late = config.episode_until is not None and day > config.episode_until
    return not too_early and not too_late
