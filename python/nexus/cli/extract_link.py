"""A link for ``nexus extract``: fetched, and rendered when that is not enough or is asked for."""

from collections.abc import Callable
from enum import StrEnum

import typer

from nexus.config import Settings, load_settings
from nexus.errors import EgressError, HttpStatusError, RenderFailedError
from nexus.pipelines.web_article import RENDERED_TYPE, WALL_STATUSES
from nexus.services.egress import Egress
from nexus.services.egress.configured import egress_from
from nexus.services.fetch_html import fetch_html
from nexus.services.node_ingest import Tools, find_renderer
from nexus.services.node_ingest.configured import open_renderer
from nexus.services.read_page import ReadPage, read_page
from nexus.services.text.pool import TextPool


class Render(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


class LinkReader:
    def __init__(self, pool: TextPool, *, render: Render | None, base_url: str | None) -> None:
        self._settings: Settings = load_settings(worker_render=render)
        self._pool = pool
        self._base_url = base_url

    def read(self, url: str) -> ReadPage:
        with egress_from(self._settings) as egress:
            if self._settings.worker_render == "always":
                return self._render(url, egress, self._browser())
            try:
                page = self._fetch(url, egress)
            except HttpStatusError as refused:
                if refused.http_status not in WALL_STATUSES:
                    raise
                return self._instead_of(refused, url, egress)
            return page if self._is_good(page) else self._better_than(page, url, egress)

    def _is_good(self, page: ReadPage) -> bool:
        return page.verdict.outcome == "ok" and len(page.text) >= self._settings.worker_min_chars

    def _better_than(self, page: ReadPage, url: str, egress: Egress) -> ReadPage:
        """The rendered page if there is more to it; whatever stops the browser, what was fetched stays."""

        def keep(reason: str) -> ReadPage:
            typer.echo(f"nexus: the page may need a browser, and none has shown it: {reason}", err=True)
            return page

        rendered = self._try_browser(url, egress, keep)
        if (rendered.verdict.outcome == "ok") >= (page.verdict.outcome == "ok") and len(rendered.text) > len(page.text):
            return rendered
        return page

    def _instead_of(self, refused: HttpStatusError, url: str, egress: Egress) -> ReadPage:
        def give_up(_: str) -> ReadPage:
            raise refused

        return self._try_browser(url, egress, give_up)

    def _try_browser(self, url: str, egress: Egress, otherwise: Callable[[str], ReadPage]) -> ReadPage:
        if self._settings.worker_render == "never":
            return otherwise("rendering is off (--render never).")
        try:
            return self._render(url, egress, self._browser())
        except EgressError as error:
            return otherwise(error.message)

    def _fetch(self, url: str, egress: Egress) -> ReadPage:
        page = fetch_html(egress, url)
        return self._read(page.body, page.content_type, page.final_url, page.status)

    def _render(self, url: str, egress: Egress, tools: Tools) -> ReadPage:
        with open_renderer(tools, self._settings, egress) as renderer:
            page = renderer.render(url, readability="off")
        return self._read(page.html.encode("utf-8", "replace"), RENDERED_TYPE, page.final_url, page.status)

    def _browser(self) -> Tools:
        found = find_renderer(self._settings)
        if found.tools is None:
            raise RenderFailedError(f"Pages cannot be rendered here: {found.reason}")
        return found.tools

    def _read(self, body: bytes, content_type: str | None, url: str, status: int | None) -> ReadPage:
        return self._pool.run(read_page, body, content_type=content_type, url=self._base_url or url, status=status)
