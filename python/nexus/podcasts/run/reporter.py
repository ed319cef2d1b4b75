"""What a run reports: its events, and the summaries of its feeds."""

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from nexus.errors import NexusError
from nexus.errors.url_secrets import hide_url_secrets
from nexus.logging import redact

STATUSES = ("new", "updated", "unchanged", "no_transcript", "failed")


class Reporter(Protocol):
    def report(self, event: str, **facts: Any) -> None:
        """Called from many threads."""


def error_summary(error: NexusError) -> dict[str, str]:
    return {"code": error.code, "message": error.message}


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
    removed: int = 0  # episodes with a transcript that the user removed from the library
    audio_kept: int = 0  # for the first time
    audio_waiting: list[dict[str, Any]] = field(default_factory=list)  # audio that is to be kept and is not, and why

    @property
    def ok(self) -> bool:
        return self.error is None

    def reasons(self) -> list[dict[str, Any]]:
        """The failures of the feed itself and of its episodes."""
        of_feed = [self.reason(self.error)] if self.error is not None else []
        return of_feed + self._of_episodes(self.failures)

    def reasons_for_waiting_audio(self) -> list[dict[str, Any]]:
        return self._of_episodes(self.audio_waiting)

    def _of_episodes(self, failures: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [self.reason(each, episode=each["title"] or each["guid"]) for each in failures]

    def reason(self, why: dict[str, Any], *, episode: str | None = None) -> dict[str, Any]:
        about = {
            "feed": hide_url_secrets(self.url),
            "feed_title": self.title,
            "code": why["code"],
            "reason": redact(why["message"]),
        }
        return about if episode is None else about | {"episode": hide_url_secrets(episode)}

    def public(self) -> dict[str, Any]:
        """For a file that other accounts may read."""
        return asdict(self) | {
            "url": hide_url_secrets(self.url),
            "moved_to": self.moved_to and hide_url_secrets(self.moved_to),
            "error": self.error and _public(self.error),
            "failures": [_public(each) for each in self.failures],
            "audio_waiting": [_public(each) for each in self.audio_waiting],
        }


def _public(why: dict[str, Any]) -> dict[str, Any]:
    return {key: redact(value) if isinstance(value, str) else value for key, value in why.items()}


@dataclass
class RunSummary:
    run_id: str
    feeds: list[FeedSummary] = field(default_factory=list)
    stopped: bool = False

    @property
    def every_feed_failed(self) -> bool:
        return bool(self.feeds) and not any(feed.ok for feed in self.feeds)

    def counts(self) -> dict[str, int]:
        """Over all feeds. ``failed`` counts episodes; a feed that could not be read counts in ``feeds_failed``."""
        episodes = {status: sum(feed.counts[status] for feed in self.feeds) for status in STATUSES}
        audio = {
            "audio_kept": sum(feed.audio_kept for feed in self.feeds),
            "audio_waiting": sum(len(feed.audio_waiting) for feed in self.feeds),
        }
        return {"feeds": len(self.feeds), "feeds_failed": sum(not feed.ok for feed in self.feeds), **episodes, **audio}

    def document(self) -> dict[str, Any]:
        """For the summary file and the last event. The server may run under another account."""
        return {
            "run_id": self.run_id,
            "stopped": self.stopped,
            "feeds": [feed.public() for feed in self.feeds],
            "counts": self.counts(),
            "failures": [reason for feed in self.feeds for reason in feed.reasons()],
            "audio_waiting": [reason for feed in self.feeds for reason in feed.reasons_for_waiting_audio()],
        }
