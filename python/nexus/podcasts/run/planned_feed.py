"""A feed with the configuration it is run with."""

from collections.abc import Sequence
from dataclasses import dataclass

from nexus.errors import NexusError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.feed.state import FeedState, state_for


@dataclass(frozen=True)
class PlannedFeed:
    """A feed with a ``problem`` is not fetched: it has failed for that reason."""

    url: str
    config: PodcastConfig
    problem: NexusError | None = None


def distinct_feeds(feeds: Sequence[PlannedFeed], states: dict[str, FeedState]) -> list[tuple[PlannedFeed, FeedState]]:
    """Each feed once, even if the spec lists its old and its new URL; entries without a problem first."""
    found: dict[str, tuple[PlannedFeed, FeedState]] = {}
    for feed in sorted(feeds, key=lambda each: each.problem is not None):
        state = state_for(feed.url, states)
        found.setdefault(state.slug, (feed, state))
    return list(found.values())
