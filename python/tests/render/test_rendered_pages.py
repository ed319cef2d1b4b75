"""What the browser returns for ordinary pages."""

import pytest

from nexus.errors import (
    HttpStatusError,
    InvalidUrlError,
    MaxBytesError,
    NonHtmlError,
    RenderTimeoutError,
)
from nexus.web.rendering import Renderer, RenderOptions, Tools
from tests.render.browser_processes import folders, render_alone
from tests.render.site import WORDS, Site, article

SPA = """<!doctype html><title>Loading</title><body><div id=app>Loading…</div><script>
setTimeout(async () => {
  const { title, text } = await (await fetch('/spa.json')).json();
  document.title = title;
  document.getElementById('app').innerHTML = `<article><h1>${title}</h1>${`<p>${text}</p>`.repeat(9)}</article>`;
}, 300)</script>"""


def test_text_added_by_script_is_rendered(renderer: Renderer, fixture_site: Site) -> None:
    """Its document ends when the text was requested: "Loading…" need not change for 1.5 s only."""
    url = fixture_site.held_page("/spa", SPA, lambda: "/spa.json" in fixture_site.seen, "the text was not requested")
    fixture_site.page("/spa.json", f'{{"title": "From a script", "text": "{WORDS}"}}', type="application/json")
    page = renderer.render(url)
    assert (page.title, page.status, page.final_url, page.base_url) == ("From a script", 200, url, url)
    assert page.html.count(WORDS.strip()) == 9


def test_a_browser_of_its_own_gives_the_same_page(renderer: Renderer, fixture_site: Site) -> None:
    url = fixture_site.page("/both", article(extra="<script>document.body.append('and more')</script>"))
    shared, before = renderer.render(url), folders()
    assert render_alone(renderer, url) == shared
    assert folders() == before
    gone = fixture_site.origin + "/gone-from-both"
    errors = []
    for render in (Renderer.render, render_alone):
        with pytest.raises(HttpStatusError) as refused:
            render(renderer, gone)
        errors.append((refused.value.message, refused.value.http_status, refused.value.retryable))
    assert errors[0] == errors[1]


def test_redirects_of_every_kind_lead_to_the_final_address(renderer: Renderer, fixture_site: Site) -> None:
    end = fixture_site.page("/end", article("The end"))
    fixture_site.page("/by-script", "<script>location.href = '/end'</script>")
    fixture_site.page("/by-meta", "<meta http-equiv=refresh content='0;url=/by-script'>wait")
    start = fixture_site.page("/by-status", status=302, headers=(("Location", "/by-meta"),))
    page = renderer.render(start)
    assert (page.final_url, page.title) == (end, "The end")


def test_a_fragment_reaches_pages_that_route_by_it(renderer: Renderer, fixture_site: Site) -> None:
    script = "<script>document.body.textContent = 'You asked for ' + location.hash</script>"
    page = renderer.render(fixture_site.page("/hash", f"<body>{script}") + "#/chapter/7")
    assert "You asked for #/chapter/7" in page.html
    assert page.final_url.endswith("#/chapter/7")


def test_base_tag_and_links(renderer: Renderer, fixture_site: Site) -> None:
    html = article().replace("<title>", "<base href='/deep/down/'><title>", 1).replace("</p>", "<a href=x>x</a></p>", 1)
    page = renderer.render(fixture_site.page("/with-base", html))
    assert page.base_url == fixture_site.origin + "/deep/down/"


@pytest.mark.parametrize(("status", "retryable"), [(404, False), (403, False), (429, True), (500, True), (503, True)])
def test_an_error_status_is_a_failure_that_says_so(
    renderer: Renderer, fixture_site: Site, status: int, retryable: bool
) -> None:
    url = fixture_site.page(f"/status/{status}", article("Sorry"), status=status)
    with pytest.raises(HttpStatusError, match=str(status)) as refused:
        renderer.render(url)
    error = refused.value
    assert (error.code, error.http_status, error.retryable) == (f"http_{status}", status, retryable)
    assert error.final_url == url


@pytest.mark.parametrize("type_", ["application/json", "image/svg+xml", "application/octet-stream"])
def test_what_is_no_page_is_refused(renderer: Renderer, fixture_site: Site, type_: str) -> None:
    url = fixture_site.page("/no-page", "{}", type=type_)
    with pytest.raises(NonHtmlError):
        renderer.render(url)


def test_a_download_is_refused(renderer: Renderer, fixture_site: Site) -> None:
    attachment = (("Content-Disposition", "attachment; filename=a.html"),)
    with pytest.raises(NonHtmlError):
        renderer.render(fixture_site.page("/download", article(), headers=attachment))


OTHER_SCHEMES = ["file:///etc/passwd", "javascript:alert(1)", "data:,x", "chrome://gpu", "ftp://a/", "about:blank"]


@pytest.mark.parametrize("url", [*OTHER_SCHEMES, ""])
def test_other_schemes_are_refused_before_anything_starts(tools: Tools, options: RenderOptions, url: str) -> None:
    with Renderer(tools, options) as cold, pytest.raises(InvalidUrlError):
        cold.render(url)


def test_a_page_without_an_article_still_has_its_html(renderer: Renderer, fixture_site: Site) -> None:
    assert "<body>" in renderer.render(fixture_site.page("/bare", "<body>")).html


def test_a_page_that_never_ends_is_a_timeout(renderer: Renderer, fixture_site: Site) -> None:
    with pytest.raises(RenderTimeoutError) as late:
        renderer.render(fixture_site.endless_page("/endless"), timeout_seconds=4)
    assert late.value.retryable


def test_script_that_never_ends_is_a_timeout(renderer: Renderer, fixture_site: Site) -> None:
    with pytest.raises(RenderTimeoutError):
        renderer.render(fixture_site.page("/loop", "<p>x</p><script>for (;;);</script>"), timeout_seconds=4)
    assert renderer.render(fixture_site.page("/after-loop", article())).status == 200


def test_a_page_above_the_limit_is_refused_not_truncated(renderer: Renderer, fixture_site: Site) -> None:
    # In an attribute: layout of ten million letters would take longer than copying them.
    grow = "<script>document.body.dataset.grown = 'x'.repeat(10_000_000)</script>"
    with pytest.raises(MaxBytesError, match=r"has 10\d{6} characters"):
        renderer.render(fixture_site.page("/huge", f"<body>{grow}"))
