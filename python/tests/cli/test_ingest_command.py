"""node/ingest/ingest.mjs by hand: one page, with its article, as one line of JSON."""

import json
import subprocess
from collections.abc import Callable, Iterator

import pytest

from nexus.config import load_settings
from nexus.web.rendering import find_renderer
from tests.render.browser_processes import PAGE_SECONDS
from tests.render.site import WORDS, Site, article, site

NO_ARTICLE = 12
# Readability measures all text below each of 5000 levels.
DEEP = """<script>let at = document.body;
  for (let i = 0; i < 5000; i++) at = at.appendChild(document.createElement('b'));
  at.textContent = 'the bottom ' + 'words, '.repeat(150000)</script>"""


Ingest = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def fixture_site() -> Iterator[Site]:
    with site() as running:
        yield running


@pytest.fixture(scope="module")
def ingest() -> Ingest:
    """Without a proxy it connects directly."""
    tools = find_renderer(load_settings()).tools
    assert tools

    def run(url: str, **keys: str) -> subprocess.CompletedProcess[str]:
        request = {"url": url, "timeout_ms": PAGE_SECONDS * 1000, "options": {"chromium": str(tools.chromium)}} | keys
        return subprocess.run(
            [tools.node, tools.script],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=2 * PAGE_SECONDS,
            check=False,
        )

    return run


def test_the_article_of_a_page_is_printed(ingest: Ingest, fixture_site: Site) -> None:
    html = article().replace("<title>", "<base href='/deep/down/'><title>", 1).replace("</p>", "<a href=x>x</a></p>", 1)
    done = ingest(fixture_site.page("/with-base", html))
    page = json.loads(done.stdout)
    assert set(page) == {"final_url", "base_url", "title", "content_html", "html", "status"}
    assert WORDS.strip() in page["content_html"]
    assert f"{fixture_site.origin}/deep/down/x" in page["content_html"]
    assert (done.returncode, page["status"], page["base_url"]) == (0, 200, fixture_site.origin + "/deep/down/")


def test_no_article_is_a_failure_unless_the_page_is_enough(ingest: Ingest, fixture_site: Site) -> None:
    url = fixture_site.page("/bare", "<body>")
    required = ingest(url)
    failure = json.loads(required.stderr)
    assert (required.returncode, required.stdout) == (NO_ARTICLE, "")
    assert (failure["exit_code"], failure["error"]) == (NO_ARTICLE, "Readability found no article on this page.")
    for readability in ("wanted", "off"):
        done = ingest(url, readability=readability)
        assert (done.returncode, json.loads(done.stdout)["content_html"]) == (0, None)


def test_a_page_that_is_too_much_for_readability_keeps_its_text(ingest: Ingest, fixture_site: Site) -> None:
    done = ingest(fixture_site.page("/deep", article(extra=DEEP)), readability="wanted")
    page = json.loads(done.stdout)
    assert "the bottom" in page["html"]
    assert page["content_html"] is None


def test_an_unknown_mode_is_refused(ingest: Ingest, fixture_site: Site) -> None:
    done = ingest(fixture_site.page("/modes", article()), readability="perhaps")
    assert json.loads(done.stderr)["error"] == "readability must be required, wanted or off."
    assert done.returncode != 0
