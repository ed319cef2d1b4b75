"""Keeping the Inbox and a tag offline: what is stored, the limit, and what is removed."""

from urllib.parse import quote

import httpx2
from playwright.sync_api import Locator, Page, expect

from tests.api.pictures import picture
from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.offline.steps import opened
from tests.viewer.site import Site, SiteResponse
from tests.viewer.watching import WatchedPage, accessibility_problems

# The paths, and the addresses of pictures, of what is in the browser for one text.
KEPT = """async (wanted) => {
  const names = (await caches.keys()).filter((name) => name.startsWith("nexus-texts-"));
  const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return lists.flat().map(({ url }) => decodeURIComponent(url)).filter((url) => url.includes(wanted)).length;
}"""


def expect_kept(page: Page, wanted: str, is_there: bool) -> None:
    page.wait_for_function(f"async (wanted) => (await ({KEPT})(wanted) > 0) === {str(is_there).lower()}", arg=wanted)


def panel(page: Page) -> Locator:
    page.get_by_role("button", name="Keep offline").click()
    return page.get_by_role("group", name="Keep offline")


def test_turning_it_off_frees_what_no_other_place_wants(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess, site: Site
) -> None:
    def with_picture(title: str) -> tuple[str, str]:
        path = f"/kept/{library.id}/{quote(title)}.png"
        url = site.put(path, SiteResponse(picture(), headers={"Content-Type": "image/png"}))
        html = f'<p>Words.</p><img src="/media/image?url={quote(url, safe="")}" alt="Picture">'
        return library.article(title, html), path

    (read, _), (plain, shown), (tagged, both) = map(with_picture, ("Opened", "Plain", "Tagged"))
    assert httpx2.patch(f"{server.url}/api/library/{tagged}", json={"tags": ["train"]}, timeout=60).is_success
    page = opened(watch)
    page.goto(f"{watch.url}/read/{read}")
    expect_kept(page, f"/media/{read}/fragments", is_there=True)
    page.goto(watch.url)
    inbox = panel(page).get_by_role("checkbox", name="Keep the Inbox offline")
    inbox.check()
    for wanted in (plain, tagged, shown, both):
        expect_kept(page, wanted, is_there=True)
    assert accessibility_problems(page) == []
    page.goto(f"{watch.url}/?tag=train")
    panel(page).get_by_role("checkbox", name="Keep “train” offline").check()
    page.goto(watch.url)
    offline = panel(page)
    offline.get_by_role("checkbox", name="Keep the Inbox offline").uncheck()
    for wanted in (plain, shown):
        expect_kept(page, wanted, is_there=False)
    expect(offline.get_by_role("status")).to_contain_text("1 text is in this browser. It uses")
    for wanted in (f"/media/{tagged}/fragments", both, f"/media/{read}/fragments"):
        expect_kept(page, wanted, is_there=True)
    page.context.set_offline(offline=True)
    page.goto(f"{watch.url}/read/{tagged}")
    expect(page.locator(".prose")).to_contain_text("Words.")
    page.goto(f"{watch.url}/read/{plain}")
    expect(page.get_by_role("alert")).to_be_visible()


def test_a_limit_that_is_reached_is_told(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("One more", "<p>Words.</p>")
    watch.page.context.add_init_script("navigator.storage.estimate = async () => ({ usage: 150e6, quota: 1e9 })")
    page = opened(watch)
    offline = panel(page)
    offline.get_by_label("Use up to").select_option("100 MB")
    offline.get_by_role("checkbox", name="Keep the Inbox offline").check()
    status = offline.get_by_role("status")
    expect(status).to_contain_text("The limit of 100 MB is reached:")
    expect(status).to_contain_text("It uses 150.0 MB.")
    offline.get_by_label("Use up to").select_option("500 MB")
    expect(status).to_contain_text("in this browser. It uses 150.0 MB.")
    expect(status).not_to_contain_text("The limit")


# As many as the service worker keeps of what was opened.
OPEN_MANY = """async () => {
  const names = await caches.keys();
  const cache = await caches.open(names.find((name) => /^nexus-texts-[0-9a-f-]{36}$/.test(name)));
  for (let start = 0; start < 3000; start += 300) {
    const some = Array.from({ length: 300 }, (_, index) => `/media/image?url=${start + index}`);
    await Promise.all(some.map((address) => cache.put(address, new Response("."))));
  }
}"""


def test_what_is_kept_offline_is_not_pushed_out_by_what_is_opened(
    watch: WatchedPage, library: UserLibrary, site: Site
) -> None:
    url = site.put(f"/{library.id}.png", SiteResponse(picture(), headers={"Content-Type": "image/png"}))
    html = f'<p>Still here.</p><img src="/media/image?url={quote(url, safe="")}" alt="Picture">'
    wanted = library.article("Wanted", html)
    page = opened(watch)
    offline = panel(page)
    offline.get_by_role("checkbox", name="Keep the Inbox offline").check()
    expect(offline.get_by_role("status")).to_contain_text("1 text is in this browser.")
    page.evaluate(OPEN_MANY)
    other = library.article("Other", "<p>Opened now.</p>")
    page.goto(f"{watch.url}/read/{other}")
    expect_kept(page, "/media/image?url=0", is_there=False)  # the first of the many has gone
    page.context.set_offline(offline=True)
    page.goto(f"{watch.url}/read/{wanted}")
    expect(page.locator(".prose")).to_contain_text("Still here.")
    page.wait_for_function("() => document.querySelector('.prose img')?.naturalWidth > 0")
