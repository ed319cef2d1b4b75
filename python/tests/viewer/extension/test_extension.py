"""The extension in Chromium: what a person sees in the browser is in the library, and nothing is lost."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Playwright, expect

from tests.processes import ServerProcess, eventually
from tests.viewer.extension.paired import BUILT, Extension, extension_in, request_as
from tests.viewer.site import SENTENCE, Site, SiteResponse, article
from tests.viewer.watching import WatchedPage

LEAST = ["activeTab", "contextMenus", "scripting", "storage"]
# What a server that fetches this page gets is a wall; what the member's browser shows has the text.
MEMBERS = """<!doctype html><html lang=en><title>Members only</title><body><p>Sign in to read this.</p><script>
  const box = document.body.appendChild(document.createElement("story-box"));
  box.attachShadow({mode: "open"}).innerHTML = "<article><h1>For members</h1>" + "<p>SENTENCE</p>".repeat(8)
    + "<p>The tide table is kept by the harbour master.</p></article>";
  document.querySelector("p").remove();
</script>"""


@pytest.fixture(scope="module")
def browser_extension(
    playwright: Playwright, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Extension]:
    assert BUILT.is_dir(), "these tests need the built extension: make extension"
    pages = f"http://127.0.0.1:{site.server_port}"
    with extension_in(playwright, tmp_path_factory.mktemp("extension"), pages) as running:
        yield running


@pytest.fixture
def extension(browser_extension: Extension, server: ServerProcess, user: UUID) -> Iterator[Extension]:
    browser_extension.settings(mode="always")
    browser_extension.pair(server.url, user)
    yield browser_extension
    for page in browser_extension.context.pages[1:]:
        page.close()


@pytest.fixture
def members(site: Site) -> str:
    return site.put("/members", SiteResponse(MEMBERS.replace("SENTENCE", SENTENCE * 3)))


def entries(server: ServerProcess, user: UUID) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = request_as(server.url, user, "GET", "/api/library")["entries"]
    return found


def text_of(server: ServerProcess, user: UUID, media_id: str) -> str:
    data = request_as(server.url, user, "GET", f"/media/{media_id}/fragments")["data"]
    return "\n".join(fragment["canonical_text"] for fragment in data)


@pytest.mark.parametrize("browser", ["chromium", "firefox"])
def test_packages_ask_for_least_and_load_no_foreign_code(browser: str) -> None:
    built = BUILT.parent / browser
    manifest = json.loads((built / "manifest.json").read_text())
    assert manifest["manifest_version"] == 3
    assert manifest["permissions"] == LEAST
    assert not {"host_permissions", "content_scripts", "externally_connectable"} & manifest.keys()
    for script in built.glob("*.js"):
        assert not re.search(r"\beval\(|new Function|importScripts|import\(", script.read_text())
    for page in built.glob("*.html"):
        assert not re.search(r"(?:src|href)=\"(?!\w+\.(?:js|css)\")", page.read_text())
    assert list(BUILT.parent.glob(f"nexus-{browser}-*.zip"))


def test_a_click_saves_the_page_as_it_is_shown(
    extension: Extension, server: ServerProcess, user: UUID, members: str
) -> None:
    extension.open(members)
    popup = extension.popup()
    expect(popup.get_by_role("status")).to_have_text("Saved")
    popup.get_by_label("Tags").fill("sea/tides")
    popup.get_by_label("Tags").press("Enter")
    popup.get_by_label("Note").fill("For the boat")
    with popup.expect_event("close"):
        popup.get_by_role("button", name="Done").click()
    (entry,) = entries(server, user)
    assert (entry["title"], entry["status"], entry["tags"]) == ("Members only", "succeeded", ["sea/tides"])
    assert entry["note"] == "For the boat"
    assert "The tide table is kept by the harbour master." in text_of(server, user, entry["media_id"])
    assert "Sign in" not in text_of(server, user, entry["media_id"])


def test_popup_tells_of_a_page_that_is_there(
    extension: Extension, server: ServerProcess, user: UUID, members: str
) -> None:
    page = extension.open(members)
    extension.choose("selection", page, selectionText="The tide table is kept by the harbour master.")
    eventually(lambda: bool(entries(server, user)), "the selection was not saved")
    (entry,) = entries(server, user)
    (highlight,) = request_as(server.url, user, "GET", f"/media/{entry['media_id']}/highlights")["data"]
    assert highlight["quote"] == "The tide table is kept by the harbour master."
    page.bring_to_front()
    popup = extension.popup()
    expect(popup.get_by_role("status")).to_have_text("Already in your library · 1 highlight")
    popup.get_by_role("button", name="Save the page as it is now").click()
    expect(popup.get_by_role("status")).to_have_text("Saved")
    assert len(entries(server, user)) == 1


def test_a_link_is_saved_from_its_menu(extension: Extension, server: ServerProcess, user: UUID, site: Site) -> None:
    story = site.put("/linked", article("A linked story"))
    page = extension.open(site.put("/start", SiteResponse(f"<a href={story}>A story</a>")))
    extension.choose("link", page, linkUrl=story)
    eventually(
        lambda: [entry["title"] for entry in entries(server, user)] == ["A linked story"], "the link was not read"
    )


def test_nothing_is_lost_while_the_server_is_away(
    extension: Extension, server: ServerProcess, user: UUID, members: str
) -> None:
    extension.settings(server="http://127.0.0.1:9")
    with extension.without_retries() as would_retry:
        extension.open(members)
        popup = extension.popup()
        expect(popup.get_by_role("status")).to_contain_text("Saved in this browser")
        popup.get_by_label("Tags").fill("later")
        with popup.expect_event("close"):
            popup.get_by_role("button", name="Done").click()
        assert entries(server, user) == []
        eventually(would_retry, "it would not be sent again")
        extension.settings(server=server.url)
        again = extension.popup()
        again.get_by_role("button", name="Try again").click()
        expect(again.get_by_role("button", name="Try again")).to_have_count(0)
    (entry,) = entries(server, user)
    assert (entry["title"], entry["tags"]) == ("Members only", ["later"])


def test_the_page_is_sent_only_when_the_server_cannot_fetch_it(
    extension: Extension, server: ServerProcess, user: UUID, site: Site
) -> None:
    extension.settings(mode="when-needed")
    wall = site.put(f"/wall/{user}", SiteResponse("<title>Wall</title><p>Sign in.</p>", 403))
    page = extension.open(wall)
    page.evaluate("(html) => { document.body.innerHTML = html }", f"<h1>Behind it</h1>{f'<p>{SENTENCE * 3}</p>' * 8}")
    popup = extension.popup()
    expect(popup.get_by_role("status")).not_to_have_text("Saving…")
    eventually(lambda: [entry["status"] for entry in entries(server, user)] == ["succeeded"], "the page was not sent")
    (entry,) = entries(server, user)
    assert "most are broken in time" in text_of(server, user, entry["media_id"])


def test_a_failed_item_gets_the_text_of_the_page(
    extension: Extension, watch: WatchedPage, server: ServerProcess, user: UUID, site: Site
) -> None:
    """The page may be at another address than the link, as after signing in."""
    path = f"/gone/{user}"  # what others have read at an address is not fetched again
    url = site.put(path, SiteResponse("<title>Gone</title><p>Nothing.</p>", 404))
    item = request_as(server.url, user, "POST", "/items", json={"url": url})["id"]
    eventually(
        lambda: request_as(server.url, user, "GET", f"/items/{item}")["status"] == "needs_user_text",
        "the link was read",
    )
    story = site.put(f"/moved/{user}", article("Here again"))
    site.put(path, SiteResponse("", 302, {"Location": story}))
    page = watch.open(f"/?receipt={item}")
    link = page.get_by_role("link", name="Open the page and save it with the extension")
    extension.open(link.get_attribute("href") or "")
    popup = extension.popup()
    expect(popup.get_by_role("status")).to_have_text("Saved")
    assert request_as(server.url, user, "GET", f"/items/{item}")["status"] == "succeeded"
    assert [entry["title"] for entry in entries(server, user)] == ["Here again"]


def test_a_browser_is_paired_with_one_click(playwright: Playwright, server: ServerProcess, tmp_path: Path) -> None:
    known = len(server.get("/api/pairings").json())  # a browser without a header is the default user's
    with extension_in(playwright, tmp_path, server.url) as extension:
        page = extension.open(f"{server.url}/settings/save-from-anywhere")
        page.get_by_role("button", name="Connect a browser").click()
        expect(page.locator("[data-nexus-pairing-code]")).to_be_attached()
        popup = extension.popup()
        expect(popup.get_by_role("status")).to_have_text(f"Connect this browser to {server.url}?")
        popup.get_by_role("button", name="Connect").click()
        expect(popup.get_by_role("status")).to_have_text(f"Connected to {server.url}.")
        page.bring_to_front()
        expect(page.get_by_text("Chromium", exact=True).filter(visible=True)).to_have_count(known + 1)
        options = extension.open(f"{extension.origin}/options.html")
        expect(options.get_by_role("status")).to_have_text(f"Connected to {server.url}.")


def test_options_take_a_code_and_refuse_what_is_no_server(
    extension: Extension, server: ServerProcess, user: UUID
) -> None:
    extension.settings(token="")
    page = extension.open(f"{extension.origin}/options.html")
    page.get_by_label("Server address").fill("not a server")
    page.get_by_label("Pairing code").fill("nxp_wrong")
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("alert")).to_contain_text("This is not the address of a server.")
    page.get_by_label("Server address").fill(server.url)
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("alert")).to_contain_text("Not connected. This code is not valid")
    page.get_by_label("Pairing code").fill(request_as(server.url, user, "POST", "/api/pairings")["code"])
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("status")).to_have_text(f"Connected to {server.url}.")


def test_what_the_server_refuses_is_kept_with_its_reason(extension: Extension, site: Site) -> None:
    extension.open(site.put("/blank", SiteResponse("<title>Blank</title><img src=/nothing.png>")))
    popup = extension.popup()
    expect(popup.get_by_role("status")).to_contain_text("Not saved.")
    popup.get_by_role("button", name="Discard").click()
    expect(popup.get_by_role("button", name="Discard")).to_have_count(0)
