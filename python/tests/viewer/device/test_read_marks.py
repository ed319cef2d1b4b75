"""Read and unread: in every window, without a connection, and while searching."""

import json
import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.processes import ServerProcess, eventually
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live, titles
from tests.viewer.watching import WatchedPage, watched_page

ENTRY = re.compile(r"/api/library/[0-9a-f-]{36}$")
PAGE = 50  # how many entries the list loads at first


@pytest.fixture
def other_browser(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    """The same user, in another browser."""
    with watched_page(browser, server.url, user=user) as watching:
        yield watching


def mark(page: Page, title: str, how: str) -> None:
    page.get_by_role("button", name=f"Mark “{title}” as {how}").click()


def test_a_read_mark_reaches_every_window(watch: WatchedPage, other_browser: WatchedPage, library: UserLibrary) -> None:
    """Also in the reader, and in rows below the first page of the list, which a refresh does not fetch."""
    oldest = library.article("Far down the list", "<p>Words.</p>" * 300)  # its end is not visible without scrolling
    for number in range(PAGE + 5):
        library.article(f"Newer number {number}", "<p>Words.</p>")
    reader, list_page = other_browser.open(f"/read/{oldest}"), other_browser.page.context.new_page()
    list_page.goto(watch.url)
    for page in (reader, list_page):
        live(page)
    row = list_page.get_by_role("button", name="Mark “Far down the list” as read")
    while not row.count():
        list_page.mouse.wheel(0, 4000)
        list_page.evaluate("new Promise(requestAnimationFrame)")
    expect(reader.get_by_role("button", name="Mark as read")).to_be_visible()

    mine = watch.open(f"/read/{oldest}")
    mine.get_by_role("button", name="Mark as read").click()
    expect(reader.get_by_role("button", name="Mark as unread")).to_be_visible()
    expect(list_page.get_by_role("button", name="Mark “Far down the list” as unread")).to_be_visible()
    mine.get_by_role("button", name="Mark as unread").click()
    expect(reader.get_by_role("button", name="Mark as read")).to_be_visible()
    expect(row).to_be_visible()


def test_marks_made_without_a_connection_are_kept_and_sent_in_order(
    watch: WatchedPage, other_browser: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    first, second = library.article("The first one", "<p>A.</p>"), library.article("The second one", "<p>B.</p>")
    page = live(watch.open())
    page.route(ENTRY, lambda route: route.abort())
    mark(page, "The second one", "read")
    mark(page, "The first one", "read")
    mark(page, "The second one", "unread")
    expect(page.get_by_role("button", name="Mark “The second one” as read")).to_be_visible()
    page.reload()  # the marks survive it
    expect(page.get_by_role("button", name="Mark “The first one” as unread")).to_be_visible()
    expect(page.get_by_role("region", name="Notifications")).to_be_empty()
    sent: list[str] = []

    def note(response: Response) -> None:
        if response.request.method == "PATCH":
            sent.append(f"{json.loads(response.request.post_data or '')['read']} {response.url.split('/')[-1]}")

    page.on("response", note)
    page.unroute(ENTRY)
    page.evaluate("dispatchEvent(new Event('online'))")
    eventually(
        lambda: page.evaluate("!Object.keys(localStorage).some((key) => key.includes('nexus.actions'))"), "not sent"
    )
    assert sent == [f"True {first}", f"False {second}"]
    headers = {"X-User-Id": str(library.user)}
    assert server.get(f"/api/library/{first}/read", headers=headers).json()["read_at"] is not None
    assert server.get(f"/api/library/{second}/read", headers=headers).json()["read_at"] is None


def test_filters_apply_to_searches(watch: WatchedPage, library: UserLibrary) -> None:
    for title in ("Comets near", "Comets far", "Something else"):
        library.article(title, "<p>Words.</p>")
    library.wait_until_found("comets", 2)
    page = watch.open("/?q=comets")
    expect(titles(page)).to_have_text(["Comets far", "Comets near"])
    page.get_by_role("complementary").get_by_role("button", name="Unread").click()
    expect(page).to_have_url(f"{watch.url}/?unread=1&q=comets")
    expect(titles(page)).to_have_count(2)
    mark(page, "Comets far", "read")
    expect(titles(page)).to_have_text(["Comets near"])
    page.reload()
    expect(titles(page)).to_have_text(["Comets near"])
    page.get_by_role("complementary").get_by_role("button", name="Unread").click()
    expect(titles(page)).to_have_text(["Comets far", "Comets near"])
