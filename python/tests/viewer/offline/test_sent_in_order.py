"""What was decided without a connection is sent in order, one after another, whatever fails meanwhile."""

from dataclasses import dataclass, field

import httpx2
from playwright.sync_api import BrowserContext, Request, Route, expect

from tests.processes import Running, eventually
from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import act, closed_and_opened_offline, with_service_worker
from tests.viewer.organise.steps import entry, row, tag, titles
from tests.viewer.watching import Watch

NAMES = ("Apple", "Birch", "Cedar", "Dill", "Elder", "Full", "Gone")
QUEUED = "Object.keys(localStorage).filter((key) => key.startsWith('nexus.actions')).length"


@dataclass
class Network:
    """Between the browser and the server: it notes each change, and fails at one of them until told otherwise."""

    fails: str = ""
    handled: list[str] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    def watch(self, context: BrowserContext) -> None:
        context.route("**/*", self.handle)
        context.on("request", lambda request: self.count(request, 1))
        context.on("requestfinished", lambda request: self.count(request, -1))
        context.on("requestfailed", lambda request: self.count(request, -1))

    def count(self, request: Request, by: int) -> None:
        if request.method in ("PATCH", "DELETE"):
            self.under_way += by
            self.most = max(self.most, self.under_way)

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


def test_actions_are_sent_in_order_after_failures_and_refusals_are_told(
    watch: Watch, library: UserLibrary, server: Running
) -> None:
    ids = {name: library.article(name, "<p>Words.</p>") for name in NAMES}
    page = with_service_worker(watch)
    for name in NAMES:
        expect(row(page, name)).to_be_visible()
    page.context.set_offline(offline=True)
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
    elder = entry(server, library, ids["Elder"])["item_id"]
    # Meanwhile on another device.
    assert httpx2.delete(f"{server.url}/media/{ids['Gone']}").is_success
    full = [f"tag {number}" for number in range(100)]
    assert httpx2.patch(f"{server.url}/api/library/{ids['Full']}", json={"tags": full}).is_success

    again = closed_and_opened_offline(page)
    expect(again.get_by_text("9 changes not sent yet", exact=True)).to_be_visible()
    counts = again.get_by_role("complementary").get_by_text("The counts are without 9 changes that are not sent yet.")
    expect(counts).to_be_visible()
    network = Network(fails="503")
    network.watch(again.context)
    again.context.set_offline(offline=False)
    expect(again.get_by_text("7 changes not sent yet", exact=True)).to_be_visible()
    network.fails = "gone"
    again.reload()
    expect(again.get_by_text("5 changes not sent yet", exact=True)).to_be_visible()
    expect(again.get_by_text("“Gone” is no longer in your library.")).to_be_visible()
    network.fails = ""
    again.reload()
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
    assert network.most == 1
    expect(again.get_by_text("“Full” couldn't be changed.")).to_be_visible()
    expect(counts).to_have_count(0)
    assert entry(server, library, ids["Full"])["tags"] == sorted(full)
    assert entry(server, library, ids["Dill"])["starred_at"] is None
    assert server.get(f"/api/library/{ids['Elder']}").status_code == 404
    expect(titles(again).filter(has_text="Elder")).to_have_count(0)


def test_what_another_device_changed_after_it_was_deleted_here_is_kept_and_told(
    watch: Watch, library: UserLibrary, server: Running
) -> None:
    kept = library.article("Kept after all", "<p>Words.</p>")
    page = with_service_worker(watch)
    expect(row(page, "Kept after all")).to_be_visible()
    page.context.set_offline(offline=True)
    act(page, "Delete", "Kept after all")
    again = closed_and_opened_offline(page)
    expect(titles(again).filter(has_text="Kept after all")).to_have_count(0)
    assert httpx2.patch(f"{server.url}/api/library/{kept}", json={"starred": True}).is_success
    again.context.set_offline(offline=False)
    told = "“Kept after all” was kept: it was changed on another device after you deleted it."
    expect(again.get_by_text(told)).to_be_visible()
    expect(row(again, "Kept after all").get_by_role("img", name="Starred")).to_be_visible()
    assert again.evaluate(QUEUED) == 0
    again.reload()
    expect(row(again, "Kept after all")).to_be_visible()
