"""Scrolling with the wheel, as people do: a page that moves by itself is not taken for reading."""

from playwright.sync_api import Page

from tests.processes import eventually

# Whether the page gets there, or to its end, within a second.
GETS_TO = """(y) => new Promise((done) => {
  const giveUp = performance.now() + 1000;
  const look = () => {
    const end = document.documentElement.scrollHeight - innerHeight;
    const isThere = Math.abs(scrollY - Math.min(y, end)) < 1;
    if (isThere || performance.now() > giveUp) done(isThere);
    else requestAnimationFrame(look);
  };
  look();
})"""


def scroll_to(page: Page, y: int) -> None:
    """Turns the wheel until the page is there: a browser drops its events while it has not drawn the page yet."""

    def turned() -> bool:
        page.mouse.wheel(0, y - page.evaluate("scrollY"))
        gets_there: bool = page.evaluate(GETS_TO, y)
        return gets_there

    page.mouse.move(200, 300)
    eventually(turned, f"the page was not scrolled to {y}")
