"""What a run tells whoever watches: the pipeline says it, the command line shows it."""

from dataclasses import dataclass, field
from typing import Any, Protocol

STATUSES = ("new", "updated", "unchanged", "no_transcript", "failed")


class Reporter(Protocol):
    def event(self, name: str, **facts: Any) -> None:
        """Called from many threads."""


@dataclass
class FeedSummary:
    slug: str
    url: str
    title: str | None = None
    selected: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STATUSES, 0))
    failures: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, str] | None = None  # why the feed itself could not be read
    moved_to: str | None = None
    removed: int = 0  # of those with a transcript: taken off the shelf by its owner, and left there

    @property
    def ok(self) -> bool:
        return self.error is None


@dataclass
class RunSummary:
    run_id: str
    feeds: list[FeedSummary] = field(default_factory=list)
    stopped: bool = False

    @property
    def every_feed_failed(self) -> bool:
        return bool(self.feeds) and not any(feed.ok for feed in self.feeds)
