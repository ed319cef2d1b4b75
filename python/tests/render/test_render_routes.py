"""`#/one` and `#!one` name pages of their own; other fragments name a place in the page."""

from collections.abc import Iterator

import pytest

from nexus.web.rendering import Renderer
from tests.render.pipeline import Pipeline, ladder_to
from tests.render.site import WORDS, Site

# Routes by the fragment, and has enough text without any script to pass for a page.
APP = f"""<!doctype html><title>App</title><body><main id=main><p>The start page. {WORDS * 9}</p></main><script>
const main = document.getElementById('main');
const show = () => {{
  const route = location.hash.replace(/^#!?/, '');
  if (route) main.innerHTML = `<h1>Chapter ${{route}}</h1>` + '<p>{WORDS}</p>'.repeat(12);
}};
addEventListener('hashchange', show);
setTimeout(show, 50);
</script>"""


@pytest.fixture(scope="module")
def ladder(renderer: Renderer, fixture_site: Site) -> Iterator[Pipeline]:
    with ladder_to(fixture_site, renderer) as made:
        yield made


def test_two_routes_of_one_app_are_two_pages(ladder: Pipeline, fixture_site: Site) -> None:
    url = fixture_site.page("/app", APP)
    for route, chapter in [("#/one", "/one"), ("#/two?a=b", "/two?a=b"), ("#!three", "three")]:
        article = ladder.article(url + route)
        assert article.canonical_url == url + route
        assert article.canonical_text.startswith(f"Chapter {chapter}\n")


def test_other_fragments_are_the_page_itself(ladder: Pipeline, fixture_site: Site) -> None:
    url = fixture_site.page("/app", APP)
    for fragment in ("", "#part", "#/", "#!"):
        article = ladder.article(url + fragment)
        assert article.canonical_url == url
        assert article.canonical_text.startswith("The start page.")


def test_a_route_outlives_redirects_of_every_kind(ladder: Pipeline, fixture_site: Site) -> None:
    url = fixture_site.page("/app", APP)
    moved = fixture_site.page("/moved-app", status=301, headers=(("Location", "/app"),))
    assert ladder.article(moved + "#/one").canonical_url == url + "#/one"
    script = fixture_site.page("/scripted-app", "<script>location.replace('/app' + location.hash)</script>")
    article = ladder.article(script + "#/one")
    assert (article.canonical_url, article.title) == (url + "#/one", "Chapter /one")
