"""Ten actions without a connection, the page closed and opened again, and then the connection is back."""

import re

from playwright.sync_api import expect

from tests.processes import ServerProcess, eventually
from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import act
from tests.viewer.organise.steps import entry, tag
from tests.viewer.rows import row, titles
from tests.viewer.watching import WatchedPage, text_is_kept, with_service_worker


def test_actions_without_a_connection_survive_and_are_sent_in_order(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    ids = {name: library.article(name, "<p>Words.</p>") for name in ("Apple", "Birch", "Cedar", "Dill", "Elder")}
    page = watch.open()
    with_service_worker(page)
    expect(row(page, "Apple")).to_be_visible()
    page.context.set_offline(offline=True)
    act(page, "Star", "Apple")
    act(page, "Star", "Birch")
    act(page, "Remove the star of", "Birch")
    act(page, "Tags of", "Apple")
    tag(page, "offline", "kept/here")
    page.get_by_role("button", name="Mark “Cedar” as read").click()
    act(page, "Archive", "Cedar")
    row(page, "Dill").hover()
    page.get_by_role("button", name="More actions for “Dill”").click()
    page.get_by_role("button", name="Edit title and note").click()
    page.get_by_role("textbox", name="Title").fill("Dill, renamed")
    page.get_by_role("textbox", name="Note").fill("Look again")
    page.get_by_role("button", name="Save", exact=True).last.click()
    act(page, "Delete", "Elder")
    context = page.context
    page.close()
    again = context.new_page()
    context.set_offline(offline=True)  # the new page, too
    # Closed while the deletion could still be undone: it was stored then.
    again.goto(watch.url)
    expect(again.get_by_text("Offline. Showing what is in this browser.")).to_be_visible()
    expect(titles(again)).to_have_text(["Dill, renamed", "Birch", "Apple"])
    expect(row(again, "Apple").get_by_role("list", name="Tags")).to_contain_text("kept/here")
    expect(again.get_by_role("img", name="Starred")).to_have_count(1)
    context.set_offline(offline=False)
    eventually(lambda: again.evaluate("!Object.keys(localStorage).some((key) => key.includes('actions'))"), "not sent")
    apple, birch, cedar, dill = (entry(server, library, ids[name]) for name in ("Apple", "Birch", "Cedar", "Dill"))
    assert apple["starred_at"]
    assert apple["tags"] == ["kept/here", "offline"]
    assert birch["starred_at"] is None
    assert cedar["archived_at"]
    assert cedar["read_at"]
    assert (dill["own_title"], dill["note"]) == ("Dill, renamed", "Look again")
    assert server.get(f"/api/library/{ids['Elder']}").status_code == 404
    expect(titles(again)).to_have_text(["Dill, renamed", "Birch", "Apple"])


def test_the_inbox_is_kept_for_reading_offline(watch: WatchedPage, library: UserLibrary) -> None:
    kept = library.article("Never opened", "<p>Kept all the same.</p>")
    page = watch.open()
    with_service_worker(page)
    page.get_by_role("button", name="Keep offline").click()
    panel = page.get_by_role("group", name="Keep offline")
    panel.get_by_role("checkbox", name="Keep the Inbox offline").check()
    expect(panel.get_by_role("status")).to_have_text(re.compile(r"^[1-9]\d* texts? (is|are) in this browser. It uses"))
    text_is_kept(page, kept)
    page.context.set_offline(offline=True)
    page.goto(f"{watch.url}/read/{kept}")
    expect(page.locator(".prose")).to_contain_text("Kept all the same.")
