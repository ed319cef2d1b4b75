"""`#/one` and `#!one` are pages of their own; other fragments are a place in the page."""

from collections.abc import Iterator

import pytest

from nexus.web.rendering import Renderer
from tests.render.pipeline import Pipeline, pipeline_to
from tests.render.site import WORDS, Site

# Routes by the fragment, and has enough text without scripts to count as a page.
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
def pipeline(renderer: Renderer, fixture_site: Site) -> Iterator[Pipeline]:
    with pipeline_to(fixture_site, renderer) as made:
        yield made


def test_two_routes_of_one_app_are_two_pages(pipeline: Pipeline, fixture_site: Site) -> None:
    url = fixture_site.page("/app", APP)
    for route, chapter in [("#/one", "/one"), ("#/two?a=b", "/two?a=b"), ("#!three", "three")]:
        article = pipeline.article(url + route)
        assert article.canonical_url == url + route
        assert article.canonical_text.startswith(f"Chapter {chapter}\n")


def test_other_fragments_are_the_page_itself(pipeline: Pipeline, fixture_site: Site) -> None:
    url = fixture_site.page("/app", APP)
    for fragment in ("", "#part", "#/", "#!"):
        article = pipeline.article(url + fragment)
        assert article.canonical_url == url
        assert article.canonical_text.startswith("The start page.")


def test_a_route_is_kept_over_redirects_of_every_kind(pipeline: Pipeline, fixture_site: Site) -> None:
    url = fixture_site.page("/app", APP)
    moved = fixture_site.page("/moved-app", status=301, headers=(("Location", "/app"),))
    assert pipeline.article(moved + "#/one").canonical_url == url + "#/one"
    script = fixture_site.page("/scripted-app", "<script>location.replace('/app' + location.hash)</script>")
    article = pipeline.article(script + "#/one")
    assert (article.canonical_url, article.title) == (url + "#/one", "Chapter /one")
