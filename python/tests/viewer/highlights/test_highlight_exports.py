"""Highlights as files, on the clipboard and as a feed, which are opened and read again."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote
from uuid import UUID
from xml.etree import ElementTree as ET

import httpx2
import pytest
from playwright.sync_api import Browser, Download, Page, expect

from tests.processes import TRUSTS_NOBODY, ServerProcess
from tests.viewer.highlights.marked_pages import HIGHLIGHTS, choose, mark, marked_text, quotes
from tests.viewer.highlights.steps import panel
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

SEA, LAND = "Das Meer [und] der *Sturm*, 海", "An oak, “the old one”, stands."
ATOM = {"atom": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def two(api: httpx2.Client, library: UserLibrary) -> dict[str, str]:
    """The ids of two highlights, by their quotes."""
    html = f"<p>Before. {SEA} After.</p>"
    sea = library.article("Über das Meer", html, byline="Ada")
    first = mark(api, sea, html, SEA, note="Wo?\nWann?", tags=["big water"])
    return {SEA: first, LAND: marked_text(api, library, "Oaks", LAND, color="green")[1][0]}


def opened(watch: WatchedPage, count: int = 2) -> Page:
    page = live(watch.open(HIGHLIGHTS))
    expect(quotes(page)).to_have_count(count)
    return page


def exported(page: Page, label: str, choice: str) -> Download:
    page.get_by_role("button", name=label, exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("group", name=label).get_by_role("button", name=re.compile(f"^{choice}")).click()
    return started.value


def content(download: Download) -> bytes:
    return Path(download.path()).read_bytes()


def copied(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_markdown_is_a_file_for_each_text(watch: WatchedPage, two: dict[str, str]) -> None:
    downloaded = exported(opened(watch), "Export all highlights", "Markdown")
    assert downloaded.suggested_filename == "Highlights.zip"
    archive = zipfile.ZipFile(io.BytesIO(content(downloaded)))
    assert archive.testzip() is None
    assert sorted(archive.namelist()) == ["Oaks.md", "Über das Meer.md"]
    text = archive.read("Über das Meer.md").decode()
    assert 'title: "Über das Meer"' in text
    assert 'author: "Ada"' in text
    assert f"?highlight={two[SEA]}" in text
    assert "> Das Meer \\[und\\] der \\*Sturm\\*, 海" in text


def test_the_reader_exports_its_own_text(watch: WatchedPage, api: httpx2.Client, two: dict[str, str]) -> None:
    [oaks] = [one for one in api.get("/highlights").json()["data"]["highlights"] if one["id"] == two[LAND]]
    page = live(watch.open(f"/read/{oaks['media_id']}"))
    drawer = panel(page).bounding_box()
    button = page.get_by_role("button", name="Export the highlights of “Oaks”")
    button.click()
    menu = page.get_by_role("group", name="Export the highlights of “Oaks”").bounding_box()
    at = button.bounding_box()
    assert drawer
    assert menu
    assert at
    assert drawer["x"] <= menu["x"], "the drawer cuts it off"
    assert abs(menu["x"] + menu["width"] - at["x"] - at["width"]) < 2, "it is away from its button"
    page.keyboard.press("Escape")
    downloaded = exported(page, "Export the highlights of “Oaks”", "Markdown")
    assert downloaded.suggested_filename == "Oaks.md"
    text = content(downloaded).decode()
    assert two[LAND] in text
    assert two[SEA] not in text


def test_a_link_of_the_markdown_leads_to_the_place(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    archive = zipfile.ZipFile(io.BytesIO(content(exported(page, "Export all highlights", "Markdown"))))
    found = re.search(r"\((http[^)]*\?highlight=[^)]*)\)", archive.read("Oaks.md").decode())
    assert found
    page.goto(found[1])
    expect(page.get_by_role("heading", name="Oaks")).to_be_visible()
    expect(page.get_by_text(LAND).first).to_be_visible()


def test_readwise_json_and_quotes(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    table = exported(page, "Export all highlights", "Readwise")
    assert table.suggested_filename == "Highlights.csv"
    rows = {row["Highlight"]: row for row in csv.DictReader(io.StringIO(content(table).decode(), newline=""))}
    assert set(rows) == {SEA, LAND}
    assert rows[SEA]["Note"] == ".big-water\nWo?\nWann?"
    assert (rows[SEA]["Title"], rows[SEA]["Author"]) == ("Über das Meer", "Ada")
    data = json.loads(content(exported(page, "Export all highlights", "JSON")))
    assert {one["id"]: one["quote"] for one in data["highlights"]} == {id_: quote for quote, id_ in two.items()}
    plain = exported(page, "Export all highlights", "Quotes")
    assert plain.suggested_filename == "Highlights.txt"
    assert f"“{LAND}”\n— Oaks" in content(plain).decode()


def test_what_the_list_shows_or_those_of_one_text(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    page.get_by_role("button", name="Only green ones").click()
    expect(quotes(page)).to_have_text([LAND])
    data = json.loads(content(exported(page, "Export what the list shows", "JSON")))
    assert [one["quote"] for one in data["highlights"]] == [LAND]
    page.get_by_role("button", name="Only green ones").click()
    page.get_by_label("Order").select_option("By text")
    expect(quotes(page)).to_have_count(2)
    one = exported(page, "Export the highlights of “Über das Meer”", "Markdown")
    assert one.suggested_filename == "Über das Meer.md"
    assert content(one).decode().startswith("---\n")


def test_a_refusal_is_a_message_and_the_focus_stays(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    page.route("**/highlights/export?*", lambda route: route.abort())
    button = page.get_by_role("button", name="Export all highlights")
    button.click()
    page.get_by_role("button", name=re.compile("^JSON")).click()
    expect(page.get_by_role("alert")).to_contain_text("Couldn't reach the server.")
    expect(button).to_be_focused()


def test_one_is_copied_as_markdown_or_as_a_link_to_its_words(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose(page, SEA, "Copy as Markdown")
    expect(page.get_by_text("Copied as Markdown.")).to_be_visible()
    assert copied(page).startswith(
        "> Das Meer \\[und\\] der \\*Sturm\\*, 海\n>\n> — [Über das Meer](<https://example.org/"
    )
    assert copied(page).endswith("Wo?\nWann?")
    choose(page, SEA, "Copy a link to the original")
    expect(page.get_by_text("Link copied.")).to_be_visible()
    address, fragment = copied(page).split("#:~:text=")
    assert address.startswith("https://example.org/")
    assert unquote(fragment) == SEA


def test_the_feed_is_made_read_and_turned_off(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Feed of the highlights").click()
    dialog = page.get_by_role("dialog", name="Feed of your highlights")
    expect(dialog).to_contain_text("There is no feed.")
    dialog.get_by_role("button", name="Make a feed").click()
    field = dialog.get_by_label("Address of the feed")
    expect(field).to_be_focused()
    expect(dialog).to_contain_text("Nobody has read it yet.")
    assert accessibility_problems(page) == []
    dialog.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_text("Address copied.")).to_be_visible()
    address = field.input_value()
    assert copied(page) == address
    read = httpx2.get(address, timeout=60, verify=TRUSTS_NOBODY)  # as a feed reader does, without a user
    entries = ET.fromstring(read.raise_for_status().content).findall("atom:entry", ATOM)
    assert [entry.findtext("atom:title", namespaces=ATOM) for entry in entries] == ["Oaks", "Über das Meer"]

    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Feed of the highlights").click()
    expect(dialog).to_contain_text("Last read")
    expect(field).to_have_count(0)  # only once
    dialog.get_by_role("button", name="Make a new address").click()
    expect(field).to_be_focused()
    newer = field.input_value()
    assert httpx2.get(address, timeout=60, verify=TRUSTS_NOBODY).status_code == 404
    assert httpx2.get(newer, timeout=60, verify=TRUSTS_NOBODY).status_code == 200
    dialog.get_by_role("button", name="Turn the feed off").click()
    expect(dialog).to_contain_text("There is no feed.")
    assert httpx2.get(newer, timeout=60, verify=TRUSTS_NOBODY).status_code == 404


def test_a_feed_that_cannot_be_made_is_a_message(watch: WatchedPage, two: dict[str, str]) -> None:
    page = opened(watch)
    page.get_by_role("button", name="Feed of the highlights").click()
    dialog = page.get_by_role("dialog", name="Feed of your highlights")
    expect(dialog).to_contain_text("There is no feed.")
    page.route("**/highlights/feed", lambda route: route.abort())
    dialog.get_by_role("button", name="Make a feed").click()
    expect(page.get_by_text("Couldn't change the feed.")).to_be_visible()
    page.unroute("**/highlights/feed")
    dialog.get_by_role("button", name="Make a feed").click()
    expect(dialog.get_by_label("Address of the feed")).to_be_visible()


def test_the_menus_on_a_phone(browser: Browser, server: ServerProcess, user: UUID, two: dict[str, str]) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with watched_page(browser, server.url, user=user, **phone) as watch:
        page = watch.open(HIGHLIGHTS)
        expect(quotes(page)).to_have_count(2)
        page.get_by_role("button", name="Export all highlights").click()
        group = page.get_by_role("group", name="Export all highlights")
        expect(group.get_by_role("button")).to_have_count(4)
        box = group.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        fits_the_width(page)
        page.keyboard.press("Escape")
        expect(group).to_have_count(0)
        assert accessibility_problems(page) == []
        page.get_by_role("button", name="Feed of the highlights").click()
        dialog = page.get_by_role("dialog", name="Feed of your highlights")
        dialog.get_by_role("button", name="Make a feed").click()
        expect(dialog.get_by_label("Address of the feed")).to_be_visible()
        fits_the_width(page)
