"""Runs in the test process, against the loopback host."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from nexus.podcasts.config import for_feed, load_podcast_config
from nexus.podcasts.corpus.layout import Corpus, FeedFolder, feed_slug
from nexus.podcasts.feeds_spec import from_entries
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.net.pacing import StopFlag
from nexus.podcasts.run.plan import FeedPlan, plan_feeds
from nexus.podcasts.run.planned_feed import PlannedFeed
from nexus.podcasts.run.podcast_run import NetworkAccess, PodcastRun, Pools
from nexus.podcasts.run.reporter import FeedSummary, RunSummary
from nexus.podcasts.transcribe.openai import Endpoint
from nexus.web.egress import Egress
from nexus.web.public_address import AllowList

QUICK = {"http_backoff_factor": 0.01, "rss_backoff_factor": 0.01, "episode_retry_delay_sec": 0.01, "timeout": 60}


@dataclass
class RecordingReporter:
    events: list[dict[str, Any]] = field(default_factory=list)

    def report(self, event: str, **facts: Any) -> None:
        self.events.append({"event": event, **facts})


class SkippedPauses(StopFlag):
    """Notes each pause of a run instead of waiting: the pauses are what it decides, not how long a machine takes."""

    def __init__(self, note: Callable[[float], None]) -> None:
        super().__init__()
        self._note = note

    def sleep(self, seconds: float) -> None:
        self.check()
        self._note(seconds)


def _planned(feeds: Sequence[str | dict[str, Any]], config: dict[str, Any]) -> list[PlannedFeed]:
    entries = from_entries(list(feeds), name="the test").feeds
    flags: dict[str, Any] = {}
    base = load_podcast_config(json.dumps(QUICK | config), name="the test")
    return [PlannedFeed(entry.url, for_feed(base, entry, flags)) for entry in entries]


@dataclass
class PodcastRunner:
    """Runs on one corpus folder that may reach only the given hosts."""

    root: Path
    pools: Pools
    allow: tuple[str, ...] = ()
    library: PodcastLibrary | None = None
    endpoint: Endpoint = field(default_factory=lambda: Endpoint("https://api.openai.com/v1", None))
    reporter: RecordingReporter = field(default_factory=RecordingReporter)
    stop: StopFlag = field(default_factory=StopFlag)

    def run(self, *feeds: str | dict[str, Any], alone: bool = True, **config: Any) -> RunSummary:
        planned = _planned(feeds, config)
        run = PodcastRun(
            Corpus(self.root), run_id=f"run-{uuid4().hex[:8]}", network=NetworkAccess(self._open_egress, self.endpoint),
            pools=self.pools, library=self.library, reporter=self.reporter, stop=self.stop,
        )  # fmt: skip
        return run.run(planned, feed_workers=planned[0].config.feed_workers, alone=alone)

    def dry_run(self, feed: str, **config: Any) -> FeedPlan:
        with self._open_egress(()) as egress:
            (plan,) = plan_feeds(
                Corpus(self.root), _planned([feed], config), egress=egress, stop=self.stop, pool=self.pools.text
            )
        return plan

    def one(self, feed: str | dict[str, Any], **config: Any) -> FeedSummary:
        (summary,) = self.run(feed, **config).feeds
        return summary

    def _open_egress(self, exceptions: Sequence[str]) -> Egress:
        allow = AllowList.parse([*self.allow, *exceptions])
        return Egress(allow=allow, user_agent="the test", per_host=64)

    def folder(self, url: str) -> FeedFolder:
        return Corpus(self.root).feed(feed_slug(url))

    def metadata(self, url: str) -> list[dict[str, Any]]:
        paths = sorted(self.folder(url).metadata.glob("*.json"))
        return [json.loads(path.read_text()) for path in paths]

    def texts(self, url: str) -> list[str]:
        return [path.read_text() for path in sorted(self.folder(url).transcripts.glob("*.txt"))]

    def about(self, url: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.folder(url).about.read_text())
        return document

    def incidents(self) -> list[dict[str, Any]]:
        path = self.root / "corpus_incidents.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
