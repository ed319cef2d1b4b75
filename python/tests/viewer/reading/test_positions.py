"""Positions in a text: the same sentence on every screen, offered while reading, stored while offline."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import factories as make
from tests.processes import ServerProcess, eventually
from tests.viewer.library import UserLibrary
from tests.viewer.reading.scrolling import scroll_to
from tests.viewer.rows import live
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

HTML = "".join(
    f"<p>{''.join(f'Sentence {part} of paragraph {number} has its own words. ' for part in range(12))}</p>"
    for number in range(60)
)
# The first sentence that begins below the line people read at.
AT_THE_LINE = """() => {
  const line = innerHeight * 0.25;
  const paragraph = [...document.querySelectorAll('.prose p')].find((one) => one.getBoundingClientRect().bottom > line);
  const [text, range] = [paragraph.firstChild, document.createRange()];
  for (const { index, 0: sentence } of text.data.matchAll(/Sentence[^.]*\\./g)) {
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    if (range.getBoundingClientRect().bottom > line) return sentence;
  }
  return paragraph.nextElementSibling.textContent.match(/Sentence[^.]*\\./)[0];
}"""

# Whether a sentence begins less than a line of text above or below that line.
IS_AT_THE_LINE = """(sentence) => {
  for (const { firstChild: text } of document.querySelectorAll('.prose p')) {
    const [index, range] = [text.data.indexOf(sentence), document.createRange()];
    if (index < 0) continue;
    range.setStart(text, index);
    range.setEnd(text, index + 1);
    const height = parseFloat(getComputedStyle(text.parentElement).lineHeight);
    return Math.abs(range.getBoundingClientRect().top - innerHeight * 0.25) < height;
  }
}"""

# What is not on the server yet: it leaves the queue only with the server's answer.
WAITING = "() => Object.keys(localStorage).filter((key) => key.startsWith('nexus.waiting-positions'))"


@pytest.fixture
def phone(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    """The same user, with another device."""
    size = {"width": 390, "height": 844}
    with watched_page(browser, server.url, user=user, viewport=size, user_agent="Mozilla/5.0 (iPhone)") as watching:
        yield watching


def read_on(page: Page, to: int) -> str:
    """Scroll with the wheel, as people do; the sentence one is at then, once the server knows."""
    page.evaluate(f"scrollTo(0, {to - 40})")
    scroll_to(page, to)
    settled(page)
    page.wait_for_function(f"() => ({WAITING})().length === 0")
    sentence: str = page.evaluate(AT_THE_LINE)
    return sentence


def is_at(page: Page, sentence: str) -> None:
    """The sentence is in the line that is being read, maybe behind the end of another one; once the page is there."""
    page.wait_for_function(IS_AT_THE_LINE, arg=sentence)


def settled(page: Page) -> None:
    """Behind the page's own timer, which queues where one is 400 ms after a scroll: timers end in their order."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 600)))")


def opened(watch: WatchedPage, path: str) -> Page:
    page = live(watch.open(path))
    expect(page.get_by_text("Sentence 0 of paragraph 59")).to_be_attached()
    return page


def test_two_devices_continue_at_the_same_sentence(
    watch: WatchedPage, phone: WatchedPage, library: UserLibrary
) -> None:
    path = f"/read/{library.article('A long one', HTML)}"
    wide, narrow = opened(watch, path), opened(phone, path)
    sentence = read_on(narrow, 9000)
    offered = wide.get_by_role("status").filter(has_text="Last read on iPhone, at")
    expect(offered).to_be_visible()
    assert wide.evaluate("scrollY") == 0, "the page never moves by itself"
    assert accessibility_problems(wide) == []
    offered.get_by_role("button", name="Continue where you were").click()
    expect(offered).to_have_count(0)
    is_at(wide, sentence)

    # The other way round; there it is opened for the first time, and nothing has been scrolled yet.
    further = read_on(wide, round(wide.evaluate("scrollY")) + 1500)
    assert further != sentence
    expect(narrow.get_by_role("status").filter(has_text="Last read on")).to_be_visible()
    fits_the_width(narrow)
    is_at(narrow, sentence)
    narrow.reload()
    narrow.wait_for_function("() => scrollY > 9500")
    is_at(narrow, further)
    expect(narrow.get_by_role("button", name="Continue where you were")).to_have_count(0)

    # Opening it is not reading on: the place stays the one it was.
    position = f"/api/library/{path.removeprefix('/read/')}/position"
    before = narrow.request.get(watch.url + position).json()
    wide.reload()
    wide.wait_for_function("() => scrollY > 1000")
    is_at(wide, further)
    settled(wide)
    assert wide.evaluate(WAITING) == []
    assert wide.request.get(watch.url + position).json() == before


def test_the_id_of_what_was_merged_leads_to_what_it_became(watch: WatchedPage, library: UserLibrary) -> None:
    """Otherwise the position of this device, under the other id, would be taken for that of another one."""
    media, merged = library.article("Merged", HTML), uuid4()
    make.insert(library.connection, "media_aliases", alias_id=merged, user_id=library.user, media_id=media)
    page = opened(watch, f"/read/{merged}?save={uuid4()}")
    page.wait_for_url(f"**/read/{media}?save=*")
    with page.expect_response(lambda response: response.url.endswith(f"{media}/position") and response.ok):
        scroll_to(page, 3000)
    settled(page)
    expect(page.get_by_role("button", name="Continue where you were")).to_have_count(0)


def test_a_position_without_a_connection_is_sent_when_the_browser_is_opened_again(
    watch: WatchedPage, library: UserLibrary
) -> None:
    media = library.article("Far away", HTML)
    page = opened(watch, f"/read/{media}")
    page.route("**/position", lambda route: route.abort())
    scroll_to(page, 3000)
    page.wait_for_function(f"() => ({WAITING})().length > 0")
    sentence = page.evaluate(AT_THE_LINE)
    position = f"{watch.url}/api/library/{media}/position"
    assert page.request.get(position).json()["offset"] is None
    page.close()
    again = page.context.new_page()
    again.goto(watch.url)
    eventually(lambda: again.request.get(position).json()["offset"] is not None, "it was not sent")
    again.goto(f"{watch.url}/read/{media}")
    again.wait_for_function("() => scrollY > 1000")
    is_at(again, sentence)
