"""One browser, two users: what one of them stored in it, the other neither sees nor sends."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from playwright.sync_api import Browser, Page, Response, Route, expect

from nexus.config import load_settings
from nexus.db.session import Database
from tests.processes import Nexus, ServerProcess, eventually, plain_url, run_nexus
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live, save, saved
from tests.viewer.test_login import token
from tests.viewer.watching import (
    WatchedPage,
    accessibility_problems,
    is_kept,
    text_is_kept,
    watched_page,
    with_service_worker,
)

LIBRARY_OF = "SELECT id FROM libraries WHERE owner_user_id = %s"
CACHES = "caches.keys()"


class BrowserUser:
    def __init__(self, nexus: Nexus, server: ServerProcess) -> None:
        self.id = uuid4()
        self.token = token(nexus, self.id)
        self._server = server
        self._get("/api/me")

    def titles(self) -> list[str]:
        return [item["title"] for item in self._get("/items")["items"]]

    def _get(self, path: str) -> Any:
        return self._server.get(path, headers={"Authorization": f"Bearer {self.token}"}).raise_for_status().json()

    def library(self, database: Database, connection: psycopg.Connection) -> UserLibrary:
        found = connection.execute(LIBRARY_OF, [self.id]).fetchone()
        assert found
        return UserLibrary(database, connection, self.id, UUID(str(found[0])), self._server.url)

    def sign_in(self, page: Page) -> None:
        field = page.get_by_label("Token", exact=True)
        field.fill(self.token)
        page.keyboard.press("Enter")
        expect(field).to_have_count(0)
        live(page)


@pytest.fixture(scope="module")
def nexus(same_library: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nexus]:
    with run_nexus(tmp_path_factory.mktemp("shared"), NEXUS_AUTH="token", **same_library) as command:
        yield command


@pytest.fixture(scope="module")
def server(nexus: Nexus) -> ServerProcess:
    return nexus.serve("--no-worker")


@pytest.fixture
def ada(nexus: Nexus, server: ServerProcess) -> BrowserUser:
    return BrowserUser(nexus, server)


@pytest.fixture
def ben(nexus: Nexus, server: ServerProcess) -> BrowserUser:
    return BrowserUser(nexus, server)


@pytest.fixture
def watch(browser: Browser, server: ServerProcess) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url) as watching:
        yield watching


@pytest.fixture
def installed(browser: Browser, server: ServerProcess) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url, service_workers="allow") as watching:
        yield watching


def refuse_saves(route: Route) -> None:
    if route.request.method == "POST":
        route.abort()
    else:
        route.continue_()


def unsent(page: Page, text: str) -> None:
    page.route("**/items", refuse_saves)
    save(page, text)
    expect(page.get_by_text("Waiting for a connection")).to_be_visible()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out", exact=True).click()


def test_unsent_items_are_kept_for_their_user(watch: WatchedPage, ada: BrowserUser, ben: BrowserUser) -> None:
    page = watch.open()
    ada.sign_in(page)
    unsent(page, "Written by Ada alone")
    sign_out(page)
    dialog = page.get_by_role("dialog", name="Sign out")
    expect(dialog).to_contain_text("1 item has not been sent yet")
    assert accessibility_problems(page) == []
    dialog.get_by_role("button", name="Stay signed in").click()
    expect(page.get_by_text("Written by Ada alone")).to_be_visible()
    sign_out(page)
    dialog.get_by_role("button", name="Keep and sign out").click()
    ben.sign_in(page)
    page.unroute("**/items")
    save(page, "Written by Ben")
    saved(page, "Written by Ben")
    expect(page.get_by_text("Written by Ada alone")).to_have_count(0)
    sign_out(page)
    ada.sign_in(page)
    saved(page, "Written by Ada alone")
    expect(page.get_by_text("Written by Ben")).to_have_count(0)
    assert (ada.titles(), ben.titles()) == (["Written by Ada alone"], ["Written by Ben"])


def test_items_that_are_sent_while_the_dialog_asks(watch: WatchedPage, ada: BrowserUser) -> None:
    page = watch.open()
    ada.sign_in(page)
    unsent(page, "Sent late")
    sign_out(page)
    dialog = page.get_by_role("dialog", name="Sign out")
    expect(dialog).to_contain_text("1 item has not been sent yet")
    page.unroute("**/items")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(dialog).to_contain_text("Everything has been sent now.")
    expect(dialog.get_by_role("button", name="Discard and sign out")).to_have_count(0)
    dialog.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    assert ada.titles() == ["Sent late"]


def test_unsent_items_can_be_discarded(watch: WatchedPage, ada: BrowserUser) -> None:
    page = watch.open()
    ada.sign_in(page)
    unsent(page, "Better forgotten")
    sign_out(page)
    page.get_by_role("button", name="Discard and sign out").click()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    assert "forgotten" not in page.evaluate("JSON.stringify(localStorage)")
    page.unroute("**/items")
    ada.sign_in(page)
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()


def test_signing_in_in_another_window_reloads_this_one(watch: WatchedPage, ada: BrowserUser, ben: BrowserUser) -> None:
    page = watch.open()
    ada.sign_in(page)
    save(page, "Only for Ada")
    saved(page, "Only for Ada")
    other = page.context.new_page()
    other.goto(f"{watch.url}/login")
    ben.sign_in(other)
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    save(page, "Who is this from?")
    saved(page, "Who is this from?")
    assert (ada.titles(), ben.titles()) == (["Only for Ada"], ["Who is this from?"])


def test_signing_in_in_one_window_opens_the_library_in_those_that_wait_for_it(
    watch: WatchedPage, ada: BrowserUser
) -> None:
    page = watch.open()
    other = page.context.new_page()
    other.goto(f"{watch.url}/dashboard")
    for each in (page, other):
        expect(each.get_by_label("Token", exact=True)).to_be_visible()
    ada.sign_in(page)
    expect(other).to_have_url(f"{watch.url}/dashboard")


def test_a_window_without_storage_events_saves_nothing_as_another_user(
    watch: WatchedPage, ada: BrowserUser, ben: BrowserUser
) -> None:
    watch.page.context.add_init_script("addEventListener('storage', (e) => e.stopImmediatePropagation(), true)")
    lists: list[Response] = []
    watch.page.on("response", lambda response: lists.append(response) if "/api/library?" in response.url else None)
    page = watch.open()
    ada.sign_in(page)
    # What the page requests by itself, at first and once it hears of events, must not be what tells it of Ben.
    eventually(lambda: page.title() and len(lists) >= 2, "the list was not refreshed")
    other = page.context.new_page()
    other.goto(f"{watch.url}/login")
    ben.sign_in(other)
    save(page, "Typed while Ada's library was shown")
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    assert ben.titles() == []
    other.close()
    sign_out(page)
    ada.sign_in(page)
    saved(page, "Typed while Ada's library was shown")
    assert ben.titles() == []


def ready(page: Page) -> None:
    with_service_worker(page)
    live(page)


@pytest.mark.parametrize("way", ["signs out", "is followed at once"])
def test_offline_texts_are_kept_per_user(
    installed: WatchedPage, ada: BrowserUser, ben: BrowserUser, database_url: str, way: str
) -> None:
    raw = psycopg.connect(plain_url(database_url), autocommit=True)
    with Database(load_settings(database_url=database_url)) as database, raw as connection:
        text = ada.library(database, connection).article("Ada's private reading", "<p>Words only Ada may read.</p>")
    page = installed.open()
    ada.sign_in(page)
    ready(page)
    page.get_by_role("link", name="Ada's private reading", exact=True).click()
    expect(page.locator(".prose")).to_contain_text("Words only Ada may read.")
    text_is_kept(page, text)
    if way == "signs out":
        sign_out(page)
        expect(page.get_by_label("Token", exact=True)).to_be_visible()
        assert [name for name in page.evaluate(CACHES) if "texts" in name or "session" in name] == []
    else:
        installed.open("/login")
    ben.sign_in(page)
    is_kept(page, "/api/library", cacheName=f"nexus-texts-{ben.id}")
    for name in ("texts", "texts-wanted"):
        assert not page.evaluate(f"caches.has('nexus-{name}-{ada.id}')")
    page.context.set_offline(offline=True)
    page.goto(f"{installed.url}/read/{text}")
    expect(page.get_by_role("alert")).to_contain_text("not been opened in this browser")
    page.goto(installed.url)
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    expect(page.get_by_text("Ada's private reading")).to_have_count(0)


def test_unsent_items_of_an_older_version_need_a_decision(
    watch: WatchedPage, ada: BrowserUser, ben: BrowserUser
) -> None:
    old = [{"key": "k1", "body": {"pasted_text": "From before"}, "state": "waiting", "at": "2026-01-01T00:00:00.000Z"}]
    page = watch.open("/login")
    page.evaluate("(old) => localStorage.setItem('nexus.outbox', old)", json.dumps(old))
    ben.sign_in(page)
    expect(page.get_by_text("1 item that never reached the server")).to_be_visible()
    expect(page.get_by_text("From before")).to_have_count(0)
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Not mine").click()
    page.reload()
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    expect(page.get_by_text("never reached the server")).to_have_count(0)
    sign_out(page)
    ada.sign_in(page)
    page.get_by_role("button", name="Add to my library").click()
    saved(page, "From before")
    assert (ada.titles(), ben.titles()) == (["From before"], [])
    page.reload()
    saved(page, "From before")
    expect(page.get_by_text("never reached the server")).to_have_count(0)


def test_reading_progress_is_kept_per_user(watch: WatchedPage, ada: BrowserUser, ben: BrowserUser) -> None:
    keep_as_before = 'localStorage.setItem(\'nexus.places\', \'{"m1":{"share":0.4,"at":1}}\')'
    page = watch.open()
    ada.sign_in(page)
    save(page, "Something to show a row for")
    saved(page, "Something to show a row for")  # else it is sent again
    page.evaluate(keep_as_before)
    page.reload()
    kept = f"localStorage.getItem('nexus.places.{ada.id}')?.includes('m1')"
    eventually(lambda: page.evaluate(kept), "positions of an older version were not taken over")
    sign_out(page)
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    page.evaluate(keep_as_before)  # without a user: they must not become those of the next one
    ben.sign_in(page)
    save(page, "A row of Ben's")
    saved(page, "A row of Ben's")
    assert "m1" not in (page.evaluate(f"localStorage.getItem('nexus.places.{ben.id}')") or "")
