"""Status changes as they happen, through real servers."""

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx2
import psycopg
import pytest
from sqlalchemy import create_engine

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.http.responses import event_stream
from nexus.http.responses.event_stream import EventStream
from nexus.services import lifecycle, tokens
from nexus.services.events import MAX_STREAMS_PER_USER
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.streams import ENDED, listening
from tests.api.test_errors import problem
from tests.conftest import serving, settings_for
from tests.episodes import fragments_of, save_episode
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import Nexus, eventually


def listeners(connection: psycopg.Connection) -> int:
    """Connections of this database that LISTEN."""
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND (query LIKE 'LISTEN%' OR query = 'SELECT 1') AND pid <> pg_backend_pid()"
    ).fetchone()
    connection.commit()
    assert row is not None
    return int(row[0])


def test_own_changes_and_no_others(dev_server: str, client: httpx2.Client, steps: LifecycleSteps) -> None:
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        assert mine.response is not None
        assert mine.response.headers["content-type"].startswith("text/event-stream")
        item = save(client, ALICE)
        name, event = mine.next()
        assert (name, set(event)) == (
            "item", {"item_id", "media_id", "status", "status_detail", "title", "updated_at"},
        )  # fmt: skip
        assert (event["item_id"], event["status"]) == (item, "queued")
        steps.succeed_item(item)
        name, event = mine.next()
        if event["status"] == "processing":  # unless both changes came as one
            name, event = mine.next()
        assert (event["item_id"], event["status"], event["title"]) == (item, "succeeded", "A title")
        client.delete(f"/items/{item}", headers=as_user(ALICE))
        found = mine.next()
        if found == (name, event):  # each change is announced, also when the state of both was read at once
            found = mine.next()
        assert found == ("removed", {"item_id": item})
        their_item = save(client, BOB)
        assert theirs.next()[1]["item_id"] == their_item
        theirs.nothing_more()
        mine.nothing_more()


def test_episodes_added_and_removed_are_sent_to_their_user(
    dev_server: str, client: httpx2.Client, database: Database
) -> None:
    with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
        episode = save_episode(database, ALICE, fragments_of("Welcome."))
        assert mine.next() == ("shelf", {})
        client.delete(f"/media/{episode}", headers=as_user(ALICE)).raise_for_status()
        assert mine.next() == ("shelf", {})
        theirs.nothing_more()
        mine.nothing_more()


def test_read_marks_are_sent_to_the_other_windows_of_their_user(
    dev_server: str, client: httpx2.Client, steps: LifecycleSteps
) -> None:
    item = save(client, ALICE, pasted_text="Something to read")
    episode = save_episode(steps.database, ALICE, fragments_of("Welcome."))
    for media in (steps.media_of(item), str(episode)):  # an episode has no item that could tell
        read = f"/api/library/{media}/read"
        with listening(dev_server, ALICE) as mine, listening(dev_server, BOB) as theirs:
            client.put(read, headers=as_user(ALICE)).raise_for_status()
            name, event = mine.next()
            assert (name, event["media_id"], set(event)) == ("read", str(media), {"media_id", "read_at"})
            assert event["read_at"] == client.get(read, headers=as_user(ALICE)).json()["read_at"]
            client.delete(read, headers=as_user(ALICE)).raise_for_status()
            assert mine.next() == ("read", {"media_id": str(media), "read_at": None})
            theirs.nothing_more()
            mine.nothing_more()


def test_every_tab_hears_it_over_one_connection(
    dev_server: str, client: httpx2.Client, connection: psycopg.Connection
) -> None:
    with ExitStack() as tabs:
        streams = [tabs.enter_context(listening(dev_server, ALICE)) for _ in range(5)]
        assert listeners(connection) == 1
        item = save(client, ALICE)
        assert {stream.next()[1]["item_id"] for stream in streams} == {item}
    eventually(lambda: listeners(connection) == 0, "the listener outlived its streams")


def test_streams_are_bounded_per_user_and_a_closed_tab_makes_room(dev_server: str, client: httpx2.Client) -> None:
    user = uuid4()
    with ExitStack() as tabs:
        for _ in range(MAX_STREAMS_PER_USER - 1):
            tabs.enter_context(listening(dev_server, user))
        with listening(dev_server, user):
            problem(client.get("/api/events", headers=as_user(user)), 429, "too_many_streams")
            with listening(dev_server, uuid4()) as other:
                assert other.response is not None
                assert other.response.status_code == 200

        def has_room() -> bool:
            with listening(dev_server, user) as another:
                return another.response is not None and another.response.status_code == 200

        eventually(has_room, "a closed tab kept its place")


def test_database_that_goes_away_ends_streams_and_comes_back(
    dev_server: str, client: httpx2.Client, connection: psycopg.Connection
) -> None:
    with listening(dev_server, ALICE) as stream:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND (query LIKE 'LISTEN%' OR query = 'SELECT 1') AND pid <> pg_backend_pid()"
        )
        connection.commit()
        assert stream.next() == ENDED
    with listening(dev_server, ALICE) as again:
        item = save(client, ALICE)
        assert again.next()[1]["item_id"] == item


def test_quiet_stream_shows_that_it_lives(dev_server: str, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "REVALIDATE_SECONDS", 0.05)
    with listening(dev_server, ALICE) as stream:
        assert [stream.next()[0] for _ in range(3)] == ["comment"] * 3


def test_revoked_token_ends_its_streams(token_server: str, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "REVALIDATE_SECONDS", 0.05)
    with database.transaction() as session:
        token = tokens.create_token(session, ALICE, operator=False, label="tab")
    with listening(token_server, ALICE, Authorization=f"Bearer {token.secret}") as stream:
        assert stream.next()[0] == "comment"
        with database.transaction() as session:
            tokens.revoke_token(session, token.id)
        heard = stream.next()
        while heard[0] == "comment":
            heard = stream.next()
        assert heard == ENDED


def test_events_do_not_delay_the_check_of_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    timeouts: list[float] = []
    here, wait = threading.get_ident(), asyncio.wait

    async def recording(*args: Any, **options: Any) -> Any:
        if threading.get_ident() == here:  # the servers of other tests end their streams in threads of their own
            timeouts.append(options["timeout"])
        return await wait(*args, **options)

    @asynccontextmanager
    async def events() -> AsyncIterator[AsyncIterator[bytes]]:
        async def each() -> AsyncIterator[bytes]:
            for _ in range(3):
                await asyncio.sleep(0.001)
                yield b"data: 1\n\n"

        yield each()

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(_: Any) -> None:
        await asyncio.sleep(0)

    async def open_stream() -> None:
        stream = EventStream(events(), lambda: None, asyncio.Event())
        await stream({"type": "http", "asgi": {"spec_version": "2.3"}}, receive, send)

    monkeypatch.setattr(asyncio, "wait", recording)
    asyncio.run(open_stream())
    assert len(timeouts) == 4
    assert timeouts == sorted(set(timeouts), reverse=True)


@pytest.mark.parametrize("kind", ["embedded", "own"])
def test_database_that_cannot_check_the_token_ends_the_stream_and_is_logged(
    postgres: EmbeddedServer,
    database: Database,
    database_name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    def refuse() -> None:
        raise EmbeddedDatabaseError("The embedded PostgreSQL is not running.")

    monkeypatch.setattr(event_stream, "REVALIDATE_SECONDS", 0.05)
    with database.transaction() as session:
        token = tokens.create_token(session, ALICE, operator=False, label="tab")
    settings = settings_for(postgres, database_name, auth="token")
    nowhere = database.url.set(database="no_such_database")
    with (
        Database(settings) as failing,
        serving(create_app(settings, failing)) as url,
        listening(url, ALICE, Authorization=f"Bearer {token.secret}") as stream,
    ):
        assert stream.next()[0] == "comment"
        failing.engine.dispose()
        failing.engine = create_engine(nowhere, creator=refuse) if kind == "embedded" else create_engine(nowhere)
        heard = stream.next()
        while heard[0] == "comment":
            heard = stream.next()
        assert heard == ENDED
    (line,) = [each for each in caplog.text.splitlines() if "the database is not available" in each]
    assert "an event stream" in line
    assert "Traceback" not in caplog.text


def test_changes_of_one_transaction_come_as_one_event(
    dev_server: str, client: httpx2.Client, steps: LifecycleSteps
) -> None:
    with listening(dev_server, ALICE) as stream:
        save(client, ALICE)
        assert stream.next()[1]["status"] == "queued"
        with steps.session() as session:
            (claim,) = lifecycle.claim(session, worker_id=uuid4(), limit=1, lease_seconds=30)
            failure = lifecycle.Failure("http_404", "It is gone.")
            lifecycle.settle(session, [lifecycle.Failed(claim, failure, ())], min_chars=600)
        name, event = stream.next()
        assert (name, event["status"]) == ("item", "needs_user_text")


def test_unknown_notifications_are_ignored(
    dev_server: str, client: httpx2.Client, connection: psycopg.Connection
) -> None:
    with listening(dev_server, ALICE) as stream:
        stray = [f"{ALICE}:{what}" for what in ("", f"{uuid4()}x", "read:", f"read:{uuid4()}")]
        for payload in ("", "nonsense", *stray):
            connection.execute("SELECT pg_notify('nexus_status', %s)", [payload])
        connection.commit()
        item = save(client, ALICE)
        assert stream.next()[1]["item_id"] == item


def test_database_that_is_not_there(postgres: EmbeddedServer) -> None:
    with Database(settings_for(postgres, "no_such_database")) as nowhere:
        app = create_app(settings_for(postgres, "no_such_database"), nowhere)
        with serving(app) as url:
            problem(httpx2.get(f"{url}/api/events", timeout=60), 503, "database_unavailable")


@pytest.mark.parametrize("stop", ["SIGTERM", "SIGINT"])
def test_server_that_stops_lets_its_streams_go_at_once(nexus_on_copy: Nexus, stop: str) -> None:
    running = nexus_on_copy.serve("--no-worker")
    with listening(running.url, ALICE) as stream:
        os.kill(running.process.pid, getattr(signal, stop))
        assert stream.next() == ENDED
    assert running.process.wait(300) == 0
    assert "timeout graceful shutdown exceeded" not in running.log.read_text()
