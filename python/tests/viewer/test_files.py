"""Files that are dropped, chosen or pasted: exports and binary files are never saved as a text."""

import io
import zipfile

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import save, save_box, titles
from tests.viewer.watching import WatchedPage, accessibility_problems

ROWS = [f"Story {n},https://example.org/{n},165000000{n},tag,unread" for n in range(7)]
POCKET = "title,url,time_added,tags,status\n" + "\n".join(ROWS)


def choose(page: Page, name: str, content: bytes) -> None:
    file = FilePayload(name=name, mimeType="", buffer=content)
    page.locator("input[type=file]").set_input_files([file])


DROP = """([name, content]) => {
  const transfer = new DataTransfer();
  if (name) transfer.items.add(new File([content], name));
  else transfer.setData("text/plain", content);
  window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
}"""


def test_an_export_is_previewed_and_nothing_is_saved(watch: WatchedPage) -> None:
    page = watch.open()
    choose(page, "part_000000.csv", POCKET.encode())
    expect(page.get_by_role("heading", name="What was recognised")).to_be_visible()
    expect(page.get_by_text("7 items")).to_be_visible()
    page.get_by_role("link", name="Library", exact=True).first.click()
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()


def test_a_pasted_export_needs_confirmation(watch: WatchedPage) -> None:
    page = watch.open()
    save(page, POCKET)
    dialog = page.get_by_role("dialog", name="What you pasted is an export from Pocket (CSV)")
    assert accessibility_problems(page) == []
    dialog.get_by_role("button", name="Save as one text").click()
    expect(titles(page)).to_have_count(1)
    expect(save_box(page)).to_have_value("")
    save(page, POCKET)
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="What was recognised")).to_be_visible()


def archive(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as members:
        for name in names:
            members.writestr(name, "[]")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "answer"),
    [
        ("report.pdf", b"%PDF-1.7\n\xe2\xe3", "report.pdf is a PDF"),
        ("photos.zip", archive("photos/1.jpg"), "This is not a known export."),
        ("program", b"\x7fELF\0\0", "program is not a text file"),
    ],
)
def test_binary_files_are_refused_with_a_reason(
    watch: WatchedPage, server: ServerProcess, name: str, content: bytes, answer: str
) -> None:
    page = watch.open()
    choose(page, name, content)
    expect(page.get_by_role("region", name="Notifications")).to_contain_text(answer)
    expect(page.get_by_role("heading", name="Nothing here yet")).to_be_visible()


def test_a_drop_on_another_page_does_not_leave_the_app(watch: WatchedPage, library: UserLibrary) -> None:
    """The library stays mounted behind the reader, where its dialog could not be shown."""
    library.article("An article", "<p>Words to read.</p>")
    page = watch.open()
    page.get_by_role("link", name="An article", exact=True).click()
    expect(page.locator(".prose")).to_contain_text("Words to read.")
    page.evaluate(DROP, ["part_000000.csv", POCKET])
    page.get_by_role("link", name="Library", exact=True).first.click()
    expect(page.get_by_role("link", name="An article", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.evaluate(DROP, ["part_000000.csv", POCKET])
    expect(page.get_by_role("heading", name="What was recognised")).to_be_visible()


def test_dropping_an_export_keeps_the_draft_and_the_focus(watch: WatchedPage) -> None:
    page = watch.open()
    save_box(page).fill("Half a thought")
    page.evaluate(DROP, [None, POCKET])
    page.get_by_role("dialog").get_by_role("button", name="Save as one text").click()
    expect(titles(page)).to_have_count(1)
    expect(save_box(page)).to_have_value("Half a thought")
    expect(save_box(page)).to_be_focused()
