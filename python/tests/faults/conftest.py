from collections.abc import Iterator

import psycopg
import pytest

from nexus.config import load_settings
from nexus.db.session import Database
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import Nexus, plain_url


@pytest.fixture
def steps(nexus_on_copy: Nexus) -> Iterator[LifecycleSteps]:
    """In the database that the processes of the test use."""
    url = nexus_on_copy.environment["DATABASE_URL"]
    with Database(load_settings(database_url=url)) as database, psycopg.connect(plain_url(url)) as connection:
        yield LifecycleSteps(database, connection)
