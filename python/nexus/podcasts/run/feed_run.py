"""One feed of a run: fetches it, selects episodes, processes each of them, and reports the outcome."""

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from nexus.errors import (
    CircuitOpenError,
    EgressError,
    NexusError,
    PodcastConfigError,
    RunStoppedError,
)
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus.episode_files import all_complete
from nexus.podcasts.corpus.incidents import Incidents
from nexus.podcasts.corpus.layout import Corpus
from nexus.podcasts.corpus.status import StatusFile
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.feed.fetch import FeedCache, FeedCopy
from nexus.podcasts.feed.identity import FeedEpisode, identify_entries, match
from nexus.podcasts.feed.model import Feed
from nexus.podcasts.feed.select import oldest_first, select
from nexus.podcasts.feed.state import EpisodeIndex, FeedState
from nexus.podcasts.library import FeedFacts, LibraryAliases, PodcastLibrary
from nexus.podcasts.net.client import FeedClient, FetchPolicy, wait_before_retry
from nexus.podcasts.run.episode import EpisodeProcessor, EpisodeResult
from nexus.podcasts.run.failures import as_failure
from nexus.podcasts.run.feed_reader import FeedReader
from nexus.podcasts.run.kept_audio import AudioStorer, RunStore
from nexus.podcasts.run.library_episode import episode_facts
from nexus.podcasts.run.reporter import FeedSummary, Reporter
from nexus.podcasts.transcribe.provider import Provider
from nexus.text.process_pool import ProcessPool

# With another value of any other key, a run checks every episode again.
NOT_IN_CONFIG_DIGEST = frozenset({
    "user_agent", "timeout", "delay_ms", "workers", "feed_workers", "rss_cache_dir", "rss_conditional_get",
})  # fmt: skip


@dataclass(frozen=True)
class RunContext:
    """What all feeds of a run share."""

    corpus: Corpus
    policy: FetchPolicy
    pool: ProcessPool
    library: PodcastLibrary | None
    store: RunStore | None
    reporter: Reporter
    incidents: Incidents
    status: StatusFile
    run_id: str


class FeedRun:
    def __init__(self, context: RunContext, config: PodcastConfig, state: FeedState, provider: Provider) -> None:
        self._context = context
        self._config = config
        self._state = state
        self._provider = provider
        self._folder = context.corpus.feed(state.slug)
        self._client = FeedClient(context.policy, config, state.spec_url)
        self._cache = FeedCache(self._cache_folder(), state.slug)
        self._reader = FeedReader(
            self._client, context.pool, self._cache, state, on_problem=self._add_incident, on_move=self._note_move
        )
        self._audio = AudioStorer(config, self._folder, context.pool, context.library, context.store)
        self._summary_lock = threading.Lock()
        self._delay_lock = threading.Lock()
        self._summary = FeedSummary(state.slug, state.url)

    def _cache_folder(self) -> Path:
        """Older versions accepted any folder: one outside the corpus is replaced by the feed's own."""
        wanted = self._config.rss_cache_dir
        found = self._context.corpus.below(wanted) if wanted else None
        if wanted and found is None:
            message = f"rss_cache_dir {wanted!r} is not below the corpus; the feed's own cache folder is used."
            self._add_incident(PodcastConfigError(message, key="rss_cache_dir"), "feed cache")
        return found or self._folder.cache

    def run(self, problem: NexusError | None = None) -> FeedSummary:
        """Raises only RunStoppedError. A ``problem`` is a failure known in advance."""
        state, context = self._state, self._context
        context.reporter.report("feed_started", slug=state.slug, url=state.url)
        try:
            self._folder.prepare()
            _raise_if(problem)
            self._index = EpisodeIndex(self._folder)
            copy = self._fetch()
            if not self._is_unchanged(copy):
                copy, feed = self._parsed(copy)
                self._run_episodes(copy, feed)
            state.succeeded()
            state.episodes = len(self._index.episodes)
            state.save(self._folder)
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - a failing feed must not stop the others
            self._failed(as_failure(error))
        self._summary.title, self._summary.url = state.title, state.url
        return self._summary

    def _fetch(self) -> FeedCopy:
        self._context.status.update(stage="feed")
        return self._reader.fetch()

    def _parsed(self, copy: FeedCopy) -> tuple[FeedCopy, Feed]:
        copy, feed = self._reader.parse(copy)
        self._cache.save(copy)
        self._state.update_from(copy, feed)
        return copy, feed

    def _note_move(self, to: str, how: str) -> None:
        self._summary.moved_to = to
        self._context.reporter.report("feed_moved", slug=self._state.slug, to=to, how=how)

    def _is_unchanged(self, copy: FeedCopy) -> bool:
        """The same bytes, the same configuration and all files present: no episode has to be checked."""
        settled = self._state.settled
        if copy.url != self._state.url:
            return False  # it moved, which has to be saved
        if not settled or settled["sha256"] != copy.sha256 or settled["config"] != self._config_digest():
            return False
        stored = {each.number: each for each in self._index.episodes}
        if not set(settled["numbers"]) <= set(stored):
            return False
        if not all_complete(self._folder, [stored[number].stem for number in settled["numbers"]]):
            return False
        with_transcript = [stored[number] for number in settled["spoken"]]
        aliases = self._save_feed()[1]
        if aliases is not None and not all(aliases.handled & set(each.aliases) for each in with_transcript):
            return False
        self._count_removed(aliases, with_transcript)
        self._summary.selected = self._summary.counts["unchanged"] = len(settled["numbers"])
        return True

    def _run_episodes(self, copy: FeedCopy, feed: Feed) -> None:
        state, context = self._state, self._context
        state.settled = None
        episodes = self._select(feed)
        state.episodes = len(self._index.episodes)
        state.save(self._folder)
        self._summary.selected = len(episodes)
        context.status.add(episode_total=len(episodes))
        context.reporter.report(
            "feed_read", slug=state.slug, title=state.title, episodes=len(feed.entries), selected=len(episodes)
        )
        podcast_id, aliases = self._save_feed()
        with_transcript = self._all_episodes(episodes, podcast_id, aliases)
        failed = {failure["number"] for failure in self._summary.failures}
        self._folder.tidy_work({stored.number for _, stored in episodes} - failed)
        if not failed and not self._summary.audio_waiting:
            numbers = [stored.number for _, stored in episodes]
            state.settled = {
                "sha256": copy.sha256, "config": self._config_digest(),
                "numbers": sorted(numbers), "spoken": sorted(with_transcript),
            }  # fmt: skip

    def _select(self, feed: Feed) -> list[tuple[FeedEpisode, StoredEpisode]]:
        """In processing order; new episodes are numbered from old to new."""
        episodes = identify_entries(feed.entries)
        found = {id(episode): stored for episode, stored in match(episodes, self._index.episodes)}
        selected = select(episodes, self._config)
        by_age = [(episode, found[id(episode)]) for episode in oldest_first(selected)]
        registered = {id(episode): stored for episode, stored in self._index.register(by_age)}
        return [(episode, registered[id(episode)]) for episode in selected]

    def _save_feed(self) -> tuple[UUID | None, LibraryAliases | None]:
        """Its id in the library, and the episodes that need not be added; None without a library."""
        library, state = self._context.library, self._state
        if library is None:
            return None, None
        other_urls = tuple(url for url in (state.spec_url, *state.urls) if url != state.url)
        facts = FeedFacts(
            state.url, other_urls, state.title, state.link, state.lang, state.image_url, state.etag, state.last_modified
        )
        podcast_id = library.save_feed(facts)
        return podcast_id, library.aliases(podcast_id)

    def _all_episodes(
        self, episodes: list[tuple[FeedEpisode, StoredEpisode]], podcast_id: UUID | None, aliases: LibraryAliases | None
    ) -> list[int]:
        """The numbers of the episodes that have a transcript."""
        with_transcript: list[int] = []
        waiting = iter(episodes)
        in_progress: set[Future[int | None]] = set()
        with _thread_pool(self._config.workers) as threads:
            while True:
                for episode, stored in waiting:
                    in_progress.add(threads.submit(self._episode, episode, stored, podcast_id, aliases))
                    if len(in_progress) >= 2 * self._config.workers:
                        break
                if not in_progress:
                    return with_transcript
                done, in_progress = wait(in_progress, return_when=FIRST_COMPLETED)
                with_transcript += [number for future in done if (number := future.result()) is not None]

    def _episode(
        self, episode: FeedEpisode, stored: StoredEpisode, podcast_id: UUID | None, aliases: LibraryAliases | None
    ) -> int | None:
        try:
            result = self._process_with_retries(episode, stored, podcast_id)
            has_text = result.document["transcript"] is not None
            if podcast_id and aliases and has_text:
                if result.status != "unchanged" or not aliases.handled & set(stored.aliases):
                    self._save_to_library(podcast_id, result)
                self._count_removed(aliases, [stored])
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - a failing episode must not stop the others
            self._episode_failed(episode, stored, as_failure(error))
            return None
        self._keep_audio(episode, stored, result, podcast_id)
        self._finish_episode(episode, stored, result.status)
        return stored.number if has_text else None

    def _process_with_retries(
        self, episode: FeedEpisode, stored: StoredEpisode, podcast_id: UUID | None
    ) -> EpisodeResult:
        client = self._new_client()
        processor = EpisodeProcessor(
            client=client, config=self._config, pool=self._context.pool, folder=self._folder, state=self._state,
            provider=self._provider, incidents=self._context.incidents, run_id=self._context.run_id,
            stage=lambda stage: self._stage(episode, stored, stage),
            restore_audio=lambda path: self._audio.restore(podcast_id, stored, path),
        )  # fmt: skip
        delay = self._config.episode_retry_delay_sec
        attempt = 0
        while True:
            client.stop.check()
            try:
                return processor.process(episode, stored)
            except EgressError as error:
                # Waiting until an open circuit closes would hold up the other episodes.
                pause = delay if isinstance(error, CircuitOpenError) else wait_before_retry(error, delay)
                if pause is None or attempt >= self._config.episode_retry_max:
                    raise
            attempt += 1
            client.stop.sleep(pause)

    def _new_client(self) -> FeedClient:
        """One for each episode, since it counts the retries."""
        return FeedClient(self._context.policy, self._config, self._state.spec_url)

    def _keep_audio(
        self, episode: FeedEpisode, stored: StoredEpisode, result: EpisodeResult, podcast_id: UUID | None
    ) -> None:
        """After the text: a store that is full or cannot be reached takes nothing from it."""

        def client() -> FeedClient:
            self._stage(episode, stored, "audio")
            return self._new_client()

        try:
            is_new = self._audio.keep(podcast_id, stored, result.document, episode.entry.enclosure_url, client)
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - the episode itself is done
            self._audio_waits(episode, stored, as_failure(error))
            return
        with self._summary_lock:
            self._summary.audio_kept += is_new

    def _audio_waits(self, episode: FeedEpisode, stored: StoredEpisode, error: NexusError) -> None:
        about = {"number": stored.number, "guid": stored.guid, "title": episode.entry.title}
        with self._summary_lock:
            self._summary.audio_waiting.append(about | {"code": error.code, "message": error.message})
        self._context.incidents.add(
            "episode", error, stage="audio", feed_url=self._state.url, episode=stored.guid, lost=False
        )

    def _stage(self, episode: FeedEpisode, stored: StoredEpisode, stage: str) -> None:
        if stage == "transcript" and self._config.delay_ms:
            with self._delay_lock:  # one episode at a time
                self._client.stop.sleep(self._config.delay_ms / 1000)
        self._context.status.update(stage=stage)
        self._context.reporter.report(
            "episode_stage", slug=self._state.slug, number=stored.number, title=episode.entry.title, stage=stage
        )

    def _save_to_library(self, podcast_id: UUID, result: EpisodeResult) -> None:
        library = self._context.library
        if library is None:
            return
        pause_ms = self._config.paragraph_pause_ms
        facts = episode_facts(
            self._context.pool, self._folder, result, pause_ms=pause_ms, max_original=library.max_original
        )
        library.save_episode(podcast_id, facts)

    def _count_removed(self, aliases: LibraryAliases | None, episodes: Iterable[StoredEpisode]) -> None:
        removed = sum(1 for stored in episodes if aliases and aliases.removed & set(stored.aliases))
        with self._summary_lock:
            self._summary.removed += removed

    def _finish_episode(self, episode: FeedEpisode, stored: StoredEpisode, status: str, **why: str) -> None:
        with self._summary_lock:
            self._summary.counts[status] += 1
        self._context.status.add(episode_idx=1)
        self._context.reporter.report(
            "episode_done", slug=self._state.slug, number=stored.number, title=episode.entry.title, status=status, **why
        )

    def _episode_failed(self, episode: FeedEpisode, stored: StoredEpisode, error: NexusError) -> None:
        about = {"number": stored.number, "guid": stored.guid, "title": episode.entry.title}
        failure = about | {"code": error.code, "message": error.message}
        with self._summary_lock:
            self._summary.failures.append(failure)
        reason = self._summary.reason(failure, episode=episode.entry.title or stored.guid)
        self._context.status.failed("episodes_failed", reason)
        self._context.incidents.add("episode", error, stage="episode", feed_url=self._state.url, episode=stored.guid)
        self._finish_episode(episode, stored, "failed", code=error.code, message=error.message)

    def _failed(self, error: NexusError) -> None:
        state, context = self._state, self._context
        state.failed(error.code, error.message)
        self._summary.title, self._summary.url = state.title, state.url
        self._summary.error = {"code": error.code, "message": error.message}
        context.status.failed("feeds_failed", self._summary.reason(self._summary.error))
        context.incidents.add("feed", error, stage="feed", feed_url=state.url)
        if context.library is not None:
            try:
                context.library.feed_failed(state.url, state.urls, error.code, error.message)
            except SQLAlchemyError as database_error:
                self._add_incident(as_failure(database_error), "library")
        try:
            state.save(self._folder)
        except OSError as disk_error:
            self._add_incident(as_failure(disk_error), "feed.json")

    def _add_incident(self, error: NexusError, stage: str) -> None:
        self._context.incidents.add("feed", error, stage=stage, feed_url=self._state.url, lost=False)

    def _config_digest(self) -> str:
        included = self._config.model_dump(mode="json", exclude=set(NOT_IN_CONFIG_DIGEST))
        return hashlib.sha256(json.dumps(included, sort_keys=True).encode()).hexdigest()[:32]


def _raise_if(problem: NexusError | None) -> None:
    if problem is not None:
        raise problem


@contextmanager
def _thread_pool(workers: int) -> Iterator[ThreadPoolExecutor]:
    """On an error, calls that have not started never do."""
    threads = ThreadPoolExecutor(workers)
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)
