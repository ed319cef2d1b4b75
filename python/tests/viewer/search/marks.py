"""The marks of a search in the reader."""

from typing import Any

from playwright.sync_api import Locator, Page

# What is marked, and the one of it that one is at, with whether that is in the window.
MARKED = """() => {
  const words = (name) => [...(CSS.highlights.get(name) ?? [])].map(String);
  const [current] = CSS.highlights.get("current-hit") ?? [];
  const box = current?.getBoundingClientRect();
  const inSight = !!box && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
  return { hits: words("hit"), current: words("current-hit"), inSight };
}"""


def marked(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(MARKED)
    return found


def bar(page: Page) -> Locator:
    return page.get_by_role("group", name="Search results in this text")


def search_box(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Search everything")
