"""One feed of a run: read it, choose episodes, make each of them, and say how it went."""

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from nexus.errors import (
    EgressError,
    NexusError,
    PodcastConfigError,
    RunStoppedError,
)
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus.episode_files import all_there
from nexus.podcasts.corpus.incidents import Incidents
from nexus.podcasts.corpus.layout import Corpus
from nexus.podcasts.corpus.status import StatusFile
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.feed.addresses import allowed_address
from nexus.podcasts.feed.fetch import FeedCache, FeedCopy, fetch_feed
from nexus.podcasts.feed.identity import FeedEpisode, match, name_entries
from nexus.podcasts.feed.model import Feed
from nexus.podcasts.feed.parse import parse_feed
from nexus.podcasts.feed.select import oldest_first, select
from nexus.podcasts.feed.state import FeedState, Registry
from nexus.podcasts.library import FeedFacts, PodcastLibrary, Settled
from nexus.podcasts.net.client import FeedClient, FetchPolicy
from nexus.podcasts.run.episode import EpisodeProcessor, EpisodeResult
from nexus.podcasts.run.failures import as_failure
from nexus.podcasts.run.library_episode import episode_facts
from nexus.podcasts.run.reporter import FeedSummary, Reporter
from nexus.podcasts.transcribe.provider import Provider
from nexus.text.process_pool import TextPool

MAX_MOVES_PER_RUN = 5  # addresses seen in one run
# Keys that decide which episodes there are and what they become; a run with others looks at each again.
NOT_DECIDING = frozenset({
    "user_agent", "timeout", "delay_ms", "workers", "feed_workers", "rss_cache_dir", "rss_conditional_get",
    "keep_audio",
})  # fmt: skip


@dataclass(frozen=True)
class RunTools:
    """What all feeds of a run share."""

    corpus: Corpus
    policy: FetchPolicy
    pool: TextPool
    library: PodcastLibrary | None
    reporter: Reporter
    incidents: Incidents
    status: StatusFile
    run_id: str


class FeedRun:
    def __init__(self, tools: RunTools, config: PodcastConfig, state: FeedState, provider: Provider) -> None:
        self._tools = tools
        self._config = config
        self._state = state
        self._provider = provider
        self._folder = tools.corpus.feed(state.slug)
        self._client = FeedClient(tools.policy, config, state.spec_url)
        self._cache = FeedCache(self._cache_folder(), state.slug)
        self._counting = threading.Lock()
        self._pausing = threading.Lock()
        self._asked_first = state.url
        self._summary = FeedSummary(state.slug, state.url)

    def _cache_folder(self) -> Path:
        """An older version took any folder: one outside the corpus is not written to, and its feed still works."""
        wanted = self._config.rss_cache_dir
        found = self._tools.corpus.below(wanted) if wanted else None
        if wanted and found is None:
            message = f"rss_cache_dir {wanted!r} is not below the corpus; the feed's own cache folder is used."
            self._note(PodcastConfigError(message, key="rss_cache_dir"), "feed cache")
        return found or self._folder.cache

    def run(self, problem: NexusError | None = None) -> FeedSummary:
        """Nothing that goes wrong here reaches another feed; only a stop does. A ``problem`` is one known before."""
        state, tools = self._state, self._tools
        tools.reporter.event("feed_started", slug=state.slug, url=state.url)
        try:
            self._folder.prepare()
            _refuse(problem)
            self._registry = Registry(self._folder)
            copy = self._fetch()
            if not self._nothing_new(copy):
                copy, feed = self._parsed(copy)
                self._work(copy, feed)
            state.succeeded()
            state.episodes = len(self._registry.episodes)
            state.save(self._folder)
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad feed never stops the others
            self._failed(as_failure(error))
        self._summary.title, self._summary.url = state.title, state.url
        return self._summary

    # Reading the feed

    def _fetch(self) -> FeedCopy:
        self._tools.status.update(stage="feed")
        self._asked_first = self._state.url
        try:
            return fetch_feed(self._client, self._state.url, self._cache)
        except EgressError as error:
            if self._state.url == self._state.spec_url:
                raise
            # Where it moved to is gone; perhaps it moved back.
            self._note(error, "feed")
            copy = fetch_feed(self._client, self._state.spec_url, self._cache)
            self._state.moved(self._state.spec_url, "the new address failed")
            return copy

    def _parsed(self, copy: FeedCopy) -> tuple[FeedCopy, Feed]:
        """The feed, followed to where it says it moved; a new address counts once a feed was read from it."""
        feed = self._parse(copy)
        if copy.url != self._state.url:
            self._moved(copy.url, "permanent redirect")
        seen = {copy.asked_url, copy.url, self._asked_first}
        while feed.new_feed_url and feed.new_feed_url not in seen and len(seen) <= MAX_MOVES_PER_RUN:
            seen.add(feed.new_feed_url)
            try:
                new_copy = fetch_feed(self._client, feed.new_feed_url, self._cache)
                new_feed = self._parse(new_copy)
            except RunStoppedError:
                raise
            except NexusError as error:
                self._note(error, "moved feed")
                break
            self._moved(feed.new_feed_url, "itunes:new-feed-url")
            copy, feed = new_copy, new_feed
        self._cache.save(copy)
        self._state.heard(copy, feed)
        return copy, feed

    def _parse(self, copy: FeedCopy) -> Feed:
        feed = self._tools.pool.run(parse_feed, copy.body, content_type=copy.content_type, url=copy.url)
        return replace(feed, image_url=allowed_address(feed.image_url, self._client.may_request))

    def _moved(self, to: str, how: str) -> None:
        self._state.moved(to, how)
        self._summary.moved_to = to
        self._tools.reporter.event("feed_moved", slug=self._state.slug, to=to, how=how)

    # Its episodes

    def _nothing_new(self, copy: FeedCopy) -> bool:
        """The same bytes, the same configuration and everything in its place: no episode has to be looked at."""
        settled = self._state.settled
        if copy.url != self._state.url:
            return False  # it moved: that is something to write down
        if not settled or settled["sha256"] != copy.sha256 or settled["config"] != self._config_key():
            return False
        known = {each.number: each for each in self._registry.episodes}
        if not set(settled["numbers"]) <= set(known):
            return False
        if not all_there(self._folder, [known[number].stem for number in settled["numbers"]]):
            return False
        shelf = self._shelf()[1]
        if shelf is not None and not all(shelf.names & set(known[number].aliases) for number in settled["spoken"]):
            return False
        self._note_removed(shelf, [known[number] for number in settled["spoken"]])
        self._summary.selected = self._summary.counts["unchanged"] = len(settled["numbers"])
        return True

    def _work(self, copy: FeedCopy, feed: Feed) -> None:
        state, tools = self._state, self._tools
        state.settled = None
        episodes = self._chosen(feed)
        state.episodes = len(self._registry.episodes)
        state.save(self._folder)
        self._summary.selected = len(episodes)
        tools.status.add(episode_total=len(episodes))
        tools.reporter.event(
            "feed_read", slug=state.slug, title=state.title, episodes=len(feed.entries), selected=len(episodes)
        )
        podcast_id, shelf = self._shelf()
        spoken = self._all_episodes(episodes, podcast_id, shelf)
        failed = {failure["number"] for failure in self._summary.failures}
        self._folder.tidy_work({known.number for _, known in episodes} - failed)
        if not failed:
            numbers = [known.number for _, known in episodes]
            state.settled = {
                "sha256": copy.sha256, "config": self._config_key(),
                "numbers": sorted(numbers), "spoken": sorted(spoken),
            }  # fmt: skip

    def _chosen(self, feed: Feed) -> list[tuple[FeedEpisode, StoredEpisode]]:
        """In the order in which to work; newcomers get their numbers from old to new."""
        named = name_entries(feed.entries)
        known = {id(each): episode for each, episode in match(named, self._registry.episodes)}
        chosen = select(named, self._config)
        in_time = [(each, known[id(each)]) for each in oldest_first(chosen)]
        taken = {id(each): episode for each, episode in self._registry.take_in(in_time)}
        return [(each, taken[id(each)]) for each in chosen]

    def _shelf(self) -> tuple[UUID | None, Settled | None]:
        library, state = self._tools.library, self._state
        if library is None:
            return None, None
        others = tuple(url for url in (state.spec_url, *state.urls) if url != state.url)
        facts = FeedFacts(
            state.url, others, state.title, state.link, state.lang, state.image_url, state.etag, state.last_modified
        )
        podcast_id = library.save_feed(facts)
        return podcast_id, library.settled(podcast_id)

    def _all_episodes(
        self, episodes: list[tuple[FeedEpisode, StoredEpisode]], podcast_id: UUID | None, shelf: Settled | None
    ) -> list[int]:
        """The numbers of those that have a transcript."""
        spoken: list[int] = []
        waiting = iter(episodes)
        under_way: set[Future[int | None]] = set()
        with _ending_threads(self._config.workers) as threads:
            while True:
                for named, known in waiting:
                    under_way.add(threads.submit(self._episode, named, known, podcast_id, shelf))
                    if len(under_way) >= 2 * self._config.workers:
                        break
                if not under_way:
                    return spoken
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                spoken += [number for future in done if (number := future.result()) is not None]

    def _episode(
        self, named: FeedEpisode, known: StoredEpisode, podcast_id: UUID | None, shelf: Settled | None
    ) -> int | None:
        try:
            made = self._patiently(named, known)
            has_text = made.document["transcript"] is not None
            if podcast_id and shelf and has_text:
                if made.status != "unchanged" or not shelf.names & set(known.aliases):
                    self._into_library(podcast_id, made)
                self._note_removed(shelf, [known])
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad episode never stops the others
            self._episode_failed(named, known, as_failure(error))
            return None
        self._count(named, known, made.status)
        return known.number if has_text else None

    def _patiently(self, named: FeedEpisode, known: StoredEpisode) -> EpisodeResult:
        maker = EpisodeProcessor(
            client=self._client, config=self._config, pool=self._tools.pool, folder=self._folder, state=self._state,
            provider=self._provider, incidents=self._tools.incidents, run_id=self._tools.run_id,
            stage=lambda stage: self._stage(named, known, stage),
        )  # fmt: skip
        attempt = 0
        while True:
            self._client.stop.check()
            try:
                return maker.make(named, known)
            except EgressError as error:
                if not error.retryable or attempt >= self._config.episode_retry_max:
                    raise
            attempt += 1
            self._client.stop.sleep(self._config.episode_retry_delay_sec)

    def _stage(self, named: FeedEpisode, known: StoredEpisode, stage: str) -> None:
        if stage == "transcript" and self._config.delay_ms:
            with self._pausing:  # one episode after the other passes here
                self._client.stop.sleep(self._config.delay_ms / 1000)
        self._tools.status.update(stage=stage)
        self._tools.reporter.event(
            "episode_stage", slug=self._state.slug, number=known.number, title=named.entry.title, stage=stage
        )

    def _into_library(self, podcast_id: UUID, made: EpisodeResult) -> None:
        if self._tools.library is None:
            return
        facts = episode_facts(self._tools.pool, self._folder, made, pause_ms=self._config.paragraph_pause_ms)
        self._tools.library.save_episode(podcast_id, facts)

    # How it went

    def _note_removed(self, shelf: Settled | None, episodes: Iterable[StoredEpisode]) -> None:
        removed = sum(1 for known in episodes if shelf and shelf.removed & set(known.aliases))
        with self._counting:
            self._summary.removed += removed

    def _count(self, named: FeedEpisode, known: StoredEpisode, status: str, **why: str) -> None:
        with self._counting:
            self._summary.counts[status] += 1
        self._tools.status.add(episode_idx=1)
        self._tools.reporter.event(
            "episode_done", slug=self._state.slug, number=known.number, title=named.entry.title, status=status, **why
        )

    def _episode_failed(self, named: FeedEpisode, known: StoredEpisode, error: NexusError) -> None:
        about = {"number": known.number, "guid": known.guid, "title": named.entry.title}
        failure = about | {"code": error.code, "message": error.message}
        with self._counting:
            self._summary.failures.append(failure)
        reason = self._summary.reason(failure, episode=named.entry.title or known.guid)
        self._tools.status.failed("episodes_failed", reason)
        self._tools.incidents.add("episode", error, stage="episode", feed_url=self._state.url, episode=known.guid)
        self._count(named, known, "failed", code=error.code, message=error.message)

    def _failed(self, error: NexusError) -> None:
        state, tools = self._state, self._tools
        state.failed(error.code, error.message)
        self._summary.title, self._summary.url = state.title, state.url
        self._summary.error = {"code": error.code, "message": error.message}
        tools.status.failed("feeds_failed", self._summary.reason(self._summary.error))
        tools.incidents.add("feed", error, stage="feed", feed_url=state.url)
        if tools.library is not None:
            try:
                tools.library.feed_failed(state.url, state.urls, error.code, error.message)
            except SQLAlchemyError as database_error:
                self._note(as_failure(database_error), "library")
        try:
            state.save(self._folder)
        except OSError as disk_error:
            self._note(as_failure(disk_error), "feed.json")

    def _note(self, error: NexusError, stage: str) -> None:
        self._tools.incidents.add("feed", error, stage=stage, feed_url=self._state.url, lost=False)

    def _config_key(self) -> str:
        deciding = self._config.model_dump(mode="json", exclude=set(NOT_DECIDING))
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:32]


def _refuse(problem: NexusError | None) -> None:
    if problem is not None:
        raise problem


@contextmanager
def _ending_threads(workers: int) -> Iterator[ThreadPoolExecutor]:
    """When one of them is told to stop, those that wait for a turn never begin."""
    threads = ThreadPoolExecutor(workers)
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)
