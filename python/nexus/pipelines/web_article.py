"""A link becomes an article: a plain fetch first, then the browser if the fetch is not good enough.

Nothing here uses the database: an attempt may take a minute, and no transaction may be open that long.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol

from nexus.errors import (
    BrowserBusyError,
    EgressError,
    HostBusyError,
    HostPausedError,
    HttpStatusError,
    NexusError,
    ProcessPoolError,
    SanitizationError,
    TextTimeoutError,
    UnparsableHtmlError,
)
from nexus.errors.attempts import explain
from nexus.pipelines.attempt_recorder import AttemptRecorder
from nexus.pipelines.better_text import is_better
from nexus.services.lifecycle import AttemptRecord, Claim, Failed, Failure, Outcome, Postponed, Succeeded
from nexus.services.lifecycle.records import AttemptMethod, article_of
from nexus.text.originals.original_file import OriginalKind
from nexus.text.readings.process_page import ProcessedPage, process_page
from nexus.web.egress import Egress
from nexus.web.fetch_html import fetch_html
from nexus.web.urls import route_of

RenderMode = Literal["auto", "always", "never"]

# Login, consent and bot walls come with these.
WALL_STATUSES = frozenset({401, 403, 429, 503})
TOO_MANY_REQUESTS = 429
# Refusals that a real browser often does not get. After 429 no further request is made.
BROWSER_RETRY_STATUSES = frozenset({401, 403})
# The page was not requested: the item is postponed, and no attempt is used up.
POSTPONING_ERRORS = (HostPausedError, HostBusyError, BrowserBusyError)
RENDERED_TYPE = "text/html; charset=utf-8"


class Rendered(Protocol):
    @property
    def final_url(self) -> str: ...
    @property
    def base_url(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def status(self) -> int | None: ...


class Renderer(Protocol):
    def render(self, url: str, *, charset: str | None, owner: Hashable) -> Rendered: ...


class TextReader(Protocol):
    def run(self, function: Callable[..., ProcessedPage], *args: Any, **kwargs: Any) -> ProcessedPage: ...


@dataclass(frozen=True)
class PageReading:
    """The result of one attempt: a page that was read, or the reason why there is none."""

    page: ProcessedPage | None = None
    url: str = ""
    failure: Failure | None = None
    browser_may_help: bool = False
    charset: str | None = None
    method: AttemptMethod = "static"

    @property
    def chars(self) -> int:
        return len(self.page.text) if self.page and not self.failure else 0


class WebArticle:
    def __init__(
        self,
        egress: Egress,
        pool: TextReader,
        renderer: Renderer | None = None,
        *,
        render: RenderMode = "auto",
        min_chars: int = 600,
        max_original: int = 0,
    ) -> None:
        """`max_original`: the size up to which the bytes of a page are kept with its text."""
        self._egress = egress
        self._pool = pool
        self._renderer = renderer if render != "never" else None
        self._always = render == "always"
        self._min_chars = min_chars
        self._max_original = max_original

    def ingest(self, claim: Claim) -> Outcome:
        recorder = AttemptRecorder(claim.now)
        try:
            best = self.read_link(claim.url, recorder, owner=claim.user_id)
        except POSTPONING_ERRORS as pause:
            return Postponed(claim, pause.retry_after or 0.0, pause.message)
        return conclude(claim, best, recorder.attempts)

    def read_link(self, url: str, recorder: AttemptRecorder, *, owner: Hashable = None) -> PageReading:
        """The better of what the fetch and, where it may help, the browser read. `owner` has a share of the browser."""
        best = self._attempt("static", self._fetch, url, recorder)
        if self._renderer and (best.browser_may_help or (self._always and best.page)):
            render = partial(self._render, charset=best.charset, owner=owner)
            best = better(best, self._attempt("browser", render, best.url or url, recorder))
        return best

    def _attempt(
        self,
        method: AttemptMethod,
        read: Callable[[str, AttemptRecorder], PageReading],
        url: str,
        recorder: AttemptRecorder,
    ) -> PageReading:
        """One attempt, recorded in the receipt whatever happens."""
        recorder.begin(method)
        try:
            reading = read(url, recorder)
        except POSTPONING_ERRORS:
            raise
        except NexusError as error:
            reading = refused(error)
        failure = reading.failure
        if failure:
            recorder.end(failure.code, failure.detail)
        elif reading.chars < self._min_chars:
            recorder.end("too_short", f"{reading.chars} characters of text, fewer than {self._min_chars}.")
        else:
            recorder.end()
        return replace(reading, method=method)

    def _fetch(self, url: str, recorder: AttemptRecorder) -> PageReading:
        try:
            page = fetch_html(self._egress, url)
        except POSTPONING_ERRORS:
            raise
        except HttpStatusError as error:
            recorder.note_response(error.http_status, error.final_url, len(error.body))
            return self._judge_refusal(error)
        except EgressError as error:
            recorder.note_response(error.http_status, error.final_url)
            raise
        recorder.note_response(page.status, page.final_url, page.content_length)
        read = self._read(page.body, page.content_type, page.final_url, page.status)
        reading = self._judge(read, page.final_url)
        if route_of(page.final_url) and not reading.failure:
            # The same text for every route: only the page's scripts know which one was saved.
            failure = Failure("empty_extraction", "app_route: Only a browser can show this part of the app.")
            return PageReading(None, page.final_url, failure, browser_may_help=True, charset=read.charset)
        return replace(reading, charset=read.charset)

    def _render(self, url: str, recorder: AttemptRecorder, *, charset: str | None, owner: Hashable) -> PageReading:
        assert self._renderer is not None  # noqa: S101 - read_link checks it
        try:
            # Our own extraction needs the whole document.
            page = self._renderer.render(url, charset=charset, owner=owner)
        except EgressError as error:
            recorder.note_response(error.http_status, error.final_url)
            raise
        data = page.html.encode("utf-8", "replace")
        recorder.note_response(page.status, page.final_url, len(data))
        read = self._read(
            data, RENDERED_TYPE, page.final_url, page.status, base_url=page.base_url, original_kind="rendered"
        )
        reading = self._judge(read, page.final_url)
        if reading.failure and reading.failure.code == "empty_extraction":
            return replace(reading, failure=Failure("empty_extraction", "The page shows no text in a browser either."))
        return reading

    def _read(
        self,
        data: bytes,
        content_type: str | None,
        url: str,
        status: int | None,
        *,
        base_url: str | None = None,
        original_kind: OriginalKind = "fetched",
    ) -> ProcessedPage:
        about = {"content_type": content_type, "url": url, "status": status, "base_url": base_url}
        return self._pool.run(process_page, data, original_kind=original_kind, max_original=self._max_original, **about)

    def _judge(self, read: ProcessedPage, url: str) -> PageReading:
        verdict = read.verdict
        if verdict.outcome == "blocked_page":
            return PageReading(read, url, Failure("blocked_page", f"{verdict.reason}: {verdict.evidence}"), True)
        if verdict.outcome == "needs_browser" or not read.text:
            # The text of a page before its scripts have run ("Loading…") is not what the user saved.
            detail = f"{verdict.reason}: {verdict.evidence}" if verdict.reason else "The page holds no text."
            return PageReading(read, url, Failure("empty_extraction", detail), True)
        return PageReading(read, url, None, browser_may_help=len(read.text) < self._min_chars)

    def _judge_refusal(self, error: HttpStatusError) -> PageReading:
        """A wall is often sent with 403 or 503; the receipt then names the wall."""
        status = error.http_status or 0
        bare = replace(refused(error), browser_may_help=status in BROWSER_RETRY_STATUSES)
        if status not in WALL_STATUSES or not error.body:
            return bare
        url = error.final_url or ""
        try:
            read = self._read(error.body, error.content_type, url, status)
        except NexusError:
            return bare  # unreadable, so only the status is known
        verdict = read.verdict
        if verdict.reason in (None, "error_page", "refusal"):
            return bare
        detail = f"{verdict.reason} with status {status}: {verdict.evidence}"
        failure = Failure("blocked_page", detail, error.retryable, error.retry_after)
        asks_for_a_pause = status == TOO_MANY_REQUESTS or error.retry_after is not None
        return PageReading(None, url, failure, browser_may_help=not asks_for_a_pause)


def better(static: PageReading, browser: PageReading) -> PageReading:
    """The better text wins; where there is none, a wall explains more than a failed browser."""
    if browser.page and static.page and browser.chars and static.chars:
        return browser if is_better(browser.page.text, static.page.text) else static
    if browser.chars or static.chars:
        return browser if browser.chars else static
    browser_says_more = browser.page is not None or static.failure is None or static.failure.code == "empty_extraction"
    return browser if browser_says_more else static


def refused(error: NexusError) -> PageReading:
    if isinstance(error, EgressError):
        failure = Failure(error.code, error.message, error.retryable, error.retry_after)
        return PageReading(None, error.final_url or "", failure)
    if isinstance(error, TextTimeoutError):
        return PageReading(failure=Failure("timeout", f"slow_reading: {error.message}", retryable=True))
    if isinstance(error, ProcessPoolError):
        return PageReading(failure=Failure("internal_error", error.message, retryable=True))
    if isinstance(error, SanitizationError):
        return PageReading(failure=Failure("sanitization_failed", error.message))
    if isinstance(error, UnparsableHtmlError):
        return PageReading(failure=Failure("empty_extraction", error.message), browser_may_help=True)
    raise error


def conclude(claim: Claim, best: PageReading, attempts: tuple[AttemptRecord, ...]) -> Outcome:
    if best.page is None or best.failure:
        failure = best.failure or Failure("empty_extraction", "The page holds no text.")
        explained = Failure(failure.code, explain(failure.code, failure.detail), failure.retryable, failure.retry_after)
        return Failed(claim, explained, attempts)
    return Succeeded(
        claim, article_of(best.page, best.url, "rendered" if best.method == "browser" else "fetched"), attempts
    )
