"""Who listens hears of new work once per statement, and of each change of a save."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import Connection

from nexus.db.session import Database
from tests.lifecycle_steps import LifecycleSteps


@pytest.fixture
def ears(database: Database) -> Iterator[Connection]:
    address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("LISTEN nexus_work")
        connection.execute("LISTEN nexus_status")
        yield connection


def heard(ears: Connection) -> list[tuple[str, str]]:
    # Notifications of committed transactions arrive before the answer to the next statement.
    ears.execute("SELECT")
    return [(listener.channel, listener.payload) for listener in ears.notifies(timeout=0)]


def test_save_rings_for_workers_and_for_its_owner(database: Database, connection: Connection, ears: Connection) -> None:
    steps = LifecycleSteps(database, connection)
    user = steps.user()
    saved = steps.save(user)
    assert sorted(heard(ears)) == [("nexus_status", f"{user.user_id}:{saved}"), ("nexus_work", "")]


def test_each_change_tells_the_owner_and_a_retry_later_rings_for_nobody(
    database: Database, connection: Connection, ears: Connection
) -> None:
    steps = LifecycleSteps(database, connection)
    user = steps.user()
    saved = steps.save(user)
    told = ("nexus_status", f"{user.user_id}:{saved}")
    heard(ears)
    claim = steps.claim_one()
    assert heard(ears) == [told]
    steps.fail(claim, "timeout", retryable=True)
    assert heard(ears) == [told]
    steps.make_due()
    assert heard(ears) == [("nexus_work", "")]
    steps.fail(steps.claim_one())
    heard(ears)
    steps.retry(user, steps.media_of(saved))
    assert sorted(heard(ears)) == [told, ("nexus_work", "")]
    steps.remove(user, saved)
    assert heard(ears) == [told]


def test_batch_rings_once(database: Database, connection: Connection, ears: Connection) -> None:
    steps = LifecycleSteps(database, connection)
    user = steps.user()
    connection.execute(
        "WITH works AS (INSERT INTO media (kind) SELECT 'web_article' FROM generate_series(1, 50) RETURNING id)"
        " INSERT INTO items (user_id, media_id, status, source_type, requested_url)"
        " SELECT %s, id, 'queued', 'url', 'https://example.org/' FROM works",
        [user.user_id],
    )
    connection.commit()
    channels = [channel for channel, _ in heard(ears)]
    assert channels.count("nexus_work") == 1
    assert channels.count("nexus_status") == 50
