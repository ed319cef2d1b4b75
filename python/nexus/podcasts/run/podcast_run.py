"""A run over feeds: locks the corpus, runs each feed, and writes the manifest and the summary."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nexus.errors import NexusError, RunStoppedError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.corpus.files import write_json
from nexus.podcasts.corpus.incidents import Incidents
from nexus.podcasts.corpus.layout import Corpus
from nexus.podcasts.corpus.status import StatusFile, timestamp
from nexus.podcasts.feed.state import FeedState, load_states
from nexus.podcasts.feeds_spec import RejectedEntry
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.net.breaker import Breakers
from nexus.podcasts.net.client import FetchPolicy
from nexus.podcasts.net.pacing import HostPacing, StopFlag
from nexus.podcasts.run.failures import as_failure
from nexus.podcasts.run.feed_run import FeedRun, RunContext
from nexus.podcasts.run.kept_audio import RunStore
from nexus.podcasts.run.planned_feed import PlannedFeed, distinct_feeds
from nexus.podcasts.run.reporter import FeedSummary, Reporter, RunSummary, error_summary
from nexus.podcasts.transcribe.openai import Endpoint, OpenAiProvider
from nexus.podcasts.transcribe.provider import Provider
from nexus.podcasts.transcribe.whisper import WhisperProvider
from nexus.system.atomic_files import PRIVATE, remove_leftovers
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress

MAX_RUN_REPORTS = 200
MAX_FEED_LOCKS = 100  # a descriptor each
# 5 000 episodes take feedparser two seconds here; a hostile half megabyte would take forty.
TEXT_SECONDS = 30.0
AUDIO_SECONDS = 1800.0
MAX_AUDIO_MEMORY_BYTES = 2 << 30


@dataclass(frozen=True)
class Pools:
    """Child processes that parse untrusted bytes and can be killed; started when first needed."""

    text: ProcessPool
    audio: ProcessPool

    @classmethod
    @contextmanager
    def opened(cls) -> "Iterator[Pools]":
        with (
            ProcessPool(workers=os.cpu_count() or 1, deadline_seconds=TEXT_SECONDS) as text,
            ProcessPool(workers=1, deadline_seconds=AUDIO_SECONDS, memory_bytes=MAX_AUDIO_MEMORY_BYTES) as audio,
        ):
            yield cls(text, audio)


@dataclass(frozen=True)
class NetworkAccess:
    """``open_egress`` takes addresses that are allowed though private: those the operator configured."""

    open_egress: Callable[[Sequence[str]], Egress]
    transcription: Endpoint


class PodcastRun:
    def __init__(
        self,
        corpus: Corpus,
        *,
        run_id: str,
        network: NetworkAccess,
        pools: Pools,
        library: PodcastLibrary | None,
        reporter: Reporter,
        stop: StopFlag,
    ) -> None:
        self._corpus = corpus
        self._run_id = run_id
        self._network = network
        self._library = library
        self._store = RunStore(library.store) if library and library.store else None
        self._reporter = reporter
        self._stop = stop
        self._pools = pools
        self._summary = RunSummary(run_id)

    def run(
        self,
        feeds: Sequence[PlannedFeed],
        *,
        feed_workers: int,
        rejected: Sequence[RejectedEntry] = (),
        alone: bool = True,
    ) -> RunSummary:
        """``rejected`` are entries of the feeds spec without a usable URL: each is a failed feed.
        Unless ``alone``, other feeds of this corpus can be run at the same time."""
        total = len(feeds) + len(rejected)
        self._reporter.report("run_started", run_id=self._run_id, feeds=total, corpus=str(self._corpus.root))
        with ExitStack() as stack:
            stack.enter_context(self._lock(feeds, alone=alone or len(feeds) > MAX_FEED_LOCKS))
            own = self._corpus.run_status(self._run_id)
            status = stack.enter_context(StatusFile(self._corpus.status, own, self._run_id))
            status.update(feed_total=total)
            context = self._open_context(stack, status)
            providers = self._providers(stack, context, feeds)
            self._summary.feeds += [self._rejected(context, entry) for entry in rejected]
            self._all_feeds(context, providers, feeds, feed_workers)
            try:
                with self._corpus.writing():
                    self._write_manifest()
                    self._write_summary()
            except OSError as error:
                raise as_failure(error) from error
        self._reporter.report("run_done", **self._summary.document())
        return self._summary

    def _lock(self, feeds: Sequence[PlannedFeed], *, alone: bool) -> AbstractContextManager[None]:
        if alone:
            return self._corpus.locked()
        return self._corpus.feeds_locked(
            lambda: {state.slug for _, state in distinct_feeds(feeds, load_states(self._corpus))}
        )

    def _rejected(self, context: RunContext, entry: RejectedEntry) -> FeedSummary:
        summary = FeedSummary(entry.name, entry.name)
        summary.error = error_summary(entry.error)
        context.incidents.add("feed", entry.error, stage="feeds spec")
        context.status.failed("feeds_failed", summary.reason(summary.error))
        context.status.add(feed_idx=1)
        self._reporter.report("feed_started", slug=summary.slug, url=summary.url)
        self._reporter.report("feed_done", **asdict(summary))
        return summary

    def _all_feeds(
        self, context: RunContext, providers: "Providers", feeds: Sequence[PlannedFeed], feed_workers: int
    ) -> None:
        threads = ThreadPoolExecutor(feed_workers)
        try:
            planned = distinct_feeds(feeds, load_states(self._corpus))
            for summary in threads.map(lambda each: self._one_feed(context, providers, *each), planned):
                self._summary.feeds.append(summary)
        except RunStoppedError:
            self._summary.stopped = context.status.stopped = True
        finally:
            threads.shutdown(cancel_futures=True)

    def _one_feed(
        self, context: RunContext, providers: "Providers", feed: PlannedFeed, state: FeedState
    ) -> FeedSummary:
        self._stop.check()
        started = timestamp()
        try:
            summary = FeedRun(context, feed.config, state, providers.of(feed.config)).run(feed.problem)
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - a failing feed must not stop the others
            summary = _unexpected(context, state, as_failure(error))
        folder = context.corpus.feed(state.slug)
        document = asdict(summary) | {
            "schema_version": 1,
            "run_id": self._run_id,
            "started_at": started,
            "finished_at": timestamp(),
            "version": version("nexus"),
            "config": feed.config.model_dump(mode="json"),
        }
        try:
            (folder.runs / self._run_id).mkdir(parents=True, exist_ok=True)
            write_json(folder.runs / self._run_id / "run.json", document, mode=PRIVATE)
            _remove_old_runs(folder.runs)
        except OSError as error:
            context.incidents.add("feed", as_failure(error), stage="run.json", feed_url=state.url)
        context.status.add(feed_idx=1)
        self._reporter.report("feed_done", **asdict(summary))
        return summary

    def _open_context(self, stack: ExitStack, status: StatusFile) -> RunContext:
        policy = FetchPolicy(
            stack.enter_context(self._network.open_egress(())), HostPacing(self._stop), Breakers(), self._stop
        )
        incidents = Incidents(self._corpus.incidents, self._run_id)
        return RunContext(
            self._corpus, policy, self._pools.text, self._library, self._store, self._reporter, incidents, status,
            self._run_id,
        )  # fmt: skip

    def _providers(self, stack: ExitStack, context: RunContext, feeds: Sequence[PlannedFeed]) -> "Providers":
        """With an egress of their own: feeds must not reach the host the operator configured for transcription."""
        shared = context.policy
        egress = shared.egress
        if any(feed.config.transcribe_missing for feed in feeds):
            egress = stack.enter_context(self._network.open_egress((self._network.transcription.allowed_address(),)))
        policy = FetchPolicy(egress, shared.pacing, shared.breakers, shared.stop)
        return Providers(self._network.transcription, policy, self._pools.audio)

    def _write_manifest(self) -> None:
        """All feeds of the corpus, not only those of this run."""
        states = {state.slug: state for state in load_states(self._corpus).values()}
        feeds = [
            {
                "slug": state.slug,
                "url": state.url,
                "spec_url": state.spec_url,
                "title": state.title,
                "episodes": state.episodes,
                "moves": state.moves,
                "last_fetched_at": state.last_fetched_at,
                "last_succeeded_at": state.last_succeeded_at,
                "consecutive_failures": state.consecutive_failures,
                "last_error": state.last_error,
            }
            for _, state in sorted(states.items())
        ]
        document = {
            "schema_version": 1, "version": version("nexus"), "updated_at": timestamp(),
            "last_run_id": self._run_id, "feeds": feeds,
        }  # fmt: skip
        write_json(self._corpus.manifest, document, durable=True, mode=PRIVATE)

    def _write_summary(self) -> None:
        path = self._corpus.run_summary(self._run_id)
        path.parent.mkdir(exist_ok=True)
        remove_leftovers(path.parent)
        document = {"schema_version": 1, "version": version("nexus"), "finished_at": timestamp()}
        write_json(path, document | self._summary.document(), durable=True)
        _remove_old_runs(path.parent)


class Providers:
    """Transcription providers, one for each configuration of a model on this machine."""

    def __init__(self, endpoint: Endpoint, policy: FetchPolicy, pool: ProcessPool) -> None:
        self._endpoint = endpoint
        self._policy = policy
        self._pool = pool
        self._whisper_providers: dict[tuple[Any, ...], WhisperProvider] = {}

    def of(self, config: PodcastConfig) -> Provider:
        if config.transcription_provider == "openai":
            return OpenAiProvider(self._endpoint, config, self._policy, self._pool)
        key = (
            config.whisper_model, config.whisper_device, config.whisper_compute_type,
            config.whisper_local_files_only, config.transcription_max_seconds,
        )  # fmt: skip
        return self._whisper_providers.setdefault(key, WhisperProvider(config, self._pool))


def _unexpected(context: RunContext, state: FeedState, error: NexusError) -> FeedSummary:
    """For a feed whose failure could not be recorded by its own run."""
    summary = FeedSummary(state.slug, state.url, state.title)
    summary.error = error_summary(error)
    context.incidents.add("feed", error, stage="feed", feed_url=state.url)
    context.status.failed("feeds_failed", summary.reason(summary.error))
    return summary


def _remove_old_runs(runs: Path) -> None:
    """By age: the operator may choose the names."""
    found: list[tuple[float, Path]] = []
    for path in runs.iterdir():
        with suppress(OSError):  # removed meanwhile
            found.append((path.lstat().st_mtime, path))
    for _, path in sorted(found)[:-MAX_RUN_REPORTS]:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
