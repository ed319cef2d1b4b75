"""Downloading from the reader and from the list, in dev mode and with a session."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from playwright.sync_api import Browser, Download, Page, expect

from nexus.config import load_settings
from nexus.db.session import Database
from tests.processes import Nexus, plain_url, run_nexus
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live
from tests.viewer.test_login import token
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

DOWNLOAD, LIST, WEB_PAGE, E_BOOK = "Download", "Download what the list shows", "Web page", "E-book"


def choose(page: Page, label: str, choice: str) -> Download:
    page.get_by_role("button", name=label, exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("group", name=label).get_by_role("button", name=choice).click()
    return started.value


def content(download: Download) -> bytes:
    return Path(download.path()).read_bytes()


def test_the_text_one_reads(watch: WatchedPage, library: UserLibrary) -> None:
    page = watch.open(f"/read/{library.article('Brücken über 水', '<p>Some words of it</p>')}")
    downloaded = choose(page, DOWNLOAD, WEB_PAGE)
    assert downloaded.suggested_filename == "Brücken über 水.html"
    assert "Some words of it" in content(downloaded).decode()
    expect(page.get_by_role("button", name=DOWNLOAD, exact=True)).to_be_focused()
    book = choose(page, DOWNLOAD, E_BOOK)
    assert book.suggested_filename == "Brücken über 水.epub"
    assert zipfile.ZipFile(io.BytesIO(content(book))).namelist()[0] == "mimetype"


def test_the_menu_by_keyboard_and_on_a_narrow_screen(watch: WatchedPage, library: UserLibrary) -> None:
    page = watch.open(f"/read/{library.article('Menu', '<p>Words</p>')}")
    page.set_viewport_size({"width": 360, "height": 740})
    button = page.get_by_role("button", name=DOWNLOAD, exact=True)
    button.focus()
    page.keyboard.press("Enter")
    group = page.get_by_role("group", name=DOWNLOAD)
    expect(group.get_by_role("button")).to_have_count(2)
    fits_the_width(page)
    box = group.bounding_box()
    assert box
    assert box["x"] >= 0
    assert accessibility_problems(page) == []
    page.keyboard.press("Escape")
    expect(group).to_have_count(0)
    expect(button).to_be_focused()


def test_what_a_list_or_a_search_shows(watch: WatchedPage, library: UserLibrary) -> None:
    library.article("About zebras", "<p>A zebra</p>")
    library.article("About oaks", "<p>An oak</p>")
    library.wait_until_found("zebra", 1)
    page = watch.open("/?q=zebra")
    expect(page.get_by_text("1 result")).to_be_visible()
    found = choose(page, LIST, WEB_PAGE)
    assert found.suggested_filename == "About zebras.html"
    page.goto(page.url.partition("?")[0])
    expect(page.get_by_role("link", name="About oaks", exact=True)).to_be_visible()
    everything = choose(page, LIST, WEB_PAGE)
    assert everything.suggested_filename == "Library.html"
    assert content(everything).count(b"<article") == 2


def test_a_refusal_is_a_message(watch: WatchedPage, library: UserLibrary) -> None:
    media = library.article("Soon gone", "<p>Words</p>")
    page = watch.open(f"/read/{media}")
    button = page.get_by_role("button", name=DOWNLOAD, exact=True)
    expect(button).to_be_visible()
    library.connection.execute("DELETE FROM library_media WHERE media_id = %s", [media])
    button.click()
    page.get_by_role("group", name=DOWNLOAD).get_by_role("button", name=WEB_PAGE).click()
    expect(page.get_by_text("There is no such media in your library.", exact=True)).to_be_visible()


@pytest.fixture(scope="module")
def tokens(same_library: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nexus]:
    with run_nexus(tmp_path_factory.mktemp("tokens"), NEXUS_AUTH="token", **same_library) as command:
        yield command


def test_with_a_session(browser: Browser, tokens: Nexus, database_url: str, user: UUID) -> None:
    secret = token(tokens, user)
    server = tokens.serve("--no-worker")
    raw = psycopg.connect(plain_url(database_url), autocommit=True)
    with watched_page(browser, server.url) as watching, raw as connection:
        page = watching.open("/")
        page.get_by_label("Token", exact=True).fill(secret)
        page.get_by_role("button", name="Sign in").click()
        live(page)
        with Database(load_settings(database_url=database_url)) as database:
            query = "SELECT id FROM libraries WHERE owner_user_id = %s"
            (library_id,) = connection.execute(query, [user]).fetchone() or (None,)
            assert library_id
            media = UserLibrary(database, connection, user, library_id, server.url).article("Mine", "<p>My words</p>")
        page.goto(f"{server.url}/read/{media}")
        assert b"My words" in content(choose(page, DOWNLOAD, WEB_PAGE))
