from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg import Connection

from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.store import BlobStore, open_store
from nexus.web.public_address import AllowList
from nexus.worker.importer import Importer
from tests.conftest import settings_for
from tests.db.invariants import violations
from tests.imports.importing import Importing
from tests.imports.uploading import ImportWorker
from tests.lifecycle_steps import LifecycleSteps


@pytest.fixture
def store(postgres: EmbeddedServer, database: Database, database_name: str, data_of_process: Path) -> BlobStore:
    """The one of the server that `client` talks to."""
    return open_store(settings_for(postgres, database_name, data_dir=data_of_process), database)


def work_on(database: Database, store: BlobStore) -> ImportWorker:
    return ImportWorker(Importer(database, store, allow=AllowList.parse(("127.0.0.1:*",)), max_attempts=2))


@pytest.fixture
def work(database: Database, store: BlobStore) -> ImportWorker:
    """The background task of a worker that applies imports, in this process."""
    return work_on(database, store)


@pytest.fixture
def other_work(database: Database, store: BlobStore) -> ImportWorker:
    return work_on(database, store)


@pytest.fixture
def steps(database: Database, connection: Connection) -> Iterator[LifecycleSteps]:
    """After each test the invariants hold."""
    made = LifecycleSteps(database, connection)
    yield made
    assert violations(connection) == set()


@pytest.fixture
def imports(database: Database, steps: LifecycleSteps) -> Importing:
    """Imports of a new user."""
    return Importing(database, steps.user())
