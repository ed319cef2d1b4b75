"""Highlights that are there before a page is opened, and the pages that list them."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
from playwright.sync_api import Locator, Page, expect

from nexus.text.canonical_text import canonicalize
from tests.processes import TRUSTS_NOBODY, ServerProcess
from tests.viewer.library import UserLibrary

HIGHLIGHTS, REVIEW = "/library/highlights", "/library/highlights/review"


def user_client(server: ServerProcess, user: UUID) -> httpx2.Client:
    """A client of the API, as another device of the user."""
    return httpx2.Client(base_url=server.url, headers={"X-User-Id": str(user)}, timeout=60, verify=TRUSTS_NOBODY)


def mark(api: httpx2.Client, media: str, html: str, quote: str, **body: Any) -> str:
    """Marks the first occurrence in the text of that HTML; its id."""
    text = canonicalize(html)
    start = text.index(quote)
    place = {
        "version": 1,
        "start": {"fragment_idx": 0, "offset": start},
        "end": {"fragment_idx": 0, "offset": start + len(quote)},
        "quote": quote,
    }
    made = api.post(f"/media/{media}/highlights", json=place | body)
    assert made.status_code == 201, made.text
    return str(made.json()["data"]["id"])


def marked_text(
    api: httpx2.Client, library: UserLibrary, title: str, *quotes: str, **body: Any
) -> tuple[str, list[str]]:
    """A text whose paragraphs are highlighted, each as a whole; its id and theirs."""
    html = "".join(f"<p>{quote}</p>" for quote in quotes)
    media = library.article(title, html)
    return media, [mark(api, media, html, quote, **body) for quote in quotes]


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def item(page: Page, words: str) -> Locator:
    return page.locator("article.highlight").filter(has_text=words)


def quotes(page: Page) -> Locator:
    return page.locator("article.highlight blockquote")


def choose(page: Page, words: str, action: str) -> None:
    """Chooses an action in the menu of a highlight."""
    menu = item(page, words).get_by_role("button", name="More actions of this highlight")
    menu.click()
    expect(menu).to_have_attribute("aria-expanded", "true")
    item(page, words).get_by_role("button", name=action, exact=True).click()
