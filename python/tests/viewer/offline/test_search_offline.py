"""Searching without a connection, in the texts that the browser keeps."""

from playwright.sync_api import expect

from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import opened
from tests.viewer.rows import row, titles
from tests.viewer.search.marks import search_box
from tests.viewer.watching import WatchedPage, accessibility_problems, is_kept, text_is_kept


def test_what_the_browser_keeps_is_searched_without_a_connection(watch: WatchedPage, library: UserLibrary) -> None:
    read = library.article("Opened before", f"<p>{'Words between. ' * 50}</p><p>A Zébra stands here.</p>", lang="en")
    library.article("The zebra of the title", "<p>Never opened.</p>", lang="en")
    library.article("Never opened either", "<p>A zebra that nobody has seen.</p>", lang="en")
    page = opened(watch)
    is_kept(page, "/api/library")
    page.get_by_role("link", name="Opened before", exact=True).click()
    expect(page.locator(".prose")).to_contain_text("Zébra")
    text_is_kept(page, read)
    page.context.set_offline(offline=True)
    page.keyboard.press("u")
    search_box(page).fill("zebra")
    expect(page.get_by_text("Offline. Only what this browser keeps was searched.")).to_be_visible()
    expect(titles(page)).to_have_text(["The zebra of the title", "Opened before"])
    expect(page.get_by_role("status").filter(has_text="2 results")).to_be_visible()
    expect(row(page, "Opened before").locator("mark")).to_have_text(["Zébra"])
    assert accessibility_problems(page) == []
    page.get_by_role("link", name="Opened before", exact=True).click()
    expect(page.locator(".prose .found")).to_have_text("A Zébra stands here.")
    page.keyboard.press("u")
    search_box(page).fill("is:unread")
    expect(page.get_by_role("alert").filter(has_text="This search needs a connection")).to_be_visible()
    page.context.set_offline(offline=False)
    search_box(page).fill("zebra")
    expect(titles(page)).to_have_count(3)
    expect(page.get_by_text("Only what this browser keeps")).to_have_count(0)
