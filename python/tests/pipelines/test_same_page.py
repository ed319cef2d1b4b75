"""One page, saved fifty times at once by ten users while two workers read: one media, only for them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx2
from psycopg import Connection

from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.services.lifecycle import Claim, Outcome, Succeeded
from nexus.worker import Worker
from tests.api.saving import LINK, as_user, save
from tests.conftest import settings_for
from tests.lifecycle_steps import article, attempt_record
from tests.processes import eventually

SAVES, USERS = 50, [uuid4() for _ in range(10)]


def read(claim: Claim) -> Outcome:
    return Succeeded(claim, article(LINK), (attempt_record(),))


def saved_while_workers_read(client: httpx2.Client, connection: Connection, workers: list[Worker]) -> list[str]:
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        with ThreadPoolExecutor(SAVES) as claims:
            items = list(claims.map(lambda number: save(client, USERS[number % len(USERS)]), range(SAVES)))
        unread = "SELECT count(*) FROM items WHERE status <> 'succeeded'"
        connection.autocommit = True
        eventually(lambda: connection.execute(unread).fetchone() == (0,), "saves are left unread")
    finally:
        for worker, thread in zip(workers, threads, strict=True):
            worker.stop()
            thread.join()
    return items


def test_fifty_items_of_ten_users_are_one_media_that_only_they_can_read(
    client: httpx2.Client, database: Database, connection: Connection, postgres: EmbeddedServer, database_name: str
) -> None:
    settings = settings_for(postgres, database_name, worker_concurrency=4)
    items = saved_while_workers_read(client, connection, [Worker(settings, database, read) for _ in range(2)])
    assert len(set(items)) == SAVES
    counted = connection.execute(
        "SELECT (SELECT count(*) FROM media), count(*), count(DISTINCT user_id), min(media_id::text) FROM items"
    ).fetchone()
    assert counted is not None
    assert counted[:3] == (1, SAVES, len(USERS))
    media = UUID(counted[3])
    merged = connection.execute("SELECT alias_id, user_id FROM media_aliases").fetchall()
    assert len({alias for alias, _ in merged}) == len(merged) == SAVES - 1
    for user in USERS:
        text = client.get(f"/media/{media}/fragments", headers=as_user(user))
        assert "Words that are worth keeping." in text.text
        for known_as, whose in merged:
            text = client.get(f"/media/{known_as}/fragments", headers=as_user(user))
            assert text.status_code == (200 if whose == user else 404), "an id answers to whom it was given"
        assert client.get("/api/library", headers=as_user(user)).json()["counts"]["all"] == 1
    for known_as in (media, *(alias for alias, _ in merged)):
        assert client.get(f"/media/{known_as}/fragments", headers=as_user(uuid4())).status_code == 404
