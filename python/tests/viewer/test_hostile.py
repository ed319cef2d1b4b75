"""Everything a stranger can write, in every place it is shown: nothing runs, and no policy is needed to stop it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from nexus.services.sanitize_html import sanitize_html
from tests.browser.xss_payloads import CLASSES
from tests.processes import Running
from tests.viewer.shelf import Shelf
from tests.viewer.watching import Watch, watched_page

PAYLOADS = [payload for kind in CLASSES.values() for payload in kind if "\0" not in payload]
TRAP = """
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => console.error(`ran ${name}`);
"""
POKE = """() => {
  for (const element of document.querySelectorAll("main *")) {
    for (const type of ["mouseover", "focus", "error", "load", "toggle", "animationstart"]) {
      element.dispatchEvent(new Event(type));
    }
  }
}"""


@pytest.fixture
def watch(browser: Browser, server: Running, shelf: Shelf) -> Iterator[Watch]:
    with watched_page(browser, server.url, user=shelf.user) as watching:
        watching.page.context.add_init_script(TRAP)
        watching.page.context.on("page", lambda popup: popup.close())
        watching.page.route("**/media/image?*", lambda route: route.abort())
        yield watching


def shown(page: Page) -> None:
    expect(page.locator("h1").first).to_be_attached()
    page.evaluate(POKE)


def numbered(payloads: list[str]) -> str:
    return "".join(f"<p>{number}</p>{payload}" for number, payload in enumerate(payloads))


def test_pages_and_their_titles(watch: Watch, shelf: Shelf) -> None:
    html = numbered([sanitize_html(payload, "") for payload in PAYLOADS])
    facts = {"byline": "<svg onload=alert(1)>", "excerpt": numbered(PAYLOADS[:20])}
    page = watch.open(f"/read/{shelf.article('<img src=x onerror=alert(1)>', html, **facts)}")
    expect(page.locator(".prose p").first).to_be_attached()
    shown(page)
    shown(watch.open())
    expect(watch.page.get_by_role("link", name="<img src=x onerror=alert(1)>").first).to_be_visible()


def test_the_second_line_holds_alone(watch: Watch, shelf: Shelf) -> None:
    """As if the server had stored them as they came. Chromium counts a handler that its inert parser merely sees as a
    violation, so only what ran counts here."""
    page = watch.open(f"/read/{shelf.article('Raw', numbered(PAYLOADS))}")
    expect(page.locator(".prose p").first).to_be_attached()
    shown(page)
    links = "[...document.querySelectorAll('main .prose a[href]')].map((a) => a.protocol)"
    assert set(page.evaluate(links)) <= {"http:", "https:", "mailto:"}
    assert page.evaluate("document.querySelector('.prose :is(script, iframe, svg, form, object, style)')") is None
    assert [problem for problem in watch.problems if "ran " in problem] == []
    watch.problems.clear()


def test_cues_and_names_of_speakers(watch: Watch, shelf: Shelf) -> None:
    name = "<strong>&lt;img src=x onerror=alert(1)&gt;:</strong>"
    said = [sanitize_html(f"<p>{name} {payload}</p>", "") for payload in PAYLOADS[:120]]
    cues = [(html, at * 1000, at * 1000 + 900) for at, html in enumerate(said)]
    media = shelf.episode("<script>alert(1)</script>", cues, audio_url="javascript:alert(1)")
    page = watch.open(f"/read/{media}")
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    shown(page)


def test_pasted_texts(watch: Watch) -> None:
    page = watch.open()
    page.get_by_role("textbox", name="Save links or a text").fill("\n".join(PAYLOADS[:200]))
    page.get_by_role("button", name="Save text").click()
    page.get_by_role("listitem").get_by_role("link").first.click()
    expect(page.locator(".prose")).to_contain_text("alert(1)")
    shown(page)
