"""The operator's Health tab: how the store is, and what to do when something is wrong."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.processes import ServerProcess
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width, watched_page

AGES_AGO = "2026-01-01T03:00:00Z"


@pytest.fixture
def user() -> UUID:
    """The operator."""
    return UUID(int=1)


def open_health(page: Page) -> Locator:
    page.get_by_role("contentinfo").get_by_role("button", name="Health").click()
    return page.get_by_role("dialog").get_by_role("tabpanel")


def test_the_store_is_shown(watch: WatchedPage) -> None:
    panel = open_health(watch.open())
    expect(panel).to_contain_text("A folder:")
    expect(panel).to_contain_text("left on its disk, 1.1 GB of it for the database")
    expect(panel).to_contain_text("never. Run nexus store check.")
    expect(panel).to_contain_text("none is waiting for the store")
    expect(panel.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_wrong_is_said_with_what_helps(
    browser: Browser, server: ServerProcess, user: UUID, scheme: Any, artifacts: Path
) -> None:
    def with_problems(route: Route) -> None:
        changed = {"missing": 3, "damaged": 1, "problem": "The folder is not there.", "free_bytes": 300_000_000}
        collected = {"started_at": AGES_AGO, "finished_at": AGES_AGO, "blobs": 2, "bytes": 12_000, "leftovers": 0}
        route.fulfill(json=route.fetch().json() | changed | {"last_collection": collected})

    size = {"width": 390, "height": 844}
    with watched_page(browser, server.url, user=user, viewport=size, color_scheme=scheme) as watch:
        watch.page.route("**/api/store", with_problems)
        page = watch.open()
        panel = open_health(page)
        expect(panel.get_by_role("alert").filter(has_text="3 blobs are missing.")).to_contain_text("nexus store check")
        expect(panel.get_by_role("alert").filter(has_text="1 blob is damaged.")).to_be_visible()
        expect(panel.get_by_role("alert").first).to_contain_text("The folder is not there.")
        expect(panel.get_by_role("alert").first).to_be_in_viewport()
        expect(panel.locator("div").filter(has_text="Last clean-up")).to_contain_text("2 blobs that nothing uses any")
        page.screenshot(path=artifacts / f"health-{scheme}.png", full_page=True)
        fits_the_width(page)
        assert accessibility_problems(page) == []
