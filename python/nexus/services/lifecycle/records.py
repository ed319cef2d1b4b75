"""What a worker holds while it works, and what it brings back."""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from nexus.services.search.passages import Passage


@dataclass(frozen=True)
class Claim:
    """A lease on one save. Worker, time and number together are its fence: no later claim has the same."""

    item_id: UUID
    media_id: UUID
    user_id: UUID
    url: str
    attempts: int
    max_attempts: int
    request_id: str | None
    worker_id: UUID
    claimed_at: datetime
    losses: int = 0
    received: float = field(default_factory=time.monotonic, compare=False)

    def now(self) -> datetime:
        """The time on the database's clock, whatever this machine's says."""
        return self.claimed_at + timedelta(seconds=time.monotonic() - self.received)

    @property
    def auto_retry(self) -> bool:
        return self.attempts < self.max_attempts


@dataclass(frozen=True)
class Article:
    """A page that can be read: all that the closing transaction writes of it."""

    canonical_url: str
    html_sanitized: str
    canonical_text: str
    title: str | None = None
    byline: str | None = None
    site_name: str | None = None
    lang: str | None = None
    published_at: datetime | None = None
    excerpt: str | None = None
    word_count: int = 0
    lead_image_url: str | None = None
    # For the search, if whoever read the page had the time; else they are made of the stored text.
    passages: tuple[Passage, ...] | None = None


@dataclass(frozen=True)
class AttemptRecord:
    """One line of the receipt: one rung of the ladder."""

    rung: Literal["static", "browser"]
    started_at: datetime
    finished_at: datetime
    error_code: str | None = None
    error_detail: str | None = None
    http_status: int | None = None
    final_url: str | None = None
    content_length: int | None = None


@dataclass(frozen=True)
class Failure:
    code: str
    detail: str  # a sentence for the person who saved it
    retryable: bool = False
    retry_after: float | None = None  # what the site asked for, in seconds


@dataclass(frozen=True)
class Succeeded:
    claim: Claim
    article: Article
    attempts: tuple[AttemptRecord, ...]


@dataclass(frozen=True)
class Failed:
    claim: Claim
    failure: Failure
    attempts: tuple[AttemptRecord, ...]


@dataclass(frozen=True)
class Postponed:
    """Nothing was tried, because the site asked everybody to stay away for a while."""

    claim: Claim
    seconds: float
    detail: str


Outcome = Succeeded | Failed | Postponed
# "unchanged": a readable page was fetched again, and what its reader has stays as it is.
Result = Literal["won", "merged", "unchanged", "requeued", "postponed", "failed", "lost_lease"]
