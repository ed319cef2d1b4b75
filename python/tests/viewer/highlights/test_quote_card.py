"""A highlight as a picture, drawn by the browser: the downloaded file is opened and checked."""

from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess, run_nexus
from tests.viewer.conftest import HOME_HOST
from tests.viewer.highlights.marked_pages import HIGHLIGHTS, choose, marked_text, quotes, user_client
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

ENGLISH = "The keeper counted the ships that passed, and wrote each of them down."
HEBREW = "המגדלור נבנה בקיץ אחד. שומר המגדלור ספר את האוניות שעברו."
CHINESE = "灯塔是在一个夏天建成的。看守人数着过往的船只。并把它们一一记录在账簿上。" * 3
EMOJI = "Ships: 🚢🚢🏴‍☠️ and families 👨‍👩‍👧‍👦👨‍👩‍👧‍👦 and flags 🇩🇪🇯🇵"
LONG = " ".join(f"Sentence number {index} of a very long quote." for index in range(300))
# A share sheet cannot be opened in a test: what the page hands to it is kept.
SHARES = """
navigator.canShare = ({ files }) => files.every((file) => file.type === "image/png");
navigator.share = async ({ files, title }) => { window.shared = [files[0].name, files[0].size > 1000, title]; };
"""


def opened(watch: WatchedPage, quote: str) -> Page:
    """Opens the page and waits until the picture is drawn."""
    page = watch.open(HIGHLIGHTS)
    expect(quotes(page)).to_have_count(1)
    choose(page, quote[:20], "Make a picture")
    is_drawn(page)
    return page


def is_drawn(page: Page) -> None:
    expect(page.get_by_role("img", name="The picture:")).to_have_attribute("aria-busy", "false")


def picture(page: Page) -> Image.Image:
    with page.expect_download() as started:
        page.get_by_role("button", name="Download PNG").click()
    assert started.value.suggested_filename == "Quote from A text.png"
    made = Image.open(BytesIO(Path(started.value.path()).read_bytes()))
    assert (made.format, made.width) == ("PNG", 1080)
    return made.convert("RGB")


def edges(made: Image.Image) -> tuple[int, int]:
    """Where the words begin and end from left to right; the coloured bar is not one of them."""
    grey = made.convert("L").point(lambda level: 255 if level < 90 else 0)
    box = grey.getbbox()
    assert box, "there are no words in the picture"
    return box[0], box[2]


def test_the_words_are_in_the_picture_from_the_left(
    watch: WatchedPage, api: httpx2.Client, library: UserLibrary
) -> None:
    marked_text(api, library, "A text", ENGLISH, color="green")
    page = opened(watch, ENGLISH)
    expect(page.get_by_role("img", name=f"The picture: {ENGLISH}")).to_be_visible()
    made = picture(page)
    assert made.height == 1080
    left, right = edges(made)
    assert 130 <= left <= 160
    assert right <= 1080 - 96
    assert made.getpixel((102, 540 - 60)) == (0x4F, 0xB1, 0x3B)  # the bar, in the highlight's colour
    assert page.evaluate("document.fonts.check('48px \"Source Serif 4 Variable\"')")


def test_right_to_left_begins_at_the_right(watch: WatchedPage, api: httpx2.Client, library: UserLibrary) -> None:
    marked_text(api, library, "A text", HEBREW)
    left, right = edges(picture(opened(watch, HEBREW)))
    assert right >= 1080 - 160
    assert left > 96


@pytest.mark.parametrize("quote", [CHINESE, EMOJI], ids=["Chinese", "emoji"])
def test_no_line_leaves_the_picture(watch: WatchedPage, api: httpx2.Client, library: UserLibrary, quote: str) -> None:
    marked_text(api, library, "A text", quote)
    left, right = edges(picture(opened(watch, quote)))
    assert left >= 130
    assert right <= 1080 - 96


def test_a_long_quote_makes_it_higher_and_its_end_is_left_out(
    watch: WatchedPage, api: httpx2.Client, library: UserLibrary
) -> None:
    marked_text(api, library, "A text", LONG)
    page = opened(watch, LONG)
    expect(page.get_by_text("too long for a picture")).to_be_visible()
    assert 2300 < picture(page).height <= 2400


def test_on_another_background(watch: WatchedPage, api: httpx2.Client, library: UserLibrary) -> None:
    marked_text(api, library, "A text", ENGLISH, color="blue")
    page = opened(watch, ENGLISH)
    light = picture(page).getpixel((5, 5))
    page.get_by_label("Dark").check()
    is_drawn(page)
    dark = picture(page).getpixel((5, 5))
    page.get_by_label("Colour", exact=True).and_(page.get_by_role("radio")).check()
    is_drawn(page)
    coloured = picture(page).getpixel((5, 5))
    assert [light, dark, coloured] == [(0xFB, 0xFA, 0xF6), (0x17, 0x19, 0x1B), (0xDC, 0xED, 0xFF)]


def test_is_shared_where_the_browser_can(watch: WatchedPage, api: httpx2.Client, library: UserLibrary) -> None:
    marked_text(api, library, "A text", ENGLISH)
    watch.page.add_init_script(SHARES)
    page = opened(watch, ENGLISH)
    page.get_by_role("button", name="Share").click()
    page.wait_for_function("() => window.shared")
    assert page.evaluate("window.shared") == ["Quote from A text.png", True, "A text"]


def test_by_keyboard_on_a_phone_and_accessible(
    browser: Browser, server: ServerProcess, user: UUID, api: httpx2.Client, library: UserLibrary
) -> None:
    marked_text(api, library, "A text", ENGLISH)
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    with watched_page(browser, server.url, user=user, **phone) as watch:
        page = opened(watch, ENGLISH)
        fits_the_width(page)
        assert accessibility_problems(page) == []
        page.get_by_role("button", name="Download PNG").focus()
        with page.expect_download():
            page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.get_by_role("button", name="More actions of this highlight")).to_be_focused()


def test_over_plain_http_it_is_downloaded(
    browser: Browser, same_library: dict[str, str], user: UUID, library: UserLibrary, tmp_path: Path
) -> None:
    environment = same_library | {"NEXUS_ENV": "test", "NEXUS_ALLOWED_HOSTS": HOME_HOST}
    with run_nexus(tmp_path, **environment) as nexus:
        plain = nexus.serve("--no-worker")
        with user_client(plain, user) as api:
            marked_text(api, library, "A text", ENGLISH)
        with watched_page(browser, plain.url.replace("127.0.0.1", HOME_HOST), user=user) as watch:
            page = opened(watch, ENGLISH)
            assert page.evaluate("isSecureContext") is False
            expect(page.get_by_role("button", name="Share")).to_have_count(0)
            assert picture(page).height == 1080
