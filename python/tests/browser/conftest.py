from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import FragmentServer, chromium, fragment_server, patient


@pytest.fixture(scope="module")
def server() -> Iterator[FragmentServer]:
    with fragment_server() as running:
        yield running


# Not for the whole session: while Playwright's loop runs in this thread, no other test can use asyncio.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium(headless_shell=True) as running:
        yield running


@pytest.fixture
def page(browser: Browser, server: FragmentServer) -> Iterator[Page]:
    context = patient(browser.new_context())
    opened = context.new_page()
    opened.goto(f"{server.origin}/host/")
    yield opened
    context.close()
