"""Reads a link for ``nexus extract`` with the worker's pipeline, without a database."""

from collections.abc import Callable, Hashable
from contextlib import ExitStack
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NoReturn

import typer

from nexus.config import Settings, load_settings
from nexus.errors import RenderFailedError, UnreadableInputError
from nexus.pipelines.attempt_recorder import AttemptRecorder
from nexus.pipelines.web_article import WebArticle
from nexus.services.lifecycle import AttemptRecord, Failure
from nexus.text.process_pool import ProcessPool
from nexus.text.readings.process_page import ProcessedPage
from nexus.web.egress import Egress
from nexus.web.egress.from_settings import egress_from
from nexus.web.rendering import RenderedPage, Renderer, find_renderer
from nexus.web.rendering.from_settings import open_renderer

NOT_AN_ARTICLE = 3
# The page is a wall or an empty shell.
NO_ARTICLE = frozenset({"blocked_page", "empty_extraction"})
NO_TEXT = Failure("empty_extraction", "The page has no text.")


class Render(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


def read_link(url: str, pool: ProcessPool, *, render: Render | None, base_url: str | None) -> ProcessedPage:
    """The page, even if its verdict is a wall or a shell. Raises where there is none."""
    settings = load_settings(worker_render=render)
    recorder = AttemptRecorder(lambda: datetime.now(UTC))
    with ExitStack() as stack:
        egress = stack.enter_context(egress_from(settings))
        browser = BrowserWhenNeeded(settings, egress, stack)
        if settings.worker_render == "always":
            browser.open()
        result = WebArticle(
            egress,
            PoolWithBaseUrl(pool, base_url),
            browser,
            render=settings.worker_render,
            min_chars=settings.worker_min_chars,
        ).read_link(url, recorder)
    if result.page is None:
        _fail(result.failure or NO_TEXT, recorder.attempts)
    _report_browser_failure(result.failure, recorder.attempts)
    return result.page


def _fail(failure: Failure, attempts: tuple[AttemptRecord, ...]) -> NoReturn:
    if failure.code in NO_ARTICLE or attempts[0].error_code in NO_ARTICLE:
        typer.echo(f"nexus: {failure.code}: {failure.detail}", err=True)
        raise typer.Exit(NOT_AN_ARTICLE)
    raise UnreadableInputError(failure.detail)


def _report_browser_failure(failure: Failure | None, attempts: tuple[AttemptRecord, ...]) -> None:
    last = attempts[-1]
    if failure and last.method == "browser" and last.error_code and last.error_detail != failure.detail:
        typer.echo(f"nexus: the page may need a browser, which could not render it: {last.error_detail}", err=True)


class BrowserWhenNeeded:
    """Finds and starts Chromium when the pipeline first needs it; most links never do."""

    def __init__(self, settings: Settings, egress: Egress, stack: ExitStack) -> None:
        self._settings, self._egress, self._stack = settings, egress, stack
        self._renderer: Renderer | None = None

    def open(self) -> Renderer:
        if self._renderer is None:
            found = find_renderer(self._settings)
            if found.tools is None:
                raise RenderFailedError(f"Pages cannot be rendered here: {found.reason}")
            self._renderer = self._stack.enter_context(open_renderer(found.tools, self._settings, self._egress))
        return self._renderer

    def render(self, url: str, *, charset: str | None, owner: Hashable) -> RenderedPage:
        return self.open().render(url, charset=charset, owner=owner)


class PoolWithBaseUrl:
    """A process pool; links are resolved against the base that the user gave, if any."""

    def __init__(self, pool: ProcessPool, base_url: str | None) -> None:
        self._pool, self._base_url = pool, base_url

    def run(self, function: Callable[..., ProcessedPage], *args: Any, **about: Any) -> ProcessedPage:
        return self._pool.run(function, *args, **about | ({"base_url": self._base_url} if self._base_url else {}))
