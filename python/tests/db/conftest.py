"""What the tests of the lifecycle share."""

from collections.abc import Iterator

import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.db.invariants import NEVER
from tests.db.lifecycle_steps import LifecycleSteps


@pytest.fixture
def steps(database: Database, connection: Connection) -> Iterator[LifecycleSteps]:
    """Whatever a test does, nothing impossible is left behind."""
    made = LifecycleSteps(database, connection)
    yield made
    assert {name for name, query in NEVER.items() if made.one(f"SELECT 1 FROM ({query} LIMIT 1) AS found")} == set()
