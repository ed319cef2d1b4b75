"""Pages with their service worker, in a browser of its own, where the service worker stays after the test."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.chromium import launched
from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.watching import WatchedPage, watched_page


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright, headless_shell=True) as running:
        yield running


@pytest.fixture
def user() -> UUID:
    """The default user: Playwright adds no headers to the requests of a service worker."""
    return UUID(int=1)


@pytest.fixture(autouse=True)
def empty_library(library: UserLibrary) -> None:
    """Removes what earlier tests have saved as the same user."""
    library.connection.execute("DELETE FROM library_media WHERE library_id = %s", [library.id])


@pytest.fixture
def watch(browser: Browser, server: ServerProcess) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url, service_workers="allow") as watching:
        yield watching
