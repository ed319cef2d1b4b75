"""The search box: suggestions, recent searches, help, and its message when nothing is found."""

from uuid import UUID

import httpx2
from playwright.sync_api import Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live, row, titles
from tests.viewer.search.marks import search_box
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width


def suggestions(page: Page) -> list[str]:
    return page.get_by_role("listbox", name="Suggestions").get_by_role("option").all_inner_texts()


def tagged(server: ServerProcess, user: UUID, media: str, tag: str) -> None:
    headers = {"X-User-Id": str(user)}
    asked = httpx2.patch(f"{server.url}/api/library/{media}", json={"tags": [tag]}, headers=headers, timeout=60)
    assert asked.is_success


def test_operators_and_tags_are_suggested_and_chosen_with_the_keyboard(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    tagged(server, library.user, library.article("Ships", "<p>They pass.</p>"), "sea travel")
    library.article("Ships of the sky", "<p>They fly.</p>")
    library.wait_until_found("ships ", 2)
    library.wait_until_found('tag:"sea travel" ', 1)
    page = live(watch.open())
    field = search_box(page)
    expect(field).to_be_visible()
    page.keyboard.press("/")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_role("option").filter(has_text="tag:")).to_be_visible()
    assert accessibility_problems(page) == []
    page.keyboard.type("ships ta")
    option = page.get_by_role("option").filter(has_text="tag:")
    expect(option).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value("ships tag:")
    value = page.get_by_role("option", name='tag:"sea travel"')
    expect(value).to_be_visible()
    page.keyboard.press("ArrowUp")  # the last one
    expect(value).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value('ships tag:"sea travel" ')
    expect(titles(page)).to_have_text(["Ships"])
    expect(page.get_by_role("listbox")).to_have_count(0)


def test_escape_closes_the_suggestions_first_and_then_the_search(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("Ships", "<p>They pass.</p>")
    page = live(watch.open())
    field = search_box(page)
    field.click()
    page.keyboard.type("ta")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_have_count(0)
    expect(field).to_have_value("ta")
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(field).not_to_be_focused()


def test_a_search_that_led_to_a_text_is_offered_again(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("The lighthouse", "<p>Its keeper wrote letters.</p>", lang="en")
    library.wait_until_found("keeper", 1)
    page = live(watch.open())
    search_box(page).fill("keeper")
    expect(row(page, "The lighthouse").locator("mark")).to_have_text(["keeper"])  # that of the search
    row(page, "The lighthouse").get_by_role("link", name="The lighthouse", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The lighthouse")
    watch.open()
    search_box(page).click()
    recent = page.get_by_role("option", name="keeper", exact=True)
    recent.click()
    expect(search_box(page)).to_have_value("keeper")
    expect(row(page, "The lighthouse").locator("mark")).to_have_text(["keeper"])
    search_box(page).fill("")
    page.get_by_role("option", name="Clear recent searches").click()
    expect(recent).to_have_count(0)


def test_on_a_phone_the_suggestions_fit(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("Ships", "<p>They pass.</p>")
    watch.page.set_viewport_size({"width": 390, "height": 844})
    page = live(watch.open())
    search_box(page).click()
    box = page.get_by_role("listbox", name="Suggestions")
    expect(box).to_be_in_viewport()
    fits_the_width(page)
    page.get_by_role("option").filter(has_text="site:").click()
    expect(search_box(page)).to_have_value("site:")
    expect(search_box(page)).to_be_focused()


def test_the_help_says_what_can_be_typed(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("Ships", "<p>They pass.</p>")
    page = live(watch.open())
    page.get_by_role("button", name="How to search").click()
    help_of = page.get_by_role("dialog", name="How to search")
    expect(help_of).to_contain_text("cats OR dogs")
    assert accessibility_problems(page) == []
    page.keyboard.press("Escape")
    expect(help_of).to_have_count(0)


def test_where_nothing_is_found_other_searches_are_offered(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("The lighthouse", "<p>Its keeper wrote letters.</p>", lang="en")
    library.wait_until_found("lighthouse ", 1)
    page = watch.open("/?kind=podcast_episode&q=lighthouse+")
    expect(page.get_by_role("heading", name="No results for “lighthouse” with these filters")).to_be_visible()
    page.get_by_role("button", name="Search without the filters").click()
    expect(titles(page)).to_have_text(["The lighthouse"])
    search_box(page).fill('"ligthouse"')
    page.get_by_role("button", name="Did you mean “lighthouse”?").click()
    expect(search_box(page)).to_have_value("lighthouse")
    expect(titles(page)).to_have_text(["The lighthouse"])
    search_box(page).fill("ligthouse ")
    expect(page.get_by_text("Also showing results for “lighthouse”, the word nearest to “ligthouse”.")).to_be_visible()
    page.get_by_role("button", name="Search for “ligthouse” only").click()
    expect(page.get_by_role("heading", name='No results for “"ligthouse"”')).to_be_visible()
    assert accessibility_problems(page) == []


def test_without_a_connection_the_search_says_that_it_needs_one(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("The lighthouse", "<p>Its keeper wrote letters.</p>", lang="en")
    library.wait_until_found("keeper", 1)
    page = live(watch.open())
    expect(row(page, "The lighthouse")).to_be_visible()
    page.context.set_offline(offline=True)
    search_box(page).fill("keeper")
    expect(page.get_by_role("alert").filter(has_text="This search needs a connection")).to_be_visible()
    assert accessibility_problems(page) == []
    page.context.set_offline(offline=False)
    page.get_by_role("button", name="Try again").click()
    expect(row(page, "The lighthouse").locator("mark")).to_have_text(["keeper"])
    page.context.set_offline(offline=True)
    search_box(page).fill("letters")
    page.get_by_role("button", name="Show the library").click()
    expect(search_box(page)).to_have_value("")
