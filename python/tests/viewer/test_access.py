"""Accessibility: axe in each theme, widths from 360 to 2560 pixels, the keyboard alone."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import saved
from tests.viewer.watching import COLOURS, WatchedPage, accessibility_problems, fits_the_width, watched_page

HTML = (
    "<p>It begins with <a href='https://example.org/'>a link</a> and <code>code</code>.</p><h2>One</h2><p>Text.</p>"
    "<h2>Two</h2><pre><code>wide code</code></pre><table><caption>Years</caption><thead><tr>"
    "<th>Year</th><th>Sum</th></tr></thead><tbody><tr><td>2026</td><td>9</td></tr></tbody></table><h2>Three</h2>"
    "<blockquote><p>Said.</p></blockquote>"
)
CUES = [("<p><cite>Ann:</cite> Welcome.</p>", 0, 4000), ("<p><cite>Ben:</cite> Hello.</p>", 4000, 8000)]
CHAPTERS = [
    (0, "Welcome", None),
    (4000, "A chapter with quite a long title about links that rot", "https://a.example/"),
]
PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 1280, "height": 860}
WIDE: ViewportSize = {"width": 2560, "height": 1300}
Theme = Literal["light", "dark"]
# What has the focus, once that can be seen: colours and shadows may take a frame to arrive.
FOCUS_IS_VISIBLE = """() => {
  const focused = document.activeElement;
  if (focused === document.body) return "BODY";
  const box = focused.closest(".box");
  const seen = getComputedStyle(focused).outlineStyle !== "none" ||
    (box && getComputedStyle(box).boxShadow.includes("0px 0px 0px 1px"));
  return seen && focused.tagName + (focused.ariaLabel ?? focused.textContent.trim().slice(0, 20));
}"""


@pytest.fixture
def pages(library: UserLibrary) -> dict[str, str]:
    article = library.article("How a link becomes a text", HTML, byline="Ada Reader", excerpt="What happens, in order.")
    episode = library.episode(
        "Episode one: links", CUES, chapters=CHAPTERS, audio_url="https://audio.example/one.mp3"
    )  # fmt: skip
    item = str(library.connection.execute("SELECT id FROM items WHERE user_id = %s", [library.user]).fetchone()[0])  # type: ignore[index]
    return {
        "library": "/",
        "filtered": "/?unread=1",
        "found": "/?q=link",
        "nothing-found": "/?q=zebra",
        "receipt": f"/?receipt={item}",
        "article": f"/read/{article}?save={item}",
        "transcript": f"/read/{episode}",
        "dashboard": "/dashboard",
        "not-found": "/no/such/page",
        "login": "/login",
    }


def opened(watch: WatchedPage, path: str) -> None:
    page = watch.open(path)
    expect(page.locator("h1").first).to_be_attached()
    expect(page.get_by_text("Opening…")).to_have_count(0)
    expect(page.locator(".skeleton")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(1 if "?receipt=" in path else 0)


def problems(page: Page, *, in_sepia: bool, within: Locator | None = None) -> list[str]:
    """The sepia theme differs from the light one only in colours."""
    found = accessibility_problems(page, within=within)
    if in_sepia:
        page.evaluate("document.documentElement.dataset.theme = 'sepia'")
        found += [f"in sepia: {problem}" for problem in accessibility_problems(page, COLOURS, within=within)]
        page.evaluate("document.documentElement.dataset.theme = 'light'")
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page_and_none_scrolls_sideways(
    browser: Browser, server: ServerProcess, library: UserLibrary, pages: dict[str, str], theme: Theme
) -> None:
    on_phone = theme == "dark"
    in_sepia = theme == "light"
    options: dict[str, Any] = {
        "color_scheme": theme,
        "viewport": PHONE if on_phone else DESKTOP,
        "has_touch": on_phone,
    }
    with watched_page(browser, server.url, user=library.user, **options) as watch:
        watch.page.route("https://audio.example/**", lambda route: route.abort())
        found = {}
        for name, path in pages.items():
            opened(watch, path)
            fits_the_width(watch.page)
            if not on_phone:
                watch.page.set_viewport_size(WIDE)
                fits_the_width(watch.page)
                watch.page.set_viewport_size(DESKTOP)
            found[name] = problems(watch.page, in_sepia=in_sepia)
        opened(watch, "/")
        watch.page.get_by_role("button", name="Display settings").click()
        display = watch.page.get_by_role("group", name="Display")
        expect(display).to_be_visible()
        found["display"] = problems(watch.page, in_sepia=in_sepia, within=display)
        watch.page.keyboard.press("Escape")
        watch.page.keyboard.press("?")
        expect(watch.page.get_by_role("dialog")).to_be_visible()
        found["shortcuts"] = problems(watch.page, in_sepia=in_sepia)
        assert {name: each for name, each in found.items() if each} == {}


def test_keyboard_navigation(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("The first one saved", HTML)
    library.article("The second one saved", HTML)
    page = watch.open()
    press = page.keyboard.press
    expect(page.get_by_role("link", name="The second one saved", exact=True)).to_be_visible()
    press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    press("j")
    expect(page.get_by_role("link", name="The second one saved", exact=True)).to_be_focused()
    press("j")
    expect(page.get_by_role("link", name="The first one saved", exact=True)).to_be_focused()
    press("k")
    press("m")
    expect(page.get_by_role("button", name="Mark “The second one saved” as unread")).to_be_visible()
    press("m")
    expect(page.get_by_role("button", name="Mark “The second one saved” as read")).to_be_visible()
    press("r")
    expect(page.get_by_role("dialog", name="What happened")).to_be_visible()
    press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    press("o")
    expect(page.get_by_role("heading", level=1)).to_have_text("The second one saved")
    press("u")
    expect(page.get_by_role("link", name="The first one saved", exact=True)).to_be_visible()
    press("/")
    page.keyboard.type("first")
    expect(page.get_by_role("link", name="The second one saved", exact=True)).to_have_count(0)
    press("Enter")
    expect(page.get_by_role("link", name="The first one saved", exact=True)).to_be_focused()
    press("/")
    press("Escape")
    expect(page.get_by_role("link", name="The second one saved", exact=True)).to_be_visible()
    press("a")
    expect(page.get_by_role("textbox", name="Save links or a text")).to_be_focused()
    page.keyboard.type("Typed without a mouse")
    press("Control+Enter")
    saved(page, "Typed without a mouse")
    press("Escape")
    press("j")
    press("Shift+#")
    press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_the_focus_is_always_visible(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("Something to reach", HTML)
    page = watch.open()
    expect(page.get_by_role("link", name="Something to reach", exact=True)).to_be_visible()
    seen = set()
    for _ in range(18):
        page.keyboard.press("Tab")
        seen.add(page.wait_for_function(FOCUS_IS_VISIBLE).json_value())
    seen.discard("BODY")
    assert len(seen) > 8
