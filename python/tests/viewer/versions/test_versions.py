"""The versions of a text in the reader: what changed, the earlier text, the list of all."""

import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from nexus.text.originals.original_file import Original, OriginalFacts, pack
from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.watching import COLOURS, WCAG, WatchedPage, accessibility_problems, fits_the_width, watched_page

SAME = "".join(f"<p>Paragraph {number} stays as it was, with all of its words.</p>" for number in range(12))
OLD, NEW = "The bridge is 300 metres long.", "The bridge is 310 metres long."


def choose(page: Page, name: str) -> None:
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("list", name="More actions").get_by_text(name).click()


def changes(page: Page) -> Locator:
    return page.get_by_role("region", name="What changed")


@pytest.fixture
def changed(library: UserLibrary) -> str:
    """A text with two versions."""
    media = library.article("The bridge", f"{SAME}<p>{OLD}</p><p>It is closed in winter.</p>")
    library.new_version(media, f"{SAME}<p>{NEW}</p><p>東京の橋。</p><p>It opens again in spring.</p>", origin="reread")
    return media


def test_what_changed_is_shown_by_words(watch: WatchedPage, changed: str) -> None:
    page = watch.open(f"/read/{changed}")
    page.get_by_role("link", name="Show what changed").click()
    shown = changes(page)
    expect(shown.locator("del").first).to_have_text("Removed: 300 End of change.")
    expect(shown.locator("ins").first).to_have_text("Added: 310 End of change.")
    expect(shown).to_contain_text("words added")
    more = shown.get_by_role("button", name="Show 11 unchanged paragraphs")
    expect(more).to_be_visible()
    before = shown.locator("p").count()
    more.click()
    expect(shown.locator("p")).to_have_count(before + 11)
    page.reload()
    expect(changes(page).locator("ins").first).to_contain_text("310")
    page.get_by_role("link", name="Show the current text").click()
    expect(page.locator(".prose")).to_contain_text(NEW)


def test_an_earlier_text_is_opened_shared_and_left(watch: WatchedPage, changed: str) -> None:
    page = watch.open(f"/read/{changed}")
    page.get_by_role("link", name="Open the earlier text").click()
    bar = page.get_by_role("status").filter(has_text="You are reading the text of")
    expect(bar).to_be_visible()
    expect(page.locator(".prose")).to_contain_text(OLD)
    expect(page).to_have_url(re.compile(r"[?&]version=1$"))
    page.reload()
    expect(page.locator(".prose")).to_contain_text(OLD)
    page.mouse.wheel(0, 5000)
    expect(bar).to_be_in_viewport()
    bar.get_by_role("link", name="Show the current text").click()
    expect(page.locator(".prose")).to_contain_text(NEW)
    expect(bar).to_have_count(0)
    watch.open(f"/read/{changed}?version=7")
    expect(page.get_by_role("alert")).to_have_text("There is no such version of this text.")


@pytest.mark.parametrize("user", [UUID(int=1)])  # downloads of the browser itself have none of the test's headers
def test_original_page_is_downloaded_from_the_menu(watch: WatchedPage, library: UserLibrary, tmp_path: Path) -> None:
    html = "<title>The page</title><p>As it came.</p>"
    original = Original(pack(html.encode(), OriginalFacts("fetched", "https://example.org/", content_type="text/html")))
    with_one, without = library.article("With", SAME, original=original), library.article("Without", SAME)
    page = watch.open(f"/read/{with_one}")
    with page.expect_download() as download:
        choose(page, "Download the original page")
    download.value.save_as(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == html
    assert download.value.suggested_filename == "With.html"
    watch.open(f"/read/{without}")
    page.get_by_role("button", name="More actions").click()
    menu = page.get_by_role("list", name="More actions")
    expect(menu.get_by_text("Versions (1)")).to_be_visible()
    expect(menu.get_by_text("Download the original page")).to_have_count(0)


def test_all_versions_are_listed(watch: WatchedPage, changed: str) -> None:
    page = watch.open(f"/read/{changed}")
    choose(page, "Versions (2)")
    panel = page.get_by_role("dialog", name="Versions of this text")
    rows = panel.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Current text")
    expect(rows.first).to_contain_text("Read again from the kept page")
    expect(rows.last).to_contain_text("Fetched")
    expect(rows.last).to_contain_text("words")
    rows.last.get_by_role("link", name="Open the text of").click()
    expect(panel).to_have_count(0)
    expect(page.locator(".prose")).to_contain_text(OLD)
    choose(page, "Versions (2)")
    rows.last.get_by_role("link", name="Compare with the current text").click()
    expect(changes(page).locator("ins").first).to_contain_text("310")


def test_versions_need_a_connection_and_say_so(watch: WatchedPage, changed: str) -> None:
    page = watch.open(f"/read/{changed}")
    expect(page.locator(".prose")).to_contain_text(NEW)
    page.context.set_offline(offline=True)
    choose(page, "Versions (2)")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Versions need a connection.")
    page.keyboard.press("Escape")
    expect(page.locator(".prose")).to_contain_text(NEW)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_versions_are_accessible_and_fit_a_phone(
    browser: Browser, server: ServerProcess, changed: str, user: UUID, scheme: Any, artifacts: Path
) -> None:
    size = {"width": 390, "height": 844}
    address = f"/read/{changed}"
    rules = WCAG if scheme == "light" else COLOURS  # the rest is as with the light one
    with watched_page(browser, server.url, user=user, viewport=size, color_scheme=scheme, has_touch=True) as phone:
        page = phone.page
        found = {}
        for name, query in {"current": "", "earlier": "?version=1", "changes": "?compare=1"}.items():
            phone.open(address + query)
            expect(page.locator("ins" if name == "changes" else ".prose").first).to_be_visible()
            fits_the_width(page)
            page.screenshot(path=artifacts / f"versions-{name}-{scheme}.png")
            found[name] = accessibility_problems(page, rules)
        page.get_by_role("button", name="More actions").click()
        menu = page.get_by_role("list", name="More actions")
        expect(menu).to_be_visible()
        page.screenshot(path=artifacts / f"versions-menu-{scheme}.png")
        found["menu"] = accessibility_problems(page, rules, within=menu)
        fits_the_width(page)
        page.get_by_text("Versions (2)").click()
        expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(2)
        page.screenshot(path=artifacts / f"versions-panel-{scheme}.png")
        found["panel"] = accessibility_problems(page, rules)
        assert {name: problems for name, problems in found.items() if problems} == {}
