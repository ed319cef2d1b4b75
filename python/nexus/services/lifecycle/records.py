"""A claim, and the outcomes a worker settles it with."""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from nexus.services.capabilities import Origin
from nexus.text.characters import storable_start
from nexus.text.originals.original_file import Original
from nexus.text.readings.extractor_version import EXTRACTOR
from nexus.text.readings.process_page import ProcessedPage
from nexus.web.urls import normalize_url

MAX_TITLE_CHARS = 255
MAX_FIELD_CHARS = 4096

AttemptMethod = Literal["static", "browser", "captured"]


@dataclass(frozen=True)
class Claim:
    """A lease on one item. Worker and time are its fence: settling it writes only while the row still has both."""

    item_id: UUID
    media_id: UUID
    user_id: UUID
    url: str
    attempts: int  # of the item, this one included
    max_attempts: int
    request_id: str | None
    worker_id: UUID
    claimed_at: datetime
    losses: int = 0
    priority: int = 0
    received: float = field(default_factory=time.monotonic, compare=False)

    def now(self) -> datetime:
        """By the database's clock, which may differ from this machine's."""
        return self.claimed_at + timedelta(seconds=time.monotonic() - self.received)

    @property
    def auto_retry(self) -> bool:
        return self.attempts < self.max_attempts


@dataclass(frozen=True)
class Article:
    """What is written of a readable page when its claim is settled."""

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
    declared_url: str | None = None
    origin: Origin = "fetched"
    extractor: int = EXTRACTOR
    # What it was read from; None: originals are not kept.
    original: Original | None = None
    # Whose link was fetched, and whether that link was the page's own URL; set by `settle`.
    fetched_for: UUID | None = None
    is_direct: bool = False


def article_of(page: ProcessedPage, url: str, origin: Origin) -> Article:
    """`url`: where it was read."""
    about = page.about
    return Article(
        canonical_url=normalize_url(url),
        html_sanitized=page.html_sanitized,
        canonical_text=page.text,
        title=storable_start(about.title, MAX_TITLE_CHARS),
        byline=storable_start(about.byline, MAX_FIELD_CHARS),
        site_name=storable_start(about.site_name, MAX_FIELD_CHARS),
        lang=storable_start(about.lang, MAX_FIELD_CHARS),
        published_at=about.published_at,
        excerpt=storable_start(about.excerpt, MAX_FIELD_CHARS),
        word_count=page.word_count,
        lead_image_url=storable_start(about.lead_image, MAX_FIELD_CHARS),
        declared_url=storable_start(about.declared_url, MAX_FIELD_CHARS),
        origin=origin,
        original=page.original,
    )


@dataclass(frozen=True)
class AttemptRecord:
    """One attempt, as the receipt shows it."""

    method: AttemptMethod
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
    detail: str  # a sentence that is shown to the user
    retryable: bool = False
    retry_after: float | None = None  # what the site asked for, in seconds


@dataclass(frozen=True)
class Succeeded:
    claim: Claim
    article: Article
    attempts: tuple[AttemptRecord, ...]

    @property
    def read_at(self) -> datetime:
        """When it was read, as in the receipt, from which the time that is shown to a user is taken."""
        successes = [record.finished_at for record in self.attempts if record.error_code is None]
        return successes[0] if successes else self.attempts[-1].finished_at if self.attempts else self.claim.now()


@dataclass(frozen=True)
class Failed:
    claim: Claim
    failure: Failure
    attempts: tuple[AttemptRecord, ...]


@dataclass(frozen=True)
class Postponed:
    """Nothing was tried, because the host or the browser is busy or asked for a pause."""

    claim: Claim
    seconds: float
    detail: str


Outcome = Succeeded | Failed | Postponed
# "new_version": the text became the current version of an existing media. "unchanged": a readable page was fetched
# again and its text stays the same.
Result = Literal["won", "merged", "new_version", "unchanged", "requeued", "postponed", "failed", "lost_lease"]
