"""Highlights without a mouse: by keyboard alone, and by touch on a phone."""

import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.processes import ServerProcess, eventually
from tests.viewer.highlights.steps import SELECTED, ends_of, is_drawn, is_sent, on_server, toolbar
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

HTML = "".join(
    f"<p>First of {number} is short. Second of {number} has words. Third of {number} ends it.</p>"
    for number in range(40)
)

SELECT = """(words) => {
  const paragraphs = [...document.querySelectorAll('.prose p')];
  const { firstChild: text } = paragraphs.find((one) => one.textContent.includes(words));
  const at = text.data.indexOf(words);
  getSelection().setBaseAndExtent(text, at, text, at + words.length);
}"""


def opened(watch: WatchedPage, media: str) -> Page:
    page = watch.open(f"/read/{media}")
    expect(page.get_by_text("Third of 39 ends it.")).to_be_attached()
    return page


def press(page: Page, key: str, selected: str) -> None:
    page.keyboard.press(key)
    eventually(lambda: page.evaluate(SELECTED) == selected, f"{key} does not select “{selected}”")


@pytest.fixture
def media(library: UserLibrary) -> str:
    return library.article("By sentences", HTML)


@pytest.fixture
def phone(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    screen = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with watched_page(browser, server.url, user=user, **screen) as watching:
        yield watching


def test_sentences_are_selected_highlighted_and_changed_by_keyboard_alone(watch: WatchedPage, media: str) -> None:
    page = opened(watch, media)
    press(page, "h", "First of 0 is short.")
    press(page, "ArrowDown", "Second of 0 has words.")
    press(page, "ArrowDown", "Third of 0 ends it.")
    press(page, "ArrowUp", "Second of 0 has words.")
    press(page, "H", "Second of 0 has words. Third of 0 ends it.")
    page.keyboard.press("h")
    is_drawn(page, {"yellow": ["Second of 0 has words. Third of 0 ends it."]})
    bar = toolbar(page, "Highlight")
    expect(bar.get_by_role("button", name="Yellow")).to_be_focused()
    assert accessibility_problems(page) == []
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    is_drawn(page, {"green": ["Second of 0 has words. Third of 0 ends it."]})
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(bar.get_by_role("button", name="Note")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Note")).to_be_focused()
    page.keyboard.type("By hand")
    page.keyboard.press("Control+Enter")
    expect(bar.get_by_role("button", name="Note")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("toolbar")).to_have_count(0)
    is_sent(page)
    (made,) = on_server(watch, media)
    assert (made["color"], made["note"]) == ("green", "By hand")

    page.evaluate("scrollTo(0, 1500)")
    page.keyboard.press("N")
    toolbar(page, "Highlight")
    expect(page.get_by_text("Second of 0 has words.")).to_be_in_viewport()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    table = page.get_by_role("dialog")
    expect(table).to_contain_text("Highlight what is selected, or select the sentence to highlight")
    expect(table).to_contain_text("Next / previous highlight")


def test_a_colour_is_for_what_is_selected_also_while_a_highlight_is_open(watch: WatchedPage, media: str) -> None:
    page = opened(watch, media)
    press(page, "h", "First of 0 is short.")
    page.keyboard.press("h")
    toolbar(page, "Highlight")
    page.evaluate(SELECT, "Second of 1 has words.")
    toolbar(page).get_by_role("button", name="Highlight in blue").click()
    is_drawn(page, {"yellow": ["First of 0 is short."], "blue": ["Second of 1 has words."]})


def test_the_sentence_that_is_read_is_selected_and_what_the_browser_extends(watch: WatchedPage, media: str) -> None:
    page = opened(watch, media)
    page.evaluate("() => [...document.querySelectorAll('.prose p')][20].scrollIntoView({ block: 'start' })")
    page.evaluate("scrollBy(0, -innerHeight * 0.25 + 60)")
    page.keyboard.press("h")
    eventually(lambda: page.evaluate(SELECTED) != "", "nothing is selected")
    chosen = page.evaluate(SELECTED)
    assert re.fullmatch(r"(First|Second|Third) of (19|20|21) (is short|has words|ends it)\.", chosen), chosen
    page.keyboard.press("Shift+ArrowRight")
    eventually(lambda: len(page.evaluate(SELECTED)) > len(chosen), "the browser extends no selection")
    toolbar(page)  # what appears while the page scrolls may end the scrolling
    before = page.evaluate("scrollY")
    page.keyboard.press("ArrowDown")  # of another selection than that of the keys: it scrolls
    page.wait_for_function("(before) => scrollY > before", arg=before)
    page.keyboard.press("Escape")
    eventually(lambda: page.evaluate(SELECTED) == "", "it is still selected")


def test_words_are_highlighted_by_touch(phone: WatchedPage, media: str) -> None:
    page = opened(phone, media)
    by_finger(page, "short. Second", "short. Second of 0")
    bar = toolbar(page)
    expect(bar).to_be_in_viewport(ratio=1)
    # The browser has a menu of its own at the words.
    assert bar.evaluate("(bar) => bar.getBoundingClientRect().top > innerHeight * 0.75")
    fits_the_width(page)
    assert accessibility_problems(page) == []
    bar.get_by_role("button", name="Highlight in blue").tap()
    is_drawn(page, {"blue": ["short. Second of 0"]})
    is_sent(page)
    assert [one["quote"] for one in on_server(phone, media)] == ["short. Second of 0"]
    page.touchscreen.tap(*ends_of(page, "Second of 0")["middle"])
    toolbar(page, "Highlight").get_by_role("button", name="Delete").tap()
    is_drawn(page, {})
    page.get_by_role("button", name="Undo").tap()
    is_drawn(page, {"blue": ["short. Second of 0"]})


def by_finger(page: Page, *grown: str) -> None:
    """A long press, and its handles that are moved: no headless Chromium has either. What the page learns of them is
    a touch that is cancelled, and then only that the selection is another one."""
    session = page.context.new_cdp_session(page)
    x, y = ends_of(page, grown[0])["start"]
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    for words in grown:
        page.evaluate(SELECT, words)
