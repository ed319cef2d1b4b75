"""The daily review: five highlights of earlier days, which can be marked as seen."""

from uuid import UUID

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess
from tests.viewer.highlights.marked_pages import HIGHLIGHTS, REVIEW, ago, choose, item, marked_text, quotes
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live
from tests.viewer.watching import (
    COLOURS,
    WatchedPage,
    accessibility_problems,
    fits_the_width,
    in_the_dark,
    press_together,
    watched_page,
)

WORDS = [f"Sentence {name} of the text." for name in ("one", "two", "three", "four", "five", "six", "seven")]


@pytest.fixture
def seven(api: httpx2.Client, library: UserLibrary) -> list[str]:
    """Seven highlights of two days ago."""
    return marked_text(api, library, "A long text", *WORDS, client_time=ago(days=2))[1]


def opened(watch: WatchedPage) -> Page:
    page = live(watch.open(REVIEW))
    expect(quotes(page)).to_have_count(5)
    return page


def test_five_are_shown_and_stay_the_same_all_day(watch: WatchedPage, seven: list[str], api: httpx2.Client) -> None:
    page = opened(watch)
    expect(page.get_by_text("0 of 5 seen")).to_be_visible()
    shown = quotes(page).all_text_contents()
    assert len(set(shown)) == 5
    assert set(shown) <= set(WORDS)
    page.get_by_role("button", name="Mark as seen").first.click()
    expect(page.get_by_text("1 of 5 seen")).to_be_visible()
    page.reload()
    expect(page.get_by_text("1 of 5 seen")).to_be_visible()
    expect(quotes(page)).to_have_text(shown)
    [seen] = [one for one in api.get("/highlights").json()["data"]["highlights"] if one["seen_at"]]
    assert seen["quote"] == shown[0]


def test_all_seen_is_all_for_today(watch: WatchedPage, seven: list[str]) -> None:
    page = opened(watch)
    for count in range(1, 6):
        page.get_by_role("button", name="Mark as seen").first.click()
        expect(page.get_by_text(f"{count} of 5 seen")).to_be_visible()
    expect(page.get_by_text("That's all for today.")).to_be_visible()
    expect(page.get_by_role("button", name="Mark as seen")).to_have_count(0)


def test_another_day_shows_those_that_were_not_shown_first(
    browser: Browser, server: ServerProcess, user: UUID, seven: list[str]
) -> None:
    """A day is that of the user's time zone: these two zones never have the same date."""
    shown = []
    for zone in ("Etc/GMT+12", "Pacific/Kiritimati"):
        with watched_page(browser, server.url, user=user, timezone_id=zone) as watch:
            shown.append(set(quotes(opened(watch)).all_text_contents()))
    assert shown[0] | shown[1] == set(WORDS)


def test_those_of_today_wait_until_tomorrow(watch: WatchedPage, api: httpx2.Client, library: UserLibrary) -> None:
    marked_text(api, library, "New", "Marked just now.")
    page = live(watch.open(REVIEW))
    expect(page.get_by_role("heading", name="Nothing to review today")).to_be_visible()
    assert accessibility_problems(page) == []


def test_they_can_be_changed_and_deleted_here_too(watch: WatchedPage, seven: list[str]) -> None:
    page = opened(watch)
    first, *others = quotes(page).all_text_contents()
    choose(page, first, "Delete")
    expect(quotes(page)).to_have_text(others)
    page.get_by_role("button", name="Undo").click()
    expect(quotes(page)).to_have_text([first, *others])
    item(page, first).get_by_role("button", name="Add a note").click()
    page.get_by_role("textbox", name="Note").fill("Still true")
    page.keyboard.press("Control+Enter")
    expect(item(page, first)).to_contain_text("Still true")


def test_by_keyboard_alone(watch: WatchedPage, seven: list[str]) -> None:
    page = live(watch.open(HIGHLIGHTS))
    expect(quotes(page).first).to_be_visible()
    press_together(page, "g", "r")
    expect(page.get_by_text("0 of 5 seen")).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator("article.highlight a").nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("article.highlight a").nth(1)).to_be_focused()
    page.keyboard.press("s")
    expect(page.get_by_text("1 of 5 seen")).to_be_visible()
    expect(page.locator("article.highlight").nth(1)).to_contain_text("Seen")
    button = page.get_by_role("button", name="Mark as seen").first
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 5 seen")).to_be_visible()
    expect(page.get_by_role("button", name="Mark as seen").first).to_be_focused()  # the next one


def test_what_cannot_be_sent_is_a_message(watch: WatchedPage, seven: list[str]) -> None:
    page = opened(watch)
    page.route("**/seen", lambda route: route.abort())
    page.get_by_role("button", name="Mark as seen").first.click()
    expect(page.get_by_role("alert")).to_contain_text("Couldn't mark it as seen.")
    expect(page.get_by_text("0 of 5 seen")).to_be_visible()
    page.unroute("**/seen")
    page.get_by_role("button", name="Mark as seen").first.click()
    expect(page.get_by_text("1 of 5 seen")).to_be_visible()


def test_is_accessible_and_fits_a_phone(browser: Browser, server: ServerProcess, user: UUID, seven: list[str]) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with watched_page(browser, server.url, user=user, **phone) as watch:
        page = watch.open(REVIEW)
        expect(quotes(page)).to_have_count(5)
        page.get_by_role("button", name="Mark as seen").first.click()
        expect(page.get_by_text("1 of 5 seen")).to_be_visible()
        fits_the_width(page)
        assert accessibility_problems(page) == []
        in_the_dark(page)
        assert accessibility_problems(page, COLOURS) == []
