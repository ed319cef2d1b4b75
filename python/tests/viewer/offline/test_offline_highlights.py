"""Highlights without a connection: shown, made, changed, and sent once it is back, also after the page was closed."""

from typing import Any

import httpx2
from playwright.sync_api import Page, expect

from tests.processes import TRUSTS_NOBODY, ServerProcess, eventually
from tests.viewer.highlights.steps import highlight, is_drawn, is_sent, open_highlight
from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import closed_and_opened_offline, opened
from tests.viewer.rows import live, row
from tests.viewer.watching import WatchedPage, is_kept, text_is_kept

HTML = "<p>The harbour was quiet in the morning.</p><p>At noon the boats came back with their nets full.</p>"
KEPT = "(id) => caches.match(`/media/${id}/highlights`, { ignoreVary: true }).then((kept) => kept && kept.text())"


def marked(server: ServerProcess, media: str, **body: Any) -> dict[str, Any]:
    """A highlight of another device, whose anchor is found by its words."""
    at = {"version": 1, "start": {"fragment_idx": 0, "offset": 0}, "end": {"fragment_idx": 0, "offset": 1}}
    response = httpx2.post(f"{server.url}/media/{media}/highlights", json=at | body, timeout=60, verify=TRUSTS_NOBODY)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()["data"]
    return made


def of_text(server: ServerProcess, media: str) -> set[tuple[str, str, str | None]]:
    found = server.get(f"/media/{media}/highlights").json()["data"]
    return {(one["quote"], one["color"], one["note"]) for one in found}


def reader(watch: WatchedPage, media: str) -> Page:
    page = watch.open(f"/read/{media}")
    expect(page.locator(".prose")).to_contain_text("The harbour was quiet")
    return page


def is_read(page: Page, library: UserLibrary, media: str) -> None:
    """The whole text is visible, so it counts as read a moment later; that is sent, too."""
    read = "SELECT 1 FROM library_media WHERE media_id = %s AND read_at IS NOT NULL"
    eventually(lambda: library.connection.execute(read, [media]).fetchone(), "it was not marked as read")
    expect(page.get_by_text("not sent yet")).to_have_count(0)


def test_highlights_made_without_a_connection_survive_and_are_sent(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    media = library.article("The harbour", HTML)
    marked(server, media, quote="with their nets full", color="green")
    opened(watch)
    page = reader(watch, media)
    is_drawn(page, {"green": ["with their nets full"]})
    text_is_kept(page, media)
    is_kept(page, f"/media/{media}/highlights")
    is_read(page, library, media)
    page.context.set_offline(offline=True)
    highlight(page, "quiet in the morning", color="pink")
    is_drawn(page, {"green": ["with their nets full"], "pink": ["quiet in the morning"]})
    open_highlight(page, "their nets").get_by_role("button", name="Blue").click()
    expect(page.get_by_text("2 changes not sent yet")).to_be_visible()
    # Asked while this page is open: the browser pretends to be offline page by page.
    assert of_text(server, media) == {("with their nets full", "green", None)}

    again = closed_and_opened_offline(page)
    is_drawn(again, {"blue": ["with their nets full"], "pink": ["quiet in the morning"]})
    open_highlight(again, "in the morning").get_by_role("button", name="Note").click()
    again.get_by_role("textbox", name="Note").fill("Before the storm")
    again.get_by_role("button", name="Save", exact=True).click()
    again.context.set_offline(offline=False)
    is_sent(again)
    assert of_text(server, media) == {
        ("with their nets full", "blue", None),
        ("quiet in the morning", "pink", "Before the storm"),
    }
    is_drawn(again, {"blue": ["with their nets full"], "pink": ["quiet in the morning"]})


def test_a_kept_text_has_the_highlights_of_other_devices(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    media = library.article("Kept", HTML)
    opened(watch)
    page = reader(watch, media)
    text_is_kept(page, media)
    is_kept(page, f"/media/{media}/highlights")
    page = live(watch.open())
    expect(row(page, "Kept")).to_be_visible()
    marked(server, media, quote="the boats came back")
    eventually(lambda: "the boats came back" in (page.evaluate(KEPT, media) or ""), "the kept one is an earlier one")
    page.context.set_offline(offline=True)
    reader(watch, media)
    is_drawn(page, {"yellow": ["the boats came back"]})
