"""Steps of the tests without a connection."""

from playwright.sync_api import Page, expect

from tests.viewer.rows import row
from tests.viewer.watching import WatchedPage, with_service_worker


def opened(watch: WatchedPage) -> Page:
    page = watch.open()
    with_service_worker(page)
    return page


def act(page: Page, action: str, title: str) -> None:
    row(page, title).hover()
    page.get_by_role("button", name=f"{action} “{title}”").click()


def closed_and_opened_offline(page: Page) -> Page:
    context = page.context
    url = page.url
    page.close()
    again = context.new_page()
    context.set_offline(offline=True)  # the new page, too
    again.goto(url)
    expect(again.get_by_text("Offline. Showing what is in this browser.")).to_be_visible()
    return again
