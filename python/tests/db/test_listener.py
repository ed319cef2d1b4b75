"""The one LISTEN loop: it passes on notifications, connects again, and ends."""

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg import Connection

from nexus.db.listener import Listener
from nexus.db.session import Database
from tests.processes import eventually

LISTENERS = (
    "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
)


@contextmanager
def listening(database: Database, calls: "queue.Queue[Any]", **options: Any) -> Iterator[Listener]:
    listener = Listener(
        database,
        "nexus_test",
        on_connect=lambda: calls.put("connected"),
        on_notify=calls.put,
        on_lost=lambda: calls.put("lost"),
        **options,
    )
    listener.start()
    try:
        yield listener
    finally:
        listener.stop()


def test_connects_again_after_the_connection_was_lost(database: Database, connection: Connection) -> None:
    calls: queue.Queue[Any] = queue.Queue()
    with listening(database, calls) as listener:
        assert calls.get(timeout=300) == "connected"
        connection.execute(f"SELECT pg_terminate_backend(pid) {LISTENERS}")
        connection.commit()
        assert [calls.get(timeout=300), calls.get(timeout=300)] == ["lost", "connected"]
        with connection.transaction():
            for payload in ("a", "b", "a"):
                connection.execute("SELECT pg_notify('nexus_test', %s)", [payload])
        received: set[str] = set()
        while received < {"a", "b"}:
            received |= calls.get(timeout=300)
        assert listener.wait_until_connected(60)
    assert not listener.wait_until_connected(0)


def test_ends_when_it_is_no_longer_needed(database: Database, connection: Connection) -> None:
    needed = [True, True]
    calls: queue.Queue[Any] = queue.Queue()
    with listening(database, calls, is_needed=lambda: bool(needed and needed.pop())):
        assert calls.get(timeout=300) == "connected"

        def is_gone() -> bool:
            row = connection.execute(f"SELECT count(*) {LISTENERS}").fetchone()
            connection.commit()
            return row == (0,)

        eventually(is_gone, "the listener stays connected")
        assert calls.empty()
