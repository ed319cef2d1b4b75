"""A server, and texts whose pictures the worker has kept."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from nexus.app import create_app
from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.http.responses import downloads
from nexus.text.process_pool import ProcessPool
from nexus.text.sanitize import sanitize_html
from tests.api.saving import ALICE, as_user, save
from tests.conftest import indexing, serving, settings_for
from tests.egress.sites import Site
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import running
from tests.pictures.picture_steps import PictureSteps
from tests.processes import TRUSTS_NOBODY

SaveText = Callable[..., str]


@pytest.fixture(scope="module")
def settings(postgres: EmbeddedServer, database_name: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return settings_for(postgres, database_name, env="test", data_dir=tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def download_server(settings: Settings, shared_database: Database) -> Iterator[str]:
    with serving(create_app(settings, shared_database)) as url:
        yield url


@pytest.fixture
def http(download_server: str, database: Database, settings: Settings) -> Iterator[httpx2.Client]:
    options: dict[str, Any] = {"headers": as_user(ALICE), "event_hooks": indexing(database, settings.data_dir)}
    with httpx2.Client(base_url=download_server, timeout=60, verify=TRUSTS_NOBODY, **options) as client:
        yield client


@pytest.fixture
def sent_when_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long building takes here: what begins to be sent before has no length, and no status of its own."""
    monkeypatch.setattr(downloads, "START_SECONDS", 600.0)


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site("127.0.0.1")) as made:
        yield made


@pytest.fixture(scope="module")
def checks() -> Iterator[ProcessPool]:
    with ProcessPool(workers=1, deadline_seconds=60) as pool:
        yield pool


@pytest.fixture
def picture_steps(settings: Settings, steps: LifecycleSteps, site: Site, checks: ProcessPool) -> Iterator[PictureSteps]:
    with PictureSteps(settings, steps, site, checks) as made:
        yield made


@pytest.fixture
def save_text(http: httpx2.Client, picture_steps: PictureSteps, steps: LifecycleSteps) -> SaveText:
    """Saves an article with that HTML and lets the worker keep its pictures; its media."""

    def save_one(html: str, **facts: Any) -> str:
        clean = sanitize_html(html, "https://example.org/")
        media_id = str(steps.succeed_item(save(http), html_sanitized=clean, **facts))
        if "<img" in clean:
            picture_steps.keep()
        return media_id

    return save_one
