"""Puts and collections are killed at any line: named blobs are there and whole; others are collected.

At every sixth line (every fifteenth with S3, every thirteenth of a collection): a child costs a connection, and all of
them minutes.
"""

import hashlib
import os
from pathlib import Path

import pytest
from sqlalchemy import text

from nexus.config import Settings
from nexus.db.session import Database
from nexus.store import BlobStore, open_store
from nexus.store.check import check
from nexus.store.collect import collect
from tests.processes import count_kills, script_environment
from tests.store.conftest import KEYS
from tests.store.test_collect import NOW, name

SCRIPT = Path(__file__).with_name("killed_puts.py")


def kill_at_every_line(database: Database, settings: Settings, work: str, step: int) -> int:
    environment = script_environment(database, settings.data_dir)
    if settings.store:
        environment |= {"NEXUS_STORE": settings.store, "NEXUS_STORE_ENDPOINT": settings.store_endpoint or ""}
        environment |= {f"NEXUS_{name.upper()}": value for name, value in KEYS.items()}
    return count_kills(SCRIPT, work, step, environment=environment)


@pytest.mark.parametrize(
    ("kind", "work", "step"),
    [("folder_settings", "put", 6), ("path_style", "put", 15), ("folder_settings", "collect", 13)],
)
def test_killed_at_many_lines(
    request: pytest.FixtureRequest, database: Database, naming: str, kind: str, work: str, step: int
) -> None:
    settings: Settings = request.getfixturevalue(kind)
    store = open_store(settings, database)
    if work == "collect":
        name(database, store.put(b"put by all"), store.put(b"named all the time"))
    assert kill_at_every_line(database, settings, work, step) > 10
    with database.transaction() as session:
        named = set(session.scalars(text("SELECT sha256 FROM names_a_blob")))
    assert len(named) >= 2  # the last child was not killed
    done = check(store)
    assert (done.blobs, done.missing, done.damaged) == (len(named), 0, 0)
    # Half-written content is under no blob's name, whether or not something names it.
    assert all(
        hashlib.sha256(store.read_bytes(found.sha256)).digest() == found.sha256 for found in store.backend.list()
    )
    collect(store, grace=NOW)
    assert {found.sha256 for found in store.backend.list()} == named
    assert store.put(b"put by all").sha256 in named


def test_content_is_synced_before_its_name_and_its_name_before_the_end(
    folder: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test can cut the power; this one checks the order of the system calls."""
    folder.put(b"the marker is written by the first one")
    fsync, rename, asked = os.fsync, os.rename, list[str]()
    root = Path(folder.backend.location)

    def note_fsync(fd: int) -> None:
        path = Path(f"/proc/self/fd/{fd}").readlink()
        asked.append(f"sync {path.relative_to(root).parts[0] if path != root else 'root'}")
        fsync(fd)

    def note_rename(*arguments: object, **options: object) -> None:
        asked.append("rename")
        rename(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "rename", note_rename)
    shard = folder.put(iter([b"content"])).sha256.hex()[:2]
    assert asked == ["sync tmp", "rename", f"sync {shard}", "sync root"]
    asked.clear()
    folder.put(b"content")  # its first writer may have been killed before the last two
    assert asked == [f"sync {shard}", "sync root"]
