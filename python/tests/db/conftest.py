"""Fixtures of the tests of the lifecycle."""

from collections.abc import Iterator

import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.db.invariants import violations
from tests.lifecycle_steps import LifecycleSteps


@pytest.fixture
def steps(database: Database, connection: Connection) -> Iterator[LifecycleSteps]:
    """After each test the invariants hold."""
    made = LifecycleSteps(database, connection)
    yield made
    assert violations(connection) == set()
