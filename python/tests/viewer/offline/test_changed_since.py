"""Decisions without a connection, sent after another device made others."""

import httpx2
from playwright.sync_api import expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import act, closed_and_opened_offline, opened
from tests.viewer.rows import row, titles
from tests.viewer.watching import WatchedPage

QUEUED = "Object.keys(localStorage).filter((key) => key.startsWith('nexus.actions')).length"


def test_what_another_device_changed_after_it_was_deleted_here_is_kept_and_told(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    kept = library.article("Kept after all", "<p>Words.</p>")
    page = opened(watch)
    expect(row(page, "Kept after all")).to_be_visible()
    page.context.set_offline(offline=True)
    act(page, "Delete", "Kept after all")
    # Decided here: a page that is closed sends what could still be undone, and a closed page is not offline any more.
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("1 change not sent yet")).to_be_visible()
    again = closed_and_opened_offline(page)
    expect(titles(again).filter(has_text="Kept after all")).to_have_count(0)
    assert httpx2.patch(f"{server.url}/api/library/{kept}", json={"starred": True}, timeout=60).is_success
    again.context.set_offline(offline=False)
    told = "“Kept after all” was kept: it was changed on another device after you deleted it."
    expect(again.get_by_text(told)).to_be_visible()
    expect(row(again, "Kept after all").get_by_role("img", name="Starred")).to_be_visible()
    assert again.evaluate(QUEUED) == 0
    again.reload()
    expect(row(again, "Kept after all")).to_be_visible()
