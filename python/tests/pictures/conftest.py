"""A site with pictures, settings and a store, and the worker's task that keeps pictures."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.store import BlobStore, open_store
from nexus.text.process_pool import ProcessPool
from tests.conftest import settings_for
from tests.egress.sites import Site
from tests.lifecycle_steps import LifecycleSteps
from tests.loopback_server import running
from tests.pictures.picture_steps import PictureSteps


@pytest.fixture
def site() -> Iterator[Site]:
    with running(Site("127.0.0.1")) as made:
        yield made


@pytest.fixture
def settings(postgres: EmbeddedServer, database_name: str, tmp_path: Path) -> Settings:
    return settings_for(
        postgres, database_name, env="test", data_dir=tmp_path, worker_poll_seconds=0.2, worker_picture_pause_seconds=0
    )


@pytest.fixture
def store(settings: Settings, database: Database) -> BlobStore:
    return open_store(settings, database)


@pytest.fixture(scope="session")
def checks() -> Iterator[ProcessPool]:
    """For all tests of a process, since decoders take a second to load."""
    with ProcessPool(workers=1, deadline_seconds=60) as pool:
        yield pool


@pytest.fixture
def picture_steps(settings: Settings, steps: LifecycleSteps, site: Site, checks: ProcessPool) -> Iterator[PictureSteps]:
    with PictureSteps(settings, steps, site, checks) as made:
        yield made
