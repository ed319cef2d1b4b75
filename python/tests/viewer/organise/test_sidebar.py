"""Saved searches are renamed and deleted in the sidebar, and rows are dropped on its views."""

from playwright.sync_api import Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.organise.steps import entry, expect_count, side
from tests.viewer.rows import live, row, titles
from tests.viewer.watching import WatchedPage, accessibility_problems


def search_menu(page: Page, name: str, action: str) -> None:
    page.get_by_role("button", name=f"Actions for “{name}”").click()
    page.get_by_role("button", name=action, exact=True).last.click()


def saved_as(page: Page, name: str) -> None:
    """Saves the search under this name in the open dialog."""
    page.get_by_role("dialog").get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()


def test_saved_searches_are_renamed_and_deleted(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("A comet", "<p>Words.</p>", word_count=200)
    page = live(watch.open("/?max=5"))
    for name in ("Short ones", "Others"):
        page.get_by_role("button", name="Save this search").click()
        saved_as(page, name)
        expect(side(page, name).first).to_be_visible()
        page.goto(f"{watch.url}/?untagged=1")
        live(page)
    groups = page.get_by_role("group", name="Saved searches")
    search_menu(page, "Short ones", "Rename")
    saved_as(page, "")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_have_text("Enter a name.")
    assert accessibility_problems(page) == []
    saved_as(page, "others")
    expect(dialog.get_by_role("alert")).to_contain_text("already")
    saved_as(page, "For the bus")
    expect(dialog).to_have_count(0)
    expect(groups.locator(".name")).to_have_text(["For the bus", "Others"])

    search_menu(page, "For the bus", "Delete")
    expect(groups.locator(".name")).to_have_text(["Others"])
    toasts = page.get_by_role("region", name="Notifications")
    expect(toasts).to_contain_text("“For the bus” deleted")
    toasts.get_by_role("button", name="Undo").click()
    expect(groups.locator(".name")).to_have_text(["For the bus", "Others"])
    side(page, "For the bus").first.click()
    expect(page).to_have_url(f"{watch.url}/?max=5")
    expect(titles(page)).to_have_text(["A comet"])
    page.goto(f"{watch.url}/?min=90")
    expect(page.get_by_text("Your Inbox is empty")).to_have_count(0)
    expect(page.get_by_text("No items match these filters.")).to_be_visible()
    for name in ("For the bus", "Others"):
        search_menu(page, name, "Delete")
        expect(side(page, name)).to_have_count(0)
    expect(groups).to_have_count(0)
    watch.open()
    expect(titles(page)).to_have_text(["A comet"])
    expect(groups).to_have_count(0)


def drag(page: Page, title: str, view: str) -> None:
    row(page, title).get_by_role("heading").drag_to(side(page, view))


def test_rows_are_dropped_on_starred_archive_and_inbox(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    ids = {title: library.article(title, "<p>Words.</p>") for title in ("One", "Two", "Three")}
    page = live(watch.open())
    drag(page, "One", "Starred")
    expect(row(page, "One").get_by_role("img", name="Starred")).to_be_visible()
    expect_count(page, "Starred", 1)
    for title in ("One", "Two"):
        row(page, title).hover()
        page.get_by_role("checkbox", name=f"Select “{title}”").click()
    drag(page, "One", "Archive")  # all that are selected
    expect(titles(page)).to_have_text(["Three"])
    expect_count(page, "Archive", 2)
    expect(page.get_by_role("region", name="Notifications")).to_contain_text("2 items archived")
    side(page, "Archive").click()
    expect(titles(page)).to_have_text(["Two", "One"])
    drag(page, "Two", "Inbox")
    expect(titles(page)).to_have_text(["One"])
    expect_count(page, "Inbox", 2)
    drag(page, "One", "Everything")  # where nothing can be dropped
    expect_count(page, "Archive", 1)
    expect(page.get_by_text("1 change not sent yet")).to_have_count(0)
    assert entry(server, library, ids["One"])["archived_at"]
    assert entry(server, library, ids["One"])["starred_at"]
    assert entry(server, library, ids["Two"])["archived_at"] is None
