"""Reads a feed from where it is now: a run and a dry run follow the same moves."""

from collections.abc import Callable
from dataclasses import replace

from nexus.errors import EgressError, NexusError, RunStoppedError
from nexus.podcasts.feed.fetch import FeedCache, FeedCopy, fetch_feed
from nexus.podcasts.feed.model import Feed
from nexus.podcasts.feed.parse import parse_feed
from nexus.podcasts.feed.state import FeedState
from nexus.podcasts.feed.urls import allowed_url
from nexus.podcasts.net.client import FeedClient
from nexus.text.process_pool import ProcessPool

MAX_MOVES_PER_RUN = 5  # addresses seen in one run


class FeedReader:
    """Notes in ``state`` where the feed moved, and writes nothing."""

    def __init__(
        self,
        client: FeedClient,
        pool: ProcessPool,
        cache: FeedCache,
        state: FeedState,
        *,
        on_problem: Callable[[NexusError, str], None] = lambda _error, _stage: None,
        on_move: Callable[[str, str], None] = lambda _to, _how: None,
    ) -> None:
        """``on_problem``: what went wrong, and at which stage, although the feed could be read. ``on_move``: where to,
        and how that was found out."""
        self._client = client
        self._pool = pool
        self._cache = cache
        self._state = state
        self._on_problem = on_problem
        self._on_move = on_move
        self._requested_url = state.url

    def fetch(self) -> FeedCopy:
        self._requested_url = self._state.url
        try:
            return fetch_feed(self._client, self._state.url, self._cache)
        except EgressError as error:
            if self._state.url == self._state.spec_url:
                raise
            # The new URL is gone; the feed may have moved back.
            self._on_problem(error, "feed")
            copy = fetch_feed(self._client, self._state.spec_url, self._cache)
            self._state.note_move(self._state.spec_url, "the new address failed")
            return copy

    def parse(self, copy: FeedCopy) -> tuple[FeedCopy, Feed]:
        """The feed, after following where it says it moved; a new URL counts once a feed was read from it."""
        feed = self._parse(copy)
        if copy.url != self._state.url:
            self._note_move(copy.url, "permanent redirect")
        seen = {copy.asked_url, copy.url, self._requested_url}
        while feed.new_feed_url and feed.new_feed_url not in seen and len(seen) <= MAX_MOVES_PER_RUN:
            seen.add(feed.new_feed_url)
            try:
                new_copy = fetch_feed(self._client, feed.new_feed_url, self._cache)
                new_feed = self._parse(new_copy)
            except RunStoppedError:
                raise
            except NexusError as error:
                self._on_problem(error, "moved feed")
                break
            self._note_move(feed.new_feed_url, "itunes:new-feed-url")
            copy, feed = new_copy, new_feed
        return copy, feed

    def _parse(self, copy: FeedCopy) -> Feed:
        feed = self._pool.run(parse_feed, copy.body, content_type=copy.content_type, url=copy.url)
        return replace(feed, image_url=allowed_url(feed.image_url, self._client.may_request))

    def _note_move(self, to: str, how: str) -> None:
        self._state.note_move(to, how)
        self._on_move(to, how)
