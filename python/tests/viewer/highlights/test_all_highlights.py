"""All highlights: listed, filtered, searched, changed, and kept up to date."""

import re
from uuid import UUID

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess, eventually
from tests.viewer.highlights.marked_pages import HIGHLIGHTS, choose, item, mark, marked_text, quotes
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

SEA, LAND = "The keeper counted the ships that passed.", "An oak may stand for a thousand years."
SEA_TOO = "Nobody read the ledger until the tower was sold."


@pytest.fixture
def three(api: httpx2.Client, library: UserLibrary) -> dict[str, str]:
    """Highlights of two texts: their ids by their quotes."""
    html = f"<p>{SEA}</p><p>{SEA_TOO}</p>"
    sea = library.article("The lighthouse", html)
    oak = library.article("Oaks", f"<p>{LAND}</p>")
    return {
        SEA_TOO: mark(api, sea, html, SEA_TOO, color="green", tags=["history/sea"]),
        LAND: mark(api, oak, f"<p>{LAND}</p>", LAND, color="blue", tags=["trees"], note="Ask the forester"),
        SEA: mark(api, sea, html, SEA, color="yellow"),
    }


def opened(watch: WatchedPage, address: str = HIGHLIGHTS, count: int = 3) -> Page:
    page = live(watch.open(address))
    expect(quotes(page)).to_have_count(count)
    return page


def has_scrolled_to(page: Page, words: str) -> bool:
    """Scrolls one step down; rows are measured and pages are loaded between two steps."""
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    return item(page, words).count() > 0


def test_the_newest_come_first_and_each_leads_to_its_place(watch: WatchedPage, three: dict[str, str]) -> None:
    page = opened(watch)
    expect(quotes(page)).to_have_text([SEA, LAND, SEA_TOO])
    expect(item(page, LAND)).to_contain_text("Ask the forester")
    expect(item(page, LAND)).to_contain_text("Oaks")
    expect(item(page, LAND).get_by_role("link")).to_have_attribute(
        "href", re.compile(rf"^/read/[0-9a-f-]+\?highlight={three[LAND]}$")
    )
    item(page, LAND).get_by_role("link").click()
    expect(page.get_by_role("heading", name="Oaks")).to_be_visible()
    page.go_back()
    expect(quotes(page)).to_have_text([SEA, LAND, SEA_TOO])


def test_by_text_each_text_has_its_title_and_its_order(watch: WatchedPage, three: dict[str, str]) -> None:
    page = opened(watch)
    page.get_by_label("Order").select_option("By text")
    expect(quotes(page)).to_have_text([LAND, SEA, SEA_TOO])
    expect(page.locator("li.slot h2")).to_have_text([re.compile("^Oaks"), re.compile("^The lighthouse")])
    expect(page).to_have_url(re.compile(r"\?sort=text$"))
    page.go_back()
    expect(quotes(page)).to_have_text([SEA, LAND, SEA_TOO])


def test_by_colour_tag_and_words_and_back(watch: WatchedPage, three: dict[str, str]) -> None:
    page = opened(watch)
    blue = page.get_by_role("button", name="Only blue ones")
    blue.click()
    expect(quotes(page)).to_have_text([LAND])
    expect(blue).to_have_attribute("aria-pressed", "true")
    blue.click()
    expect(quotes(page)).to_have_count(3)
    page.get_by_label("Tag", exact=True).select_option("history")  # and those below it
    expect(quotes(page)).to_have_text([SEA_TOO])
    page.get_by_role("button", name="Remove the filter “history”").click()
    expect(quotes(page)).to_have_count(3)
    item(page, LAND).get_by_role("button", name="trees").click()
    expect(quotes(page)).to_have_text([LAND])
    page.go_back()
    expect(quotes(page)).to_have_count(3)
    page.get_by_role("searchbox").fill("forest")  # of the note, and only its beginning
    expect(quotes(page)).to_have_text([LAND])
    expect(page).to_have_url(re.compile(r"\?q=forest$"))
    page.get_by_role("searchbox").fill("nowhere")
    expect(page.get_by_text("No highlight matches.")).to_be_visible()
    page.get_by_role("button", name="Show all highlights").click()
    expect(quotes(page)).to_have_count(3)
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_a_search_that_cannot_be_read_says_why(watch: WatchedPage, three: dict[str, str]) -> None:
    page = opened(watch)
    page.get_by_role("searchbox").fill("-ships")
    expect(page.get_by_role("status").filter(has_text=re.compile("word", re.I))).to_be_visible()
    page.get_by_role("searchbox").fill("")
    expect(quotes(page)).to_have_count(3)


def test_note_colour_and_tags_are_changed_in_place(
    watch: WatchedPage, three: dict[str, str], api: httpx2.Client
) -> None:
    page = opened(watch)
    item(page, SEA).get_by_role("button", name="Add a note").click()
    page.get_by_role("textbox", name="Note").fill("Which ships?")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(item(page, SEA)).to_contain_text("Which ships?")
    expect(item(page, SEA).get_by_role("button", name="Edit note")).to_be_focused()
    choose(page, SEA, "Pink")
    expect(item(page, SEA).locator("blockquote")).to_have_class(re.compile("pink"))
    item(page, SEA).get_by_role("button", name="Tags", exact=True).click()
    page.get_by_role("combobox", name="Find or create a tag").fill("ships")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(item(page, SEA).get_by_role("list", name="Tags of the highlight")).to_have_text("ships")
    expect(page.get_by_role("dialog")).to_have_count(0)

    def is_sent() -> bool:
        [one] = [each for each in api.get("/highlights").json()["data"]["highlights"] if each["id"] == three[SEA]]
        return (one["note"], one["color"], one["tags"]) == ("Which ships?", "pink", ["ships"])

    eventually(is_sent, "the changes were not sent")
    page.reload()
    expect(item(page, SEA)).to_contain_text("Which ships?")
    expect(item(page, SEA).locator("blockquote")).to_have_class(re.compile("pink"))


def test_a_deletion_is_undone_at_its_place(watch: WatchedPage, three: dict[str, str], api: httpx2.Client) -> None:
    page = opened(watch)
    choose(page, LAND, "Delete")
    expect(quotes(page)).to_have_text([SEA, SEA_TOO])
    expect(item(page, SEA_TOO).get_by_role("link")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(quotes(page)).to_have_text([SEA, LAND, SEA_TOO])
    page.reload()
    expect(quotes(page)).to_have_text([SEA, LAND, SEA_TOO])


def test_what_another_device_does_is_shown(
    watch: WatchedPage, three: dict[str, str], api: httpx2.Client, library: UserLibrary
) -> None:
    page = opened(watch)
    assert api.patch(f"/highlights/{three[LAND]}", json={"note": "From the phone"}).status_code == 200
    expect(item(page, LAND)).to_contain_text("From the phone")
    assert api.delete(f"/highlights/{three[SEA_TOO]}").status_code == 204
    expect(quotes(page)).to_have_text([SEA, LAND])
    marked_text(api, library, "Another", "A new one.")
    expect(quotes(page)).to_have_text(["A new one.", SEA, LAND])


def test_an_orphan_is_marked(watch: WatchedPage, library: UserLibrary, api: httpx2.Client) -> None:
    media, _ = marked_text(api, library, "A page", "These words will be gone soon.")
    page = opened(watch, count=1)
    expect(page.get_by_text("Not in the current text")).to_have_count(0)
    library.new_version(media, "<p>Something else altogether stands here by now.</p>")
    expect(item(page, "These words").get_by_text("Not in the current text")).to_be_visible()


def test_the_list_is_endless_and_only_what_is_visible_is_rendered(
    watch: WatchedPage, library: UserLibrary, api: httpx2.Client
) -> None:
    words = [f"Sentence number {index:03} of a long text." for index in range(240)]
    marked_text(api, library, "Long", *words)
    page = live(watch.open(HIGHLIGHTS))
    expect(quotes(page).first).to_have_text(words[-1])
    eventually(lambda: has_scrolled_to(page, words[0]), "the last one was not reached")
    expect(page.get_by_text("All 240 highlights are shown.")).to_be_visible()
    assert quotes(page).count() < 40
    # Down there, too, it hears of what happens elsewhere.
    [gone] = [one["id"] for one in api.get("/highlights", params={"q": '"number 003"'}).json()["data"]["highlights"]]
    api.delete(f"/highlights/{gone}")
    expect(page.get_by_text("All 239 highlights are shown.")).to_be_visible()
    expect(item(page, words[3])).to_have_count(0)


def test_by_keyboard_alone(watch: WatchedPage, three: dict[str, str]) -> None:
    page = live(watch.open("/"))
    press_together(page, "g", "h")
    expect(quotes(page)).to_have_count(3)
    page.keyboard.press("j")
    expect(item(page, SEA).get_by_role("link")).to_be_focused()
    page.keyboard.press("j")
    expect(item(page, LAND).get_by_role("link")).to_be_focused()
    page.keyboard.press("n")
    expect(page.get_by_role("textbox", name="Note")).to_have_value("Ask the forester")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(item(page, LAND).get_by_role("link")).to_be_focused()
    page.keyboard.press("#")
    expect(quotes(page)).to_have_text([SEA, SEA_TOO])
    page.keyboard.press("z")
    expect(quotes(page)).to_have_text([SEA, LAND, SEA_TOO])
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("thousand")
    expect(quotes(page)).to_have_text([LAND])
    page.get_by_role("searchbox").blur()
    page.keyboard.press("j")
    expect(item(page, LAND).get_by_role("link")).to_be_focused()
    page.keyboard.press("o")
    expect(page.get_by_role("heading", name="Oaks")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Go to the highlights")


def test_without_highlights_it_says_how_to_make_some(watch: WatchedPage, library: UserLibrary) -> None:
    page = live(watch.open(HIGHLIGHTS))
    expect(page.get_by_role("heading", name="No highlights yet")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_count(0)
    assert accessibility_problems(page) == []


def test_an_error_can_be_tried_again(watch: WatchedPage, three: dict[str, str]) -> None:
    page = watch.page
    page.route("**/highlights?*", lambda route: route.abort())
    live(watch.open(HIGHLIGHTS))
    expect(page.get_by_role("alert")).to_contain_text("Couldn't load the highlights.")
    page.unroute("**/highlights?*")
    page.get_by_role("button", name="Try again").click()
    expect(quotes(page)).to_have_count(3)


def test_what_is_changed_without_a_connection_is_shown_and_sent_later(
    watch: WatchedPage, three: dict[str, str], api: httpx2.Client
) -> None:
    page = opened(watch)
    page.context.set_offline(True)
    choose(page, SEA, "Pink")
    choose(page, LAND, "Delete")
    expect(quotes(page)).to_have_text([SEA, SEA_TOO])
    expect(item(page, SEA).locator("blockquote")).to_have_class(re.compile("pink"))
    page.context.set_offline(False)

    def is_sent() -> bool:
        found = api.get("/highlights").json()["data"]["highlights"]
        return [(one["quote"], one["color"]) for one in found] == [(SEA, "pink"), (SEA_TOO, "green")]

    eventually(is_sent, "the changes were not sent")


def test_on_a_phone(browser: Browser, server: ServerProcess, user: UUID, three: dict[str, str]) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with watched_page(browser, server.url, user=user, **phone) as watch:
        page = watch.open("/")
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("link", name="Highlights").click()
        expect(quotes(page)).to_have_count(3)
        fits_the_width(page)
        assert accessibility_problems(page) == []
        choose(page, SEA_TOO, "Pink")
        expect(item(page, SEA_TOO).locator("blockquote")).to_have_class(re.compile("pink"))


def test_is_accessible(watch: WatchedPage, three: dict[str, str]) -> None:
    page = opened(watch, HIGHLIGHTS + "?sort=text")
    assert accessibility_problems(page) == []
    item(page, SEA).get_by_role("button", name="More actions of this highlight").click()
    assert accessibility_problems(page, COLOURS) == []
    in_the_dark(page)
    assert accessibility_problems(page, COLOURS) == []


def test_the_library_says_how_many_a_text_has_and_finds_those(
    watch: WatchedPage, three: dict[str, str], library: UserLibrary, api: httpx2.Client
) -> None:
    library.article("Unmarked", "<p>Words</p>")
    page = live(watch.open("/"))
    rows = page.locator("li.slot")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="The lighthouse").get_by_label("2 highlights")).to_be_visible()
    expect(rows.filter(has_text="Unmarked").get_by_label("highlight")).to_have_count(0)
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_label("Only texts with highlights").click()
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile("highlighted=1"))
    assert api.delete(f"/highlights/{three[LAND]}").status_code == 204
    expect(rows).to_have_count(1)
    assert api.delete(f"/highlights/{three[SEA]}").status_code == 204
    expect(rows.get_by_label("1 highlight")).to_be_visible()
