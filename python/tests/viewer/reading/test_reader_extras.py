"""The reader besides the text: enlarged pictures, the next text of the list, full screen, time left, line height."""

import io
import re
from uuid import UUID

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import live
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

PICTURE = '<img src="/media/image?url=https%3A%2F%2Fexample.org%2Fa.png" alt="A bridge">'
HTML = f"<p>It begins.</p><figure>{PICTURE}</figure>" + f"<p>{'Words that fill the line. ' * 60}</p>" * 30


def serve_picture(page: Page) -> None:
    out = io.BytesIO()
    Image.new("RGB", (900, 600), (40, 90, 120)).save(out, "PNG")
    page.route("**/media/image?*", lambda route: route.fulfill(body=out.getvalue(), content_type="image/png"))


def test_pictures_are_enlarged_by_keyboard_and_on_a_phone(
    browser: Browser, server: ServerProcess, watch: WatchedPage, library: UserLibrary, user: UUID
) -> None:
    path = f"/read/{library.article('Bridges', HTML)}"
    serve_picture(watch.page)
    page = watch.open(path)
    button = page.get_by_role("button", name="Enlarge “A bridge”")
    button.focus()
    expect(button).to_be_in_viewport()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="A bridge")
    expect(dialog.get_by_role("img", name="A bridge")).to_be_in_viewport(ratio=1)
    assert accessibility_problems(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    with watched_page(browser, server.url, user=user, viewport={"width": 390, "height": 760}, has_touch=True) as phone:
        serve_picture(phone.page)
        small = phone.open(path)
        small.locator(".prose img").tap()
        shown = small.get_by_role("dialog", name="A bridge")
        expect(shown.get_by_role("img")).to_be_in_viewport(ratio=1)
        fits_the_width(small)
        shown.get_by_role("button", name="Close").tap()
        expect(shown).to_have_count(0)


def test_the_next_text_of_the_list_and_the_text_alone(watch: WatchedPage, library: UserLibrary) -> None:
    for name in ("The third", "The second", "The first"):
        library.article(name, f"{HTML}<p>The end of {name.lower()}.</p>", word_count=2300)
    serve_picture(watch.page)
    page = watch.open("/?unread=1")
    title = page.get_by_role("heading", level=1)
    page.get_by_role("link", name="The first", exact=True).click()
    expect(title).to_have_text("The first")
    expect(page.get_by_role("link", name="Previous in the list")).to_have_count(0)
    page.get_by_role("button", name="Mark as read").click()  # with which it leaves the list of unread texts
    page.keyboard.press("]")
    expect(title).to_have_text("The second")
    page.get_by_role("navigation", name="In your list").get_by_role("link", name="Next").click()
    expect(title).to_have_text("The third")
    expect(page.get_by_role("link", name="Next in the list")).to_have_count(0)
    page.keyboard.press("[")
    expect(title).to_have_text("The second")
    page.get_by_role("link", name="Previous in the list").click()
    expect(title).to_have_text("The first")

    expect(page.get_by_text("The end of the first.")).to_be_attached()  # the text comes after its title
    page.mouse.move(600, 400)
    page.evaluate("scrollTo(0, document.body.scrollHeight * 0.45)")
    expect(page.get_by_text("5 min left")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuetext", re.compile(r"^\d\d%, 5 min left$"))

    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement !== null")
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.get_by_role("contentinfo", name="Status")).to_be_hidden()
    page.get_by_role("button", name="Leave full screen").click()
    expect(page.get_by_role("banner")).to_be_visible()

    prose = page.locator(".prose")
    height = "(text) => parseFloat(getComputedStyle(text).lineHeight)"
    before = float(prose.evaluate(height))
    page.get_by_role("button", name="Display settings").click()
    page.get_by_role("button", name="Lines further apart").click()
    expect(prose).not_to_have_css("line-height", f"{before:g}px")
    after = float(prose.evaluate(height))
    assert 1.05 < after / before < 1.08


def test_the_users_own_title_and_note_take_the_place_of_the_pages(
    browser: Browser, server: ServerProcess, watch: WatchedPage, library: UserLibrary, user: UUID
) -> None:
    path = f"/read/{library.article('Theirs', HTML)}"
    page = watch.open(path)
    with watched_page(browser, server.url, user=user) as other:
        elsewhere = live(other.open(path))
        page.get_by_role("button", name="Edit title and note").click()
        page.get_by_role("textbox", name="Title").fill("Mine")
        page.get_by_role("textbox", name="Note").fill("For Ben")
        page.get_by_role("button", name="Save", exact=True).click()
        for one in (page, elsewhere):
            expect(one.get_by_role("heading", level=1)).to_have_text("Mine")
            expect(one.locator("article header")).to_contain_text("For Ben")
            expect(one).to_have_title("Mine · Nexus")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Theirs")
    expect(page.get_by_text("For Ben")).to_have_count(0)
    expect(page).to_have_title("Theirs · Nexus")
