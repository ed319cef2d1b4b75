"""Listeners are notified of new work once per statement, and of each change of an item."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import plain_url


@pytest.fixture
def listener(database: Database) -> Iterator[Connection]:
    address = plain_url(database.url)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("LISTEN nexus_work")
        connection.execute("LISTEN nexus_status")
        yield connection


def notifications(listener: Connection) -> list[tuple[str, str]]:
    # Notifications of committed transactions arrive before the answer to the next statement.
    listener.execute("SELECT")
    return [(each.channel, each.payload) for each in listener.notifies(timeout=0)]


def test_save_notifies_workers_and_its_owner(database: Database, connection: Connection, listener: Connection) -> None:
    steps = LifecycleSteps(database, connection)
    user = steps.user()
    item = steps.save(user)
    assert sorted(notifications(listener)) == [("nexus_status", f"{user.user_id}:{item}"), ("nexus_work", "")]


def test_each_change_notifies_the_owner_and_a_later_retry_no_worker(
    database: Database, connection: Connection, listener: Connection
) -> None:
    steps = LifecycleSteps(database, connection)
    user = steps.user()
    item = steps.save(user)
    told = ("nexus_status", f"{user.user_id}:{item}")
    notifications(listener)
    claim = steps.claim_one()
    assert notifications(listener) == [told]
    steps.fail(claim, "timeout", retryable=True)
    assert notifications(listener) == [told]
    steps.make_due()
    assert notifications(listener) == [("nexus_work", "")]
    steps.fail(steps.claim_one())
    notifications(listener)
    steps.retry(user, steps.media_of(item))
    assert sorted(notifications(listener)) == [told, ("nexus_work", "")]
    steps.remove(user, item)
    assert notifications(listener) == [told]


def test_batch_notifies_once(database: Database, connection: Connection, listener: Connection) -> None:
    steps = LifecycleSteps(database, connection)
    user = steps.user()
    connection.execute(
        "WITH new_media AS (INSERT INTO media (kind) SELECT 'web_article' FROM generate_series(1, 50) RETURNING id)"
        " INSERT INTO items (user_id, media_id, status, source_type, requested_url)"
        " SELECT %s, id, 'queued', 'url', 'https://example.org/' FROM new_media",
        [user.user_id],
    )
    connection.commit()
    channels = [channel for channel, _ in notifications(listener)]
    assert channels.count("nexus_work") == 1
    assert channels.count("nexus_status") == 50
