"""Highlights in the library: counts, a filter, the command line, and the removal of a user."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from psycopg import Connection
from sqlalchemy import text

from nexus.db.backup import backup, restore
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_library_api import library
from tests.conftest import settings_for
from tests.highlights.marking import mark, ready
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import Nexus


@pytest.fixture
def media(client: httpx2.Client, steps: LifecycleSteps) -> UUID:
    return ready(client, steps, title="A lighthouse")


def counts(client: httpx2.Client, media: UUID, user: UUID = ALICE) -> tuple[int, int]:
    entry = client.get(f"/api/library/{media}", headers=as_user(user)).json()
    found = client.get(f"/media/{media}", headers=as_user(user)).json()["data"]
    return entry["highlight_count"], found["highlight_count"]


def highlighted(client: httpx2.Client, user: UUID = ALICE, **asked: Any) -> list[str]:
    return [entry["media_id"] for entry in library(client, user, highlighted=True, **asked)["entries"]]


def test_entries_and_media_say_how_many_there_are(client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    steps.merge_item(save(client, BOB), media)
    save(client, pasted_text="Without any.")
    assert counts(client, media) == (0, 0)
    first, second = mark(client, media, "keeper"), mark(client, media, "ledger")
    assert counts(client, media) == (2, 2)
    assert counts(client, media, BOB) == (0, 0)
    assert highlighted(client) == [str(media)]
    assert highlighted(client, archived="true") == []
    assert highlighted(client, sort="title") == [str(media)]
    assert highlighted(client, BOB) == []
    client.delete(f"/highlights/{first['id']}", headers=as_user(ALICE))
    assert counts(client, media) == (1, 1)
    client.post(f"/highlights/{first['id']}/restore", headers=as_user(ALICE))
    assert counts(client, media) == (2, 2)
    for each in (first, second):
        client.delete(f"/highlights/{each['id']}", headers=as_user(ALICE))
    assert counts(client, media) == (0, 0)
    assert highlighted(client) == []


def test_highlights_are_found_with_their_text(client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    steps.merge_item(save(client, BOB), media)
    save(client, pasted_text="The keeper of another tower.")
    made = mark(client, media, "keeper", note="Ask Perihelia")

    def found(q: str, user: UUID = ALICE) -> list[str]:
        answer = client.get("/api/search", params={"q": q}, headers=as_user(user)).json()
        return [hit["entry"]["media_id"] for hit in answer["hits"]]

    queries = ("in:highlights keeper ", "perihelia ", "keeper is:highlighted ")
    for query in queries:
        assert found(query) == [str(media)], query
        assert found(query, BOB) == [], query
    assert found("in:highlights lighthouse ") == []
    client.patch(f"/highlights/{made['id']}", json={"note": "Ask Aphelia"}, headers=as_user(ALICE)).raise_for_status()
    assert (found("perihelia "), found("aphelia ")) == ([], [str(media)])
    client.delete(f"/highlights/{made['id']}", headers=as_user(ALICE)).raise_for_status()
    assert [found(query) for query in (*queries, "aphelia ")] == [[], [], [], []]


def test_the_filter_is_that_of_searches_and_of_many(client: httpx2.Client, steps: LifecycleSteps, media: UUID) -> None:
    other = steps.media_of(save(client, pasted_text="The keeper of another tower."))
    mark(client, media, "keeper")
    found = client.get("/api/search", params={"q": "keeper", "highlighted": True}, headers=as_user(ALICE)).json()
    assert [hit["entry"]["media_id"] for hit in found["hits"]] == [str(media)]
    body = {"filter": {"highlighted": True}, "set": {"starred": True}}
    changed = client.post("/api/library/bulk", json=body, headers=as_user(ALICE)).json()
    assert (changed["matched"], changed["changed"]) == (1, 1)
    assert [entry["media_id"] for entry in library(client, starred=True)["entries"]] == [str(media)]
    assert other != media


def test_from_the_command_line(data_dir: Path, dev_server: str, client: httpx2.Client, media: UUID) -> None:
    nexus = Nexus(data_dir, {"NEXUS_URL": dev_server, "DEV_USER_ID": str(ALICE)})
    made = [mark(client, media, quote, tags=["two words"], note="Mine") for quote in ("keeper", "ledger", "tower")]

    def listed(*options: str) -> list[str]:
        done = nexus.invoke("highlights", "--json", *options)
        assert done.returncode == 0, done.stderr
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    ids = [each["id"] for each in made]
    assert listed() == ids[::-1]
    assert listed("--sort", "text", "--limit", "2") == ids[:2]
    assert listed("--search", "tower") == ids[2:]
    assert listed("--tag", "two words", "--color", "yellow") == ids[::-1]
    assert listed("--color", "pink") == []
    shown = nexus.invoke("highlights", "--limit", "1").stdout
    assert shown == f"{ids[2]}  yellow  A lighthouse  #two-words\n    tower\n    (Mine)\n"
    refused = nexus.invoke("highlights", "--color", "red")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)


def test_all_of_it_goes_with_its_user(client: httpx2.Client, media: UUID, connection: Connection) -> None:
    mark(client, media, "keeper", tags=["ships"])
    connection.execute("UPDATE highlights SET created_at = created_at - interval '2 days'")
    connection.commit()
    client.get("/highlights/review", headers=as_user(ALICE))
    client.post("/highlights/feed", headers=as_user(ALICE))
    tables = ("highlights", "highlight_tags", "highlight_reviews", "highlight_feeds")

    def rows() -> list[Any]:
        return [connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() for table in tables]

    assert rows() == [(1,)] * 4
    connection.execute("DELETE FROM items")
    connection.execute("DELETE FROM users WHERE id = %s", [ALICE])
    assert rows() == [(0,)] * 4


def test_a_restored_backup_has_them(
    client: httpx2.Client,
    media: UUID,
    database: Database,
    postgres: EmbeddedServer,
    empty_database: str,
    tmp_path: Path,
) -> None:
    """The counts are restored as well: no trigger counts rows that a backup restores."""
    made = mark(client, media, "keeper", tags=["ships"], note="Mine")
    backup(database, tmp_path / "nexus.dump")
    with Database(settings_for(postgres, empty_database)) as other:
        restore(other, tmp_path / "nexus.dump", replace=True)
        with other.transaction() as session:
            rows = session.execute(text("SELECT id, quote, note FROM highlights")).all()
            counted = session.scalars(text("SELECT highlight_count FROM library_media")).all()
            tags = session.scalars(text("SELECT name FROM highlight_tags JOIN tags ON tags.id = tag_id")).all()
    assert [tuple(map(str, row)) for row in rows] == [(made["id"], "keeper", "Mine")]
    assert (counted, tags) == ([1], ["ships"])
