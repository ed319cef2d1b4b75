"""Over plain HTTP from another machine: not a secure context, so some browser features are missing."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Browser, expect

from tests.processes import Nexus, ServerProcess, run_nexus
from tests.viewer.conftest import HOME_HOST
from tests.viewer.rows import live, save, saved
from tests.viewer.test_login import token
from tests.viewer.test_reader import test_a_text_is_read_at_its_end_and_can_be_marked_unread  # noqa: F401
from tests.viewer.test_saving import (
    test_a_failing_page_is_pasted_and_read,  # noqa: F401
    test_a_pasted_text_is_ready_at_once,  # noqa: F401
    test_a_refused_link_shows_the_reason_in_its_row,  # noqa: F401
    test_a_saved_link_becomes_a_text_without_a_reload,  # noqa: F401
    test_deleting_can_be_undone_until_the_notice_is_gone,  # noqa: F401
    test_many_links_at_once,  # noqa: F401
)
from tests.viewer.watching import WatchedPage, accessibility_problems, watched_page

# The addresses of the reader's script and style, once the list has requested both beforehand.
READER = """() => {
  const loaded = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/reader-"));
  return loaded.length > 1 && loaded.find(({ name }) => name.endsWith(".js"))?.name;
}"""


@pytest.fixture(scope="module")
def nexus(same_library: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nexus]:
    environment = same_library | {"NEXUS_ENV": "test", "WORKER_POLL_SECONDS": "1"}
    with run_nexus(tmp_path_factory.mktemp("plain"), NEXUS_ALLOWED_HOSTS=HOME_HOST, **environment) as command:
        yield command


@pytest.fixture(scope="module")
def server(nexus: Nexus) -> ServerProcess:
    return nexus.serve()


def plain_http_url(server: ServerProcess) -> str:
    return server.url.replace("127.0.0.1", HOME_HOST)


@pytest.fixture
def watch(browser: Browser, server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    with watched_page(browser, plain_http_url(server), user=user, service_workers="allow") as watching:
        assert watching.open().evaluate("[isSecureContext, 'randomUUID' in crypto, 'caches' in window]") == [False] * 3
        yield watching


def test_features_that_need_https_say_so(watch: WatchedPage) -> None:
    page = watch.open()
    expect(page.get_by_text("Offline reading needs HTTPS")).to_be_visible()
    page.get_by_role("button", name="Health").click()
    dialog = page.get_by_role("dialog", name="Configuration")
    for name in ("Offline reading", "Installing as an app"):
        line = dialog.locator("dl > div").filter(has_text=name)
        expect(line).to_contain_text("Not available: this address does not begin with https://")
    assert accessibility_problems(page) == []


def test_without_a_connection_the_reader_says_why_it_cannot_open_a_text(watch: WatchedPage) -> None:
    page = live(watch.open())
    save(page, "A text to open later")
    link = saved(page, "A text to open later").get_by_role("link").first
    script = page.wait_for_function(READER).json_value()
    page.evaluate(
        "(script) => import(script).then(() => 0)", script
    )  # with all that it needs: no service worker has it
    page.context.set_offline(offline=True)
    link.click()
    expect(page.get_by_role("alert")).to_contain_text("needs HTTPS")


def test_signing_in_and_saving_from_another_machine(browser: Browser, nexus: Nexus) -> None:
    """The browser before the last step of docs/how-to/open-to-your-network.md."""
    server = nexus.serve("--no-worker", NEXUS_AUTH="token")
    with watched_page(browser, plain_http_url(server), service_workers="allow") as watching:
        page = watching.open()
        page.get_by_label("Token", exact=True).fill(token(nexus, uuid4()))
        page.keyboard.press("Enter")
        save(page, "Written at the kitchen table")
        saved(page, "Written at the kitchen table")
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("Token", exact=True)).to_be_visible()
