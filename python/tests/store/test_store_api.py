"""`GET /api/store`: the operator's view."""

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import httpx2
import psycopg

from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.tokens import create_token
from nexus.store import open_store
from nexus.store.check import check
from nexus.store.collect import collect
from tests import factories as make
from tests.store.test_collect import name


def test_says_where_it_is_and_how_it_is_doing(
    client: httpx2.Client, database: Database, data_of_process: Path, naming: str
) -> None:
    store = open_store(load_settings(data_dir=data_of_process), database)
    name(database, kept := store.put(b"kept"), lost := store.put(b"lost"))
    for left in list(store.backend.list()):  # of tests before
        if left.sha256 not in {kept.sha256, lost.sha256}:
            store.backend.delete(left.sha256)
    store.put(b"unnamed")
    store.backend.delete(lost.sha256)
    done = check(store)
    response = client.get("/api/store")
    assert response.status_code == 200
    said = response.json()
    assert said.pop("free_bytes") > 0
    last = said.pop("last_check")
    assert (last["blobs"], last["bytes"], last["missing"], last["damaged"]) == (2, 8, 1, 0)
    assert done.finished_at is not None
    assert last["finished_at"] == done.finished_at.isoformat().replace("+00:00", "Z")
    assert said == {
        "kind": "folder",
        "place": str(data_of_process / "blobs"),
        "problem": None,
        "blobs": 3,
        "bytes": 15,
        "reserve_bytes": 1 << 30,
        "missing": 1,
        "damaged": 0,
        "last_collection": None,
        "waiting_originals": 0,
        "originals_not_kept": {"too_large": 0, "user_full": 0, "waiting_full": 0},
        "pictures": {"pending": 0, "kept": 0, "gone": 0, "refused": 0},
    }
    collect(store, grace=timedelta(0))
    collected = client.get("/api/store").json()["last_collection"]
    assert (collected["blobs"], collected["bytes"], collected["leftovers"]) == (1, 7, 0)


def test_says_what_waits(client: httpx2.Client, connection: psycopg.Connection) -> None:
    media = make.ready_media(connection)
    version = connection.execute("SELECT version FROM media_versions WHERE media_id = %s", [media]).fetchone()
    assert version is not None
    make.insert(connection, "originals", media_id=media, version=version[0], content=b"x", size=1, read_with=1)
    connection.execute(
        "INSERT INTO media_images (media_id, url_key, url) VALUES (%s, text_key('https://example.org/a'), 'https://example.org/a')",
        [media],
    )
    connection.commit()
    said = client.get("/api/store").json()
    assert (said["waiting_originals"], said["pictures"]["pending"]) == (1, 1)


def test_absent_store_is_said_and_saves_are_taken(
    client: httpx2.Client, database: Database, data_of_process: Path, naming: str
) -> None:
    store = open_store(load_settings(data_dir=data_of_process), database)
    name(database, store.put(b"kept"))
    root = data_of_process / "blobs"
    root.rename(data_of_process / "away")
    try:
        said = client.get("/api/store").json()
        assert "not mounted" in said["problem"]
        assert (said["blobs"], said["missing"], said["free_bytes"]) == (1, 0, None)
        assert client.post("/items", json={"url": "https://example.org/a"}).is_success
        assert not root.exists()
    finally:
        (data_of_process / "away").rename(root)
    assert client.get("/api/store").json()["problem"] is None


def test_is_for_operators(token_client: httpx2.Client, database: Database) -> None:
    assert token_client.get("/api/store").status_code == 401
    with database.transaction() as session:
        made = [create_token(session, uuid4(), operator=rights, label="").secret for rights in (False, True)]
    statuses = [token_client.get("/api/store", headers={"Authorization": f"Bearer {secret}"}) for secret in made]
    assert [response.status_code for response in statuses] == [403, 200]
