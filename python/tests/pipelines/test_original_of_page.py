"""A text is stored with its original: the bytes of the page, or the HTML that the browser made of it."""

from nexus.pipelines.web_article import WebArticle
from nexus.services.lifecycle import Article, Succeeded
from nexus.text.originals.original_file import Original, OriginalFacts, unpack
from nexus.text.process_pool import ProcessPool
from nexus.text.read_page import read_page
from nexus.text.readings.process_page import process_page
from nexus.web.egress import Egress
from tests.egress.sites import Site
from tests.pipelines.pages import article_page, claim_of, fixture, html

PLENTY = 1_000_000


def read(egress: Egress, pool: ProcessPool, url: str, max_original: int = PLENTY) -> Article:
    outcome = WebArticle(egress, pool, max_original=max_original).ingest(claim_of(url))
    assert isinstance(outcome, Succeeded), outcome
    return outcome.article


def unpacked(original: Original | None) -> tuple[OriginalFacts, bytes]:
    assert original is not None
    assert original.content is not None
    facts, pieces = unpack([original.content])
    return facts, b"".join(pieces)


def test_the_bytes_of_the_page_are_kept_and_read_again_to_the_same_text(
    site: Site, egress: Egress, pool: ProcessPool
) -> None:
    page = article_page("Größe").decode().encode("latin-1")
    site.routes["/story"] = html(page, Content_Type="text/html; charset=iso-8859-1")
    found = read(egress, pool, site.url("/story"))
    facts, data = unpacked(found.original)
    assert data == page
    about = {"content_type": facts.content_type, "url": facts.url, "status": facts.status, "base_url": facts.base_url}
    again = read_page(data, **about)  # type: ignore[arg-type]
    assert (again.text, again.html_sanitized, again.about.title) == (
        found.canonical_text, found.html_sanitized, found.title,
    )  # fmt: skip
    assert facts.how == "fetched"


def test_a_page_over_the_limit_has_none_and_says_so(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/story"] = html(article_page())
    assert read(egress, pool, site.url("/story"), 100).original == Original(None, "too_large")
    assert read(egress, pool, site.url("/story"), 0).original is None


def test_a_wall_has_none(pool: ProcessPool) -> None:
    wall = pool.run(
        process_page, fixture("walls/captcha.html"),
        content_type="text/html", url="https://example.org/", max_original=PLENTY,
    )  # fmt: skip
    assert wall.verdict.outcome != "ok"
    assert wall.original is None
