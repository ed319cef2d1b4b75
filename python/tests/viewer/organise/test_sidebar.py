"""Rows are dropped on the views of the sidebar."""

from playwright.sync_api import Page, expect

from tests.processes import Running
from tests.viewer.library import UserLibrary
from tests.viewer.organise.steps import entry, says, side
from tests.viewer.rows import live, row, titles
from tests.viewer.watching import Watch


def drag(page: Page, title: str, view: str) -> None:
    row(page, title).get_by_role("heading").drag_to(side(page, view))


def test_rows_are_dropped_on_starred_archive_and_inbox(watch: Watch, library: UserLibrary, server: Running) -> None:
    ids = {title: library.article(title, "<p>Words.</p>") for title in ("One", "Two", "Three")}
    page = live(watch.open())
    drag(page, "One", "Starred")
    expect(row(page, "One").get_by_role("img", name="Starred")).to_be_visible()
    says(page, "Starred", 1)
    for title in ("One", "Two"):
        row(page, title).hover()
        page.get_by_role("checkbox", name=f"Select “{title}”").click()
    drag(page, "One", "Archive")  # all that are selected
    expect(titles(page)).to_have_text(["Three"])
    says(page, "Archive", 2)
    expect(page.get_by_role("region", name="Notifications")).to_contain_text("2 items archived")
    side(page, "Archive").click()
    expect(titles(page)).to_have_text(["Two", "One"])
    drag(page, "Two", "Inbox")
    expect(titles(page)).to_have_text(["One"])
    says(page, "Inbox", 2)
    drag(page, "One", "Everything")  # where nothing can be dropped
    says(page, "Archive", 1)
    expect(page.get_by_text("1 change not sent yet")).to_have_count(0)
    assert entry(server, library, ids["One"])["archived_at"]
    assert entry(server, library, ids["One"])["starred_at"]
    assert entry(server, library, ids["Two"])["archived_at"] is None
