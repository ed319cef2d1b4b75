"""The built viewer in a browser, a real server with its worker, and a site to save from."""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from nexus.config import load_settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.http.static_files import viewer_files
from tests.browser.chromium import launched
from tests.conftest import copied_database, settings_for
from tests.processes import ServerProcess, plain_url, run_nexus
from tests.viewer.library import UserLibrary, library_of
from tests.viewer.site import Site, site_server
from tests.viewer.watching import Profile, WatchedPage

# A name that leads to this machine, as in a home network; 127.0.0.1 is a secure context without HTTPS, this is not.
HOME_HOST = "library.home"


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    assert viewer_files(), "these tests need the built viewer: make setup"


# Not for the whole session: while Playwright's loop runs in this thread, no other test can use asyncio.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright, HOME_HOST, headless_shell=True, one_process=True) as running:
        yield running


@pytest.fixture(scope="package")
def site() -> Iterator[Site]:
    with site_server() as running:
        yield running


@pytest.fixture(scope="package")
def database_url(postgres: EmbeddedServer, template: str, worker_id: str) -> Iterator[str]:
    with copied_database(postgres, f"viewer_{worker_id}", template) as name:
        yield settings_for(postgres, name).database_url or ""


@pytest.fixture(scope="package")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("viewer")


@pytest.fixture(scope="package")
def same_library(database_url: str, data_dir: Path) -> dict[str, str]:
    """For each server on this database, with the one store that a library has: whichever test is the first to keep
    something in it. With one data directory, too: in another each of them would index all libraries again."""
    return {"DATABASE_URL": database_url, "NEXUS_STORE": f"file:{data_dir / 'blobs'}", "NEXUS_DATA_DIR": str(data_dir)}


@pytest.fixture(scope="package")
def server(same_library: dict[str, str], data_dir: Path) -> Iterator[ServerProcess]:
    """One server for all tests of a process; each test is a user of its own."""
    environment = {"NEXUS_ENV": "test", "WORKER_RENDER": "auto"}
    with run_nexus(data_dir, **same_library, **environment) as nexus:
        yield nexus.serve()


@pytest.fixture
def user() -> UUID:
    return uuid4()


@pytest.fixture
def library(database_url: str, server: ServerProcess, user: UUID) -> Iterator[UserLibrary]:
    raw = psycopg.connect(plain_url(database_url), autocommit=True)
    with Database(load_settings(database_url=database_url)) as database, raw as connection:
        yield library_of(database, connection, server.url, user)


@pytest.fixture(scope="package")
def profiles(browser: Browser) -> dict[str, Profile]:
    """Browser profiles by server."""
    return {}


@pytest.fixture
def watch(browser: Browser, profiles: dict[str, Profile], server: ServerProcess, user: UUID) -> Iterator[WatchedPage]:
    if server.url not in profiles:
        profiles[server.url] = Profile(browser, server.url)
    with profiles[server.url].watched(user) as watching:
        yield watching


@pytest.fixture
def page(watch: WatchedPage) -> Page:
    return watch.page


@pytest.fixture(scope="session")
def artifacts() -> Path:
    folder = Path(__file__).parent / "artifacts"
    folder.mkdir(exist_ok=True)
    return folder
