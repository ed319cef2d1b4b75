"""The whole pipeline: the fetch, the text process and the browser."""

from collections.abc import Iterator
from contextlib import contextmanager

from nexus.pipelines.web_article import RenderMode, WebArticle
from nexus.services.lifecycle import Article, Outcome, Succeeded
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress
from nexus.web.public_address import AllowList
from nexus.web.rendering import Renderer
from tests.pipelines.pages import claim_of
from tests.processes import WAIT_SECONDS
from tests.render.site import Site


class Pipeline:
    def __init__(self, egress: Egress, pool: ProcessPool, renderer: Renderer) -> None:
        self._egress, self._pool, self._renderer = egress, pool, renderer

    def ingest(self, url: str, render: RenderMode = "auto") -> Outcome:
        reader = WebArticle(self._egress, self._pool, self._renderer, render=render, max_original=1_000_000)
        return reader.ingest(claim_of(url))

    def article(self, url: str, render: RenderMode = "auto") -> Article:
        outcome = self.ingest(url, render)
        assert isinstance(outcome, Succeeded), outcome
        return outcome.article


@contextmanager
def pipeline_to(site: Site, renderer: Renderer) -> Iterator[Pipeline]:
    allow = AllowList.parse([f"127.0.0.1:{site.server_port}"])
    with (
        Egress(allow=allow, user_agent="NudgeBot/0.1") as egress,
        ProcessPool(workers=1, clock_seconds=WAIT_SECONDS) as pool,
    ):
        yield Pipeline(egress, pool, renderer)
