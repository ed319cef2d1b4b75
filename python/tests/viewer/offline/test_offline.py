"""The installed app: texts read offline, items saved offline, sharing to the app."""

import signal
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import expect

from tests.api.pictures import picture
from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live, outgoing, row, save, saved
from tests.viewer.site import Site, SiteResponse
from tests.viewer.watching import WatchedPage, text_is_kept, with_service_worker

# Headless Chromium cannot install an app; an installed one differs in this media query.
AS_AN_APP = """
const real = window.matchMedia.bind(window);
window.matchMedia = (query) => real(query.includes("display-mode: standalone") ? "all" : query);
"""


# With `evaluate`: `wait_for_function` evaluates text again and again, which the page's policy forbids.
PICTURES_ARE_KEPT = """(count) => new Promise((resolve) => {
  const look = async () => {
    const name = (await caches.keys()).find((one) => /^nexus-texts-[0-9a-f-]{36}$/.test(one));
    const kept = name ? await (await caches.open(name)).keys() : [];
    if (kept.filter(({ url }) => url.includes("/media/image?")).length >= count) resolve();
    else setTimeout(look, 50);
  };
  look();
})"""


IS_KEPT = "([path, cache]) => fetch(path, { cache }).then(({ ok }) => ok, () => false)"


def test_an_opened_text_can_be_read_offline(watch: WatchedPage, library: UserLibrary) -> None:
    opened, other = (
        library.article("Opened before", "<p>Kept words.</p>"),
        library.article("Never opened", "<p>Other.</p>"),
    )
    page = watch.open()
    with_service_worker(page)
    page.get_by_role("link", name="Opened before", exact=True).click()
    expect(page.locator(".prose")).to_contain_text("Kept words.")
    text_is_kept(page, opened)
    page.context.set_offline(offline=True)
    kept = [page.evaluate(IS_KEPT, [f"/api/library/{opened}", cache]) for cache in ("default", "no-store")]
    assert kept == [True, False]  # what must be fresh is not responded to with what was kept
    page.goto(f"{watch.url}/read/{opened}")
    expect(page.locator(".prose")).to_contain_text("Kept words.")
    page.goto(f"{watch.url}/read/{other}")
    expect(page.get_by_role("alert")).to_contain_text("not been opened in this browser")
    page.goto(watch.url)
    expect(page.get_by_role("link", name="Never opened", exact=True)).to_be_visible()


def test_an_opened_text_can_be_read_while_the_server_does_not_respond(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess
) -> None:
    """The network loses every packet: the connection is neither refused nor answered."""
    opened = library.article("Opened before the silence", "<p>Kept words.</p>")
    page = watch.open()
    with_service_worker(page)
    page.get_by_role("link", name="Opened before the silence", exact=True).click()
    expect(page.locator(".prose")).to_contain_text("Kept words.")
    text_is_kept(page, opened)
    server.process.send_signal(signal.SIGSTOP)
    try:
        page.goto(f"{watch.url}/read/{opened}")
        expect(page.locator(".prose")).to_contain_text("Kept words.")
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_an_opened_text_has_all_its_pictures_while_the_server_is_stopped(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess, site: Site
) -> None:
    """Also pictures far below, which were never visible."""
    sources = [
        site.put(
            f"/offline/{library.user}/{number}.png", SiteResponse(picture(), headers={"Content-Type": "image/png"})
        )
        for number in range(4)
    ]
    far = f"<p>{'Words between two pictures. ' * 400}</p>"
    html = far.join(f'<p><img src="/media/image?url={quote(url, safe="")}" alt="Picture"></p>' for url in sources)
    opened = library.article("With pictures", html)
    page = watch.open()
    with_service_worker(page)
    page.get_by_role("link", name="With pictures", exact=True).click()
    expect(page.locator(".prose img")).to_have_count(4)
    page.evaluate(PICTURES_ARE_KEPT, 4)
    text_is_kept(page, opened)
    server.process.send_signal(signal.SIGSTOP)
    try:
        page.goto(f"{watch.url}/read/{opened}")
        expect(page.locator(".prose img")).to_have_count(4)
        for number in range(4):
            image = page.locator(".prose img").nth(number)
            image.scroll_into_view_if_needed()
            expect(image).to_have_js_property("naturalWidth", 8)
        expect(page.locator(".missing-picture")).to_have_count(0)
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_an_item_saved_offline_survives_a_reload_and_is_sent(watch: WatchedPage) -> None:
    page = watch.open()
    with_service_worker(page)
    page.context.set_offline(offline=True)
    save(page, "Written on a train")
    expect(outgoing(page, "Waiting for a connection")).to_be_visible()
    page.reload()
    expect(outgoing(page, "Waiting for a connection")).to_be_visible()
    page.context.set_offline(offline=False)
    saved(page, "Written on a train")


def test_the_app_can_be_installed(watch: WatchedPage, server: ServerProcess) -> None:
    manifest = server.get("/manifest.webmanifest").json()
    assert manifest["display"] == "standalone"
    assert manifest["share_target"]["action"] == "/share"
    for icon in manifest["icons"]:
        response = server.get(icon["src"])
        assert (response.status_code, response.headers["content-type"]) == (200, icon["type"])
    assert watch.open().locator("link[rel=manifest]").get_attribute("href") == "/manifest.webmanifest"


def test_a_share_saves_in_the_app_and_fills_the_box_in_a_tab(watch: WatchedPage, server: ServerProcess) -> None:
    link = f"example.org/{uuid4()}"
    page = watch.open(f"/share?text=Look%20at%20https%3A%2F%2F{quote(link, safe='')}")
    expect(page.get_by_role("textbox", name="Save links or a text")).to_have_value(f"https://{link}")
    assert link not in server.get("/items").text
    page.context.add_init_script(AS_AN_APP)
    watch.open(f"/share?url=https%3A%2F%2F{quote(link, safe='')}")
    expect(row(page, link)).to_be_visible()
    page = watch.open("/share")
    expect(page.get_by_text("Nothing was shared.")).to_be_visible()


@pytest.mark.parametrize("says_online", [True, False])
def test_a_start_without_a_connection_recovers(watch: WatchedPage, user: UUID, says_online: bool) -> None:
    """The app is opened before anything was cached: list and user are known only once the server responds."""
    if not says_online:  # browsers do not always report that the connection is back
        watch.page.context.add_init_script("addEventListener('online', (e) => e.stopImmediatePropagation(), true)")
    page = live(watch.open())
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.evaluate("localStorage.clear()")
    page.evaluate("caches.keys().then((names) => Promise.all(names.filter((name) => !name.includes('app')).map((name) => caches.delete(name))))")  # fmt: skip # noqa: E501
    page.context.set_offline(offline=True)
    page.reload()
    expect(page.get_by_text("load your library")).to_be_visible()
    save(page, f"Begun in a tunnel {says_online}")
    expect(outgoing(page, "Waiting for a connection")).to_be_visible()
    page.context.set_offline(offline=False)
    saved(page, f"Begun in a tunnel {says_online}")
    live(page)
