"""What the attempts of one process share: the egress, the process pool, the browser."""

import os
from contextlib import ExitStack
from typing import Self

from nexus.config import Settings
from nexus.logging import get_logger
from nexus.pipelines.web_article import WebArticle
from nexus.services.lifecycle import Claim, Outcome
from nexus.text.process_pool import ProcessPool
from nexus.web.egress.from_settings import egress_from
from nexus.web.rendering import Renderer, find_renderer
from nexus.web.rendering.from_settings import open_renderer

log = get_logger(__name__)


class Resources:
    """Closed in reverse order: the browser first, since it uses the same egress."""

    def __init__(self, settings: Settings) -> None:
        browser = find_renderer(settings)
        self.can_render, self.sandbox = browser.is_available, browser.sandbox
        log.info(
            "pages can be rendered" if browser.is_available else "pages cannot be rendered", browser=browser.reason
        )
        if browser.is_available and not browser.sandbox:
            log.warning("Chromium runs without its sandbox: pages are less well separated from this machine")
        with ExitStack() as stack:
            egress = stack.enter_context(egress_from(settings, waits_for_hosts=False))
            self.pauses = egress.pauses
            pool = stack.enter_context(ProcessPool(workers=len(os.sched_getaffinity(0))))
            renderer: Renderer | None = None
            if browser.tools:
                renderer = stack.enter_context(open_renderer(browser.tools, settings, egress))
            self._articles = WebArticle(
                egress, pool, renderer,
                render=settings.worker_render, min_chars=settings.worker_min_chars,
                max_original=settings.original_max_bytes,
            )  # fmt: skip
            self._stack = stack.pop_all()

    def ingest(self, claim: Claim) -> Outcome:
        return self._articles.ingest(claim)

    def close(self) -> None:
        self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
