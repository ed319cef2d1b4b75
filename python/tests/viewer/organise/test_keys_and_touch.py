"""The library by keyboard alone, and by thumb on a phone."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.organise.steps import expect_count, tag
from tests.viewer.rows import live, row, titles
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, press_together, watched_page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_everything_by_keyboard(watch: WatchedPage, library: UserLibrary) -> None:
    for title in ("One", "Two", "Three", "Four"):
        library.article(title, "<p>Words.</p>")
    page = live(watch.open())
    expect(titles(page)).to_have_text(["Four", "Three", "Two", "One"])
    press(page, "j", "s")
    expect(row(page, "Four").get_by_role("img", name="Starred")).to_be_visible()
    press(page, "l")
    tag(page, "by key", "by")
    expect(row(page, "Four").get_by_role("list", name="Tags").get_by_role("listitem")).to_have_count(2)
    expect(page.get_by_role("link", name="Four")).to_be_focused()
    press(page, "i")
    page.get_by_role("textbox", name="Note").fill("Typed")
    press(page, "Escape")
    expect(page.get_by_text("You have unsaved changes.")).to_be_visible()
    page.get_by_role("button", name="Keep editing").click()
    page.get_by_role("textbox", name="Note").press("Control+Enter")
    expect(row(page, "Four")).to_contain_text("Typed")
    press(page, "m")
    expect(page.get_by_role("img", name="Unread")).to_have_count(3)
    press(page, "e")
    expect(titles(page)).to_have_text(["Three", "Two", "One"])
    expect(page.get_by_role("link", name="Three")).to_be_focused()
    press(page, "z")
    expect(titles(page)).to_have_text(["Four", "Three", "Two", "One"])
    press(page, "j", "x", "J")
    expect(page.get_by_role("toolbar")).to_contain_text("2 selected")
    press(page, "e")
    expect(titles(page)).to_have_count(2)
    press_together(page, "g", "e")
    expect(page).to_have_url(f"{watch.url}/?in=archive")
    expect(titles(page)).to_have_count(2)
    press(page, "*", "e")
    expect(titles(page)).to_have_count(0)
    press_together(page, "g", "i")
    expect_count(page, "Inbox", 4)
    press(page, "j", "#")
    expect(titles(page)).to_have_count(3)
    press(page, "z")
    expect(titles(page)).to_have_count(4)
    box = page.get_by_role("checkbox", name="Select “Two”")
    box.click()
    expect(box).to_be_checked()
    press(page, "e")
    expect(titles(page)).to_have_text(["Four", "Three", "One"])
    press(page, "z")
    expect(titles(page)).to_have_count(4)
    press(page, "?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Archive, or move to the Inbox")
    assert accessibility_problems(page) == []


@pytest.fixture
def phone(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    size = {"width": 390, "height": 844}
    with watched_page(browser, server.url, user=user, viewport=size, has_touch=True, is_mobile=True) as watching:
        yield watching


# Which gestures of its own a browser may begin with a touch is looked up in the frame that it has drawn last.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"


def swipe(page: Page, start: tuple[float, float], across: float = 0, down: float = 0) -> None:
    page.evaluate(DRAWN)
    touch = page.context.new_cdp_session(page)
    points = [(start[0] + across * part / 8, start[1] + down * part / 8) for part in range(9)]
    for index, (x, y) in enumerate(points):
        kind = "touchMove" if index else "touchStart"
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def middle(page: Page, title: str) -> tuple[float, float]:
    box = row(page, title).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_phone_by_thumb(phone: WatchedPage, library: UserLibrary) -> None:
    for title in ("One", "Two", "Three"):
        library.article(title, "<p>Words.</p>", excerpt="words that would fill the row " * 12)
    page = phone.open()
    expect(titles(page)).to_have_text(["Three", "Two", "One"])
    fits_the_width(page)
    box = row(page, "Three").bounding_box()
    assert box
    assert box["height"] < 96, "three lines"
    assert accessibility_problems(page) == []
    swipe(page, middle(page, "Two"), across=150)
    expect(titles(page)).to_have_text(["Three", "One"])
    # Clicks, not taps: browsers suppress a tap that stops a fling.
    undo = page.get_by_role("region", name="Notifications").get_by_role("button", name="Undo")
    undo.click()
    expect(undo).to_have_count(0)  # else the next swipe may begin on the message instead of the row below it
    expect(titles(page)).to_have_text(["Three", "Two", "One"])
    swipe(page, middle(page, "One"), across=-150)
    expect(row(page, "One").get_by_role("img", name="Starred")).to_be_visible()
    swipe(page, middle(page, "One"), across=-40)  # not far enough
    expect(row(page, "One").get_by_role("img", name="Starred")).to_be_visible()
    row(page, "Three").get_by_role("button", name="More actions for “Three”").click()
    sheet = page.get_by_role("dialog", name="Three")
    expect(sheet).to_be_visible()
    assert accessibility_problems(page) == []
    sheet.get_by_role("button", name="Select").tap()
    page.get_by_role("checkbox", name="Select “One”").tap()
    page.get_by_role("toolbar").get_by_role("button", name="Archive").tap()
    expect(titles(page)).to_have_text(["Two"])
    page.get_by_role("button", name="Tags and filters").tap()
    page.get_by_role("dialog", name="Tags and filters").get_by_role("button", name="Archive").tap()
    expect(titles(page)).to_have_text(["Three", "One"])
    page.route("**/api/library?*", lambda _: None)  # the refresh takes until it is let through
    swipe(page, (200, 90), down=320)
    expect(page.get_by_text("Refreshing…")).to_be_visible()
    page.unroute("**/api/library?*")
    expect(page.get_by_text("Refreshing…")).to_have_count(0)
    fits_the_width(page)
