"""Steps of the tests of highlights: select words as people do, and check what is drawn."""

from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.processes import eventually
from tests.viewer.watching import WatchedPage

TOOLBAR = "Highlight the selected text"
# Where words begin and end on the screen, as far as they are in one text node; the page is scrolled there first.
ENDS = """([words, nth]) => {
  const walker = document.createTreeWalker(document.querySelector('.text'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), seen = 0; node; node = walker.nextNode()) {
    for (let at = node.data.indexOf(words); at >= 0; at = node.data.indexOf(words, at + 1)) {
      if (!node.parentElement.checkVisibility() || seen++ < nth) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      const outer = range.getBoundingClientRect();
      if (outer.top < 120 || outer.bottom > innerHeight - 120) scrollBy(0, outer.top - innerHeight / 3);
      const boxes = [...range.getClientRects()];
      const [first, last] = [boxes[0], boxes.at(-1)];
      return {
        start: [first.left + 0.5, first.top + first.height / 2],
        end: [last.right - 0.5, last.top + last.height / 2],
        middle: [first.left + Math.min(first.width / 2, 20), first.top + first.height / 2],
      };
    }
  }
  return null;
}"""
# The words that are drawn in each colour, in the order of the page.
DRAWN = """() => Object.fromEntries(['yellow', 'green', 'blue', 'pink'].flatMap((color) => {
  const ranges = [...(CSS.highlights.get('mark-' + color) ?? [])];
  return ranges.length ? [[color, ranges.map((range) => range.toString())]] : [];
}))"""
# Whether the toolbar of a highlight is there within a second.
TOOLBAR_COMES = """() => new Promise((resolve) => {
  const isThere = () => document.querySelector('[role=toolbar][aria-label="Highlight"]')?.checkVisibility() ?? false;
  const until = performance.now() + 1000;
  const look = () => {
    if (isThere()) resolve(true);
    else if (performance.now() > until) resolve(false);
    else setTimeout(look, 20);
  };
  look();
})"""
SELECTED = "() => getSelection().toString()"
# What is not on the server yet.
WAITING = "() => Object.keys(localStorage).filter((key) => key.startsWith('nexus.highlights')).length"


def ends_of(page: Page, words: str, nth: int = 0) -> dict[str, list[float]]:
    found: list[dict[str, list[float]] | None] = []

    def has_appeared() -> bool:
        found[:] = [page.evaluate(ENDS, [words, nth])]
        return found[0] is not None

    eventually(has_appeared, f"the text has no “{words}”")
    assert found[0] is not None
    return found[0]


def select(page: Page, words: str, until: str | None = None) -> Locator:
    """Selects words with the mouse. Returns the toolbar that appears."""
    drag_over(page, words, until)
    return toolbar(page)


def drag_over(page: Page, words: str, until: str | None = None) -> None:
    """From the beginning of some words to the end of the same or of others.

    Repeated until they are selected: a page that is still being laid out may move its words under the pointer."""

    def is_selected() -> bool:
        page.evaluate("() => getSelection().removeAllRanges()")  # what is selected would be dragged
        ends_of(page, words)  # which scrolls: the other end is looked for where it is then
        start, end = ends_of(page, words)["start"], ends_of(page, until or words)["end"]
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=4)
        page.mouse.up()
        selected = page.evaluate(SELECTED)
        return bool(selected.startswith(words[:20]) and selected.endswith((until or words)[-20:]))

    eventually(is_selected, f"“{words}” could not be selected")


def toolbar(page: Page, name: str = TOOLBAR) -> Locator:
    found = page.get_by_role("toolbar", name=name, exact=True)
    expect(found).to_be_visible()
    return found


def highlight(page: Page, words: str, until: str | None = None, color: str = "yellow") -> None:
    select(page, words, until).get_by_role("button", name=f"Highlight in {color}").click()
    expect(page.get_by_role("toolbar")).to_have_count(0)


def open_highlight(page: Page, words: str) -> Locator:
    """Opens it by a click, which is repeated if the layout changed meanwhile."""

    def is_open() -> bool:
        page.mouse.click(*ends_of(page, words)["middle"])
        return bool(page.evaluate(TOOLBAR_COMES))

    eventually(is_open, f"the highlight of “{words}” was not opened")
    return toolbar(page, "Highlight")


def is_drawn(page: Page, expected: dict[str, list[str]]) -> None:
    found: list[dict[str, list[str]]] = []

    def drawn() -> bool:
        found[:] = [page.evaluate(DRAWN)]
        return found == [expected]

    try:
        eventually(drawn, "other words are drawn")
    except AssertionError:
        assert found == [expected]
        raise


def is_sent(page: Page) -> None:
    page.wait_for_function(f"() => ({WAITING})() === 0")


def on_server(watch: WatchedPage, media: str) -> list[dict[str, Any]]:
    response = watch.page.request.get(f"{watch.url}/media/{media}/highlights")
    assert response.ok, response.text()
    found: list[dict[str, Any]] = response.json()["data"]
    return found


def panel(page: Page) -> Locator:
    button = page.locator(".tools").get_by_role("button", name="Highlights", exact=True)
    if button.is_visible():
        button.click()
    else:  # on a phone
        page.get_by_role("button", name="More actions").click()
        page.get_by_role("list", name="More actions").get_by_text("Highlights").click()
    found = page.get_by_role("dialog")
    expect(found).to_be_visible()
    return found
