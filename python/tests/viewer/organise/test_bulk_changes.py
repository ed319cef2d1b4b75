"""Many rows at once, with undo; and the same library on two devices."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.organise.steps import expect_count, fill, side, tag
from tests.viewer.rows import live, row, titles
from tests.viewer.watching import WatchedPage, accessibility_problems, watched_page


@pytest.fixture
def other_device(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url, user=user) as watching:
        yield watching


def test_a_thousand_at_once_with_undo(watch: WatchedPage, library: UserLibrary) -> None:
    fill(library, 1000)
    page = live(watch.open())
    expect_count(page, "Inbox", 1000)
    page.keyboard.press("j")
    page.keyboard.press("x")
    bar = page.get_by_role("toolbar", name="Actions for the selection")
    expect(bar).to_contain_text("1 selected")
    page.get_by_role("checkbox", name="Select “Number 5”", exact=True).click(modifiers=["Shift"])
    expect(bar).to_contain_text("5 selected")
    bar.get_by_role("button", name="Select all results").click()
    expect(bar).to_contain_text("All 1,000 selected")
    assert accessibility_problems(page) == []
    bar.get_by_role("button", name="Archive").click()
    toasts = page.get_by_role("region", name="Notifications")
    expect(toasts).to_contain_text("1,000 items archived")
    toasts.get_by_role("button", name="Undo").click()  # while it is there
    expect(toasts).to_contain_text("1,000 items restored")
    expect_count(page, "Inbox", 1000)
    expect(titles(page).first).to_have_text("Number 1")
    for number in (1, 2, 3):
        page.get_by_role("checkbox", name=f"Select “Number {number}”", exact=True).click()
    bar.get_by_role("button", name="Delete").click()
    expect(titles(page).first).to_have_text("Number 4")
    toasts.get_by_role("button", name="Undo").last.click()
    expect(titles(page).first).to_have_text("Number 1")
    page.keyboard.press("*")
    bar.get_by_role("button", name="Archive").click()
    expect_count(page, "Archive", 1000)
    expect(page.get_by_text("Your Inbox is empty.")).to_be_visible()


def test_rows_are_dragged_onto_a_tag_and_downloaded_together(watch: WatchedPage, library: UserLibrary) -> None:
    for title in ("One", "Two", "Three"):
        library.article(title, "<p>Words.</p>")
    page = watch.open()
    row(page, "One").hover()
    page.get_by_role("button", name="Tags of “One”").click()
    tag(page, "later")
    for title in ("Two", "Three"):
        row(page, title).hover()
        page.get_by_role("checkbox", name=f"Select “{title}”").click()
    bar = page.get_by_role("toolbar", name="Actions for the selection")
    bar.get_by_role("button", name="Tags").click()
    tag(page, "both", "together")
    toasts = page.get_by_role("region", name="Notifications")
    expect(toasts).to_contain_text("2 items tagged “both”, “together”")
    toasts.get_by_role("button", name="Undo").click()
    expect(row(page, "Two").get_by_role("list", name="Tags")).to_have_count(0)
    for title in ("Two", "Three"):
        row(page, title).hover()
        page.get_by_role("button", name=f"Star “{title}”").click()
    expect(bar.get_by_role("button", name="Remove the star")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the selection").click()
        page.get_by_role("button", name="Web page").click()
    assert download.value.suggested_filename.endswith(".html")
    row(page, "Two").get_by_role("heading").drag_to(side(page, "later"))
    expect_count(page, "later", 3)
    row(page, "One").get_by_role("heading").drag_to(side(page, "Archive"))
    expect(titles(page)).to_have_text(["Three", "Two"])


def test_what_is_done_on_one_device_shows_on_the_other(
    watch: WatchedPage, other_device: WatchedPage, library: UserLibrary
) -> None:
    for title in ("One", "Two", "Three"):
        library.article(title, "<p>Words.</p>")
    first_page, second_page = live(watch.open()), live(other_device.open())
    expect(titles(second_page)).to_have_count(3)
    row(first_page, "One").hover()
    first_page.get_by_role("button", name="Tags of “One”").click()
    tag(first_page, "both")
    expect(row(second_page, "One").get_by_role("list", name="Tags")).to_have_text("both")
    expect_count(second_page, "both", 1)
    row(second_page, "Two").hover()
    second_page.get_by_role("button", name="Archive “Two”").click()
    expect(titles(first_page)).to_have_text(["Three", "One"])
    expect_count(first_page, "Archive", 1)
    side(first_page, "Archive").click()
    expect(titles(first_page)).to_have_text(["Two"])
    row(second_page, "Three").hover()
    second_page.get_by_role("button", name="Star “Three”").click()
    expect_count(first_page, "Starred", 1)
    row(first_page, "Two").hover()
    first_page.get_by_role("button", name="Move “Two” to the Inbox").click()
    expect(titles(first_page)).to_have_count(0)
    expect(titles(second_page)).to_have_text(["Three", "Two", "One"])
    expect_count(first_page, "Inbox", 3)
