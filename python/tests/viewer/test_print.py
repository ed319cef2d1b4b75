"""Printing: the first page has the title and text, whatever the text begins with; dark themes print black on white."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

from tests.processes import ServerProcess
from tests.viewer.files.pdf import text_of
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, watched_page

PARAGRAPHS = "".join(f"<p>Paragraph {number}. {'Words that fill the line. ' * 30}</p>" for number in range(20))
PICTURE = '<figure><img src="/media/image?url=https%3A%2F%2Fexample.org%2Fa.png" alt="A tower"></figure>'
ROWS = "<tr><td>one</td><td>Paragraph 0.</td></tr>" * 200
BEGINNINGS = {
    "paragraphs": PARAGRAPHS,
    "quotation": f"<blockquote>{PARAGRAPHS}</blockquote>",
    "table": f"<table><tbody>{ROWS}</tbody></table>",
    "code": f"<pre><code>{'Paragraph 0.' + chr(10)}{('x = 1' + chr(10)) * 200}</code></pre>",
    "picture": f"{PICTURE}{PARAGRAPHS}",
}


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_the_first_page_has_the_title_and_text(watch: WatchedPage, library: UserLibrary, beginning: str) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (1200, 1500), "navy").save(picture, "PNG")
    tower = picture.getvalue()
    watch.page.route("**/media/image?*", lambda route: route.fulfill(body=tower, content_type="image/png"))
    page = watch.open(f"/read/{library.article('A title to print', BEGINNINGS[beginning])}")
    expect(page.locator(".prose")).to_be_visible()
    if beginning == "picture":
        page.wait_for_function("() => document.querySelector('.prose img').naturalHeight === 1500")
    first = text_of(page.pdf(format="A4", page_ranges="1"))
    assert "Atitletoprint" in first.replace(" ", "")
    assert "Paragraph0." in first.replace(" ", "")
    assert "Library" not in first


def test_a_dark_screen_prints_black_on_white(browser: Browser, server: ServerProcess, library: UserLibrary) -> None:
    path = f"/read/{library.article('Ink', '<blockquote><p>Said.</p></blockquote>')}"
    with watched_page(browser, server.url, user=library.user, color_scheme="dark") as watch:
        page = watch.open(path)
        expect(page.locator("blockquote")).to_be_visible()
        # The sum of red, green and blue. Waited for: a colour that changes takes a frame, also without motion.
        brightness = (
            "getComputedStyle(document.querySelector('blockquote')).color.match(/\\d+/g)"
            ".reduce((sum, part) => sum + Number(part), 0)"
        )
        page.wait_for_function(f"() => {brightness} > 450")
        page.emulate_media(media="print")
        page.wait_for_function(f"() => {brightness} < 300")
