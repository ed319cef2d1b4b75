"""A text that is opened at its position and left at once: the page was not scrolled by its reader."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.viewer.library import UserLibrary
from tests.viewer.reading.test_positions import HTML, WAITING, is_at, opened, read_on
from tests.viewer.watching import WatchedPage

# As in browsers that do not scroll along when something above grows.
NO_ANCHOR = "document.documentElement.style.overflowAnchor = 'none'"
STORED = "() => Object.entries(localStorage).filter(([key]) => key.startsWith('nexus.places'))"


def position_of(page: Page, url: str, media: str) -> object:
    return page.request.get(f"{url}/api/library/{media}/position").json()


def reopened(page: Page, sentence: str) -> None:
    page.reload()
    page.wait_for_function("() => scrollY > 1000")
    is_at(page, sentence)


@pytest.mark.parametrize("move", ["scrollBy(0, -400)", "document.querySelector('header a').focus()"])
def test_a_text_left_after_a_move_that_was_not_the_readers_keeps_its_place(
    watch: WatchedPage, library: UserLibrary, move: str
) -> None:
    media = library.article("A long one", HTML)
    page = opened(watch, f"/read/{media}")
    sentence = read_on(page, 9000)
    reopened(page, sentence)
    before, stored = position_of(page, watch.url, media), page.evaluate(STORED)
    page.evaluate("() => new Promise((done) => addEventListener('scroll', done, { once: true }) ?? " + move + ")")
    page.keyboard.press("u")
    expect(page.locator(".prose")).to_have_count(0)
    assert page.evaluate(WAITING) == []
    assert page.evaluate(STORED) == stored
    assert position_of(page, watch.url, media) == before


def test_a_note_that_comes_late_does_not_move_the_place(watch: WatchedPage, library: UserLibrary) -> None:
    media = library.article("A long one", HTML)
    page = opened(watch, f"/read/{media}")
    sentence = read_on(page, 9000)
    patched = page.request.patch(f"{watch.url}/api/library/{media}", data={"note": "Some words on it. " * 60})
    assert patched.ok
    held: list[Route] = []
    page.route(f"**/api/library/{media}", lambda route: held.append(route))  # noqa: PLW0108  # a built-in cannot be a handler
    page.add_init_script(f"addEventListener('DOMContentLoaded', () => {{ {NO_ANCHOR} }})")
    reopened(page, sentence)
    for route in held:
        route.continue_()
    expect(page.locator(".note")).to_be_attached()
    is_at(page, sentence)
    stored = page.evaluate(STORED)
    page.keyboard.press("u")
    expect(page.locator(".prose")).to_have_count(0)
    assert page.evaluate(WAITING) == []
    assert page.evaluate(STORED) == stored
