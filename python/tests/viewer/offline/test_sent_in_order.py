"""Decisions without a connection are sent in order, whatever fails meanwhile."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx2
from playwright.sync_api import Page, Route, expect

from tests.processes import ServerProcess, eventually
from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import act, closed_and_opened_offline, opened
from tests.viewer.organise.steps import entry, tag
from tests.viewer.rows import row, titles
from tests.viewer.watching import WatchedPage

NAMES = ("Apple", "Birch", "Cedar", "Dill", "Elder", "Full", "Gone")
# Only these: all else would come through this process, too, and a busy machine takes minutes for the files of a page.
CHANGED = re.compile(r"/(api/library|items|media)/[0-9a-f-]{36}")
QUEUED = "Object.keys(localStorage).filter((key) => key.startsWith('nexus.actions')).length"


@dataclass
class Network:
    """Between the browser and the server: it notes each change, and fails at one of them until told otherwise."""

    fails: str = ""
    handled: list[str] = field(default_factory=list)

    def handle(self, route: Route) -> None:
        request = route.request
        if request.method not in ("PATCH", "DELETE"):
            route.continue_()
        elif self.fails == "503" and len(self.handled) == 2:
            route.fulfill(status=503, json={"detail": {"error": "not_ready", "message": "Later."}})
        elif self.fails == "gone" and len(self.handled) == 4:
            route.abort()
        else:
            change = [key for key in request.post_data_json or {} if key != "client_time"]
            self.handled.append(f"{request.url.split('?')[0].split('/')[-1]} {''.join(change)}".strip())
            route.continue_()


def opened_again(page: Page, network: Network, fails: str) -> Page:
    """Offline meanwhile: the browser may send at any moment, and the test would not see the result of a closed page."""
    again = closed_and_opened_offline(page)
    network.fails = fails
    again.context.set_offline(offline=False)
    return again


def decide(page: Page) -> None:
    """Makes ten decisions, one of which reverses another; the deletion counts when the page is closed."""
    act(page, "Star", "Apple")
    act(page, "Tags of", "Apple")
    tag(page, "later")
    act(page, "Star", "Gone")
    page.get_by_role("button", name="Mark “Birch” as read").click()
    act(page, "Tags of", "Full")
    tag(page, "one too many")
    act(page, "Archive", "Birch")
    act(page, "Star", "Dill")
    row(page, "Cedar").hover()
    page.get_by_role("button", name="More actions for “Cedar”").click()
    page.get_by_role("button", name="Edit title and note").click()
    page.get_by_role("textbox", name="Note").fill("Look again")
    page.get_by_role("button", name="Save", exact=True).last.click()
    act(page, "Remove the star of", "Dill")
    act(page, "Delete", "Elder")


def test_actions_are_sent_in_order_after_failures_and_refusals_are_told(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    ids = {name: library.article(name, "<p>Words.</p>") for name in NAMES}
    page = opened(watch)
    for name in NAMES:
        expect(row(page, name)).to_be_visible()
    page.context.set_offline(offline=True)
    # Meanwhile on another device.
    assert httpx2.delete(f"{server.url}/media/{ids['Gone']}", timeout=60).is_success
    full = [f"tag {number}" for number in range(100)]
    # A minute ago: on a busy machine the server's Date, by which the browser dates what waits, is seconds late.
    before = (datetime.now(UTC) - timedelta(minutes=1)).isoformat()
    tagged = httpx2.patch(
        f"{server.url}/api/library/{ids['Full']}", json={"tags": full, "client_time": before}, timeout=60
    )
    assert tagged.is_success
    decide(page)
    elder = entry(server, library, ids["Elder"])["item_id"]

    again = closed_and_opened_offline(page)
    expect(again.get_by_text("9 changes not sent yet", exact=True)).to_be_visible()
    counts = again.get_by_role("complementary").get_by_text("The counts don't include 9 unsent changes.")
    expect(counts).to_be_visible()
    network = Network(fails="503")
    again.context.route(CHANGED, network.handle)
    again.context.set_offline(offline=False)
    expect(again.get_by_text("7 changes not sent yet", exact=True)).to_be_visible()
    again = opened_again(again, network, "gone")
    expect(again.get_by_text("“Gone” is no longer in your library.")).to_be_visible()
    expect(again.get_by_text("5 changes not sent yet", exact=True)).to_be_visible()
    again = opened_again(again, network, "")
    expect(again.get_by_text("“Full” couldn't be changed.")).to_be_visible()
    eventually(lambda: again.evaluate(QUEUED) == 0, "not sent")
    assert network.handled == [
        f"{ids['Apple']} starred",
        f"{ids['Apple']} add_tags",
        f"{ids['Gone']} starred",
        f"{ids['Birch']} read",
        f"{ids['Full']} add_tags",
        f"{ids['Birch']} archived",
        f"{ids['Cedar']} note",
        f"{ids['Dill']} starred",
        elder,
    ]
    expect(again.get_by_text("The counts don't include")).to_have_count(0)
    assert entry(server, library, ids["Full"])["tags"] == sorted(full)
    assert entry(server, library, ids["Dill"])["starred_at"] is None
    assert server.get(f"/api/library/{ids['Elder']}").status_code == 404
    expect(titles(again).filter(has_text="Elder")).to_have_count(0)
