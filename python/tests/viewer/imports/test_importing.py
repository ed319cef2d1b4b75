"""Moving in, in the browser: drop an export, look at it, start, read the report, undo."""

import base64
import io
import re
import zipfile
from uuid import UUID

from playwright.sync_api import FilePayload, Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import titles
from tests.viewer.site import Site, article
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width

DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
}"""


def pocket_zip(*rows: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as members:
        members.writestr("part_000000.csv", "\n".join(["title,url,time_added,tags,status", *rows]))
    return buffer.getvalue()


def drop(page: Page, name: str, content: bytes) -> None:
    page.evaluate(DROP, [name, base64.b64encode(content).decode()])


def test_a_pocket_zip_is_dropped_previewed_started_reported_and_undone(
    watch: WatchedPage, site: Site, library: UserLibrary
) -> None:
    library.article("Mine already", "<p>Kept whatever is undone.</p>")
    story = site.put("/pocketed", article("A pocketed story"))
    page = watch.open()
    rows = (
        f"A pocketed story,{story},1500000000,sea|long read,archive",
        "Bad,javascript:alert(1),1500000000,,unread",
        f"The same again,{story},1400000000,boats,unread",
    )
    drop(page, "pocket.zip", pocket_zip(*rows))
    expect(page.get_by_role("heading", name="What was recognised")).to_be_visible()
    expect(page.get_by_text("2 items")).to_be_visible()
    expect(page.get_by_text("1 row can't be imported")).to_be_visible()
    expect(page.get_by_role("cell", name="sea, long read")).to_be_visible()
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Start import").click()
    expect(page.get_by_role("heading", name="Finished")).to_be_visible()
    expect(page.get_by_role("button", name="Added 1")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Merged 1|Already there 1"))).to_have_count(1)
    page.get_by_role("button", name="Failed 1").click()
    expect(page.get_by_text("javascript")).to_be_visible()
    assert accessibility_problems(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    fits_the_width(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("link", name="Library", exact=True).first.click()
    page.goto(f"{watch.url}/?in=archive")
    expect(titles(page)).to_have_text(["A pocketed story"])
    page.goto(f"{watch.url}/settings/import")
    page.get_by_role("link", name="Pocket", exact=True).click()
    page.get_by_role("button", name="Undo import").click()
    page.get_by_role("alert").get_by_role("button", name="Undo import").click()
    expect(page.get_by_role("heading", name="Undone", exact=True)).to_be_visible()  # not "Being undone"
    page.goto(f"{watch.url}/?in=all")
    expect(titles(page)).to_have_text(["Mine already"])


def test_what_is_no_export_is_refused_and_a_preview_can_be_discarded(watch: WatchedPage) -> None:
    page = watch.open("/settings/import")
    field = page.locator("input[type=file]")
    field.set_input_files([FilePayload(name="holiday.zip", mimeType="", buffer=photos())])
    expect(page.get_by_role("alert")).to_contain_text("Not imported")
    cut_off = b'[{"href": "https://example.org/a", "descr'
    field.set_input_files([FilePayload(name="pinboard.json", mimeType="", buffer=cut_off)])
    expect(page.get_by_role("alert")).to_contain_text("pinboard.json is damaged or cut off here.")
    expect(page.get_by_role("button", name="Start import")).to_have_count(0)
    page.get_by_role("button", name="Discard").click()
    row = "A story,https://example.org/story,1500000000,,unread"
    field.set_input_files([FilePayload(name="pocket.zip", mimeType="", buffer=pocket_zip(row))])
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("Nothing was imported yet.")).to_be_visible()


def photos() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as members:
        members.writestr("holiday/1.jpg", b"\xff\xd8\xff")
    return buffer.getvalue()


def test_a_library_is_exported_and_downloaded(
    watch: WatchedPage, library: UserLibrary, server: ServerProcess, user: UUID
) -> None:
    library.article("Taken along", "<p>Words that leave.</p>")
    page = watch.open("/settings/export")
    page.get_by_label("Format").first.select_option(label="Bookmarks")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Export", exact=True).click()
    link = page.get_by_role("link", name="Download").get_attribute("href")
    # Downloads that the browser makes by itself lack the header by which the tests are users of their own.
    assert "Taken along" in server.get(link or "", headers={"X-User-Id": str(user)}).text
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No exports yet.")).to_be_visible()
    page.get_by_role("button", name="Add schedule").click()
    expect(page.get_by_role("button", name="Delete the schedule of Archive")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    fits_the_width(page)
