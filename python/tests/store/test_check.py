"""`check` finds every named blob that is missing or damaged, records it and goes on where it was."""

from pathlib import Path

import pytest
from sqlalchemy import text

from nexus.db.session import Database
from nexus.errors import StoreBusyError, StoreUnavailableError
from nexus.store import BlobStore
from nexus.store.check import check, last_check, problems
from nexus.store.health import Usage, health, stats
from nexus.store.locks import CHECK, advisory_lock
from tests.store.test_blobs import overwrite
from tests.store.test_collect import name


def test_finds_what_is_missing_and_damaged(store: BlobStore, database: Database, naming: str) -> None:
    whole, missing, damaged = store.put(b"whole"), store.put(b"missing"), store.put(b"damaged")
    unnamed = store.put(b"nobody's")
    name(database, whole, missing, damaged)
    assert (check(store).missing, health(store).missing) == (0, 0)
    for blob in (missing, unnamed):
        store.backend.delete(blob.sha256)
    overwrite(store, damaged, b"changed")
    done = check(store)
    assert (done.blobs, done.bytes, done.missing, done.damaged) == (3, 19, 1, 1)
    with database.transaction() as session:
        found = problems(session)
        assert last_check(session) == done
    assert (found.missing, found.damaged) == ([missing.sha256.hex()], [damaged.sha256.hex()])
    now = health(store)
    assert (now.problem, now.missing, now.damaged, now.last_check) == (None, 1, 1, done)
    assert stats(store).named_by["names_a_blob.sha256"] == Usage(3, 19)
    assert stats(store).unnamed == Usage(1, 8)
    store.put(b"missing")
    store.put(b"damaged")
    assert (health(store).missing, health(store).damaged) == (0, 0)
    assert (check(store).missing, check(store).damaged) == (0, 0)


def test_interrupted_check_goes_on(
    folder: BlobStore, database: Database, naming: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name(database, *(folder.put(b"blob %d" % number) for number in range(6)))
    read, seen = folder.read, list[bytes]()

    def read_three(sha256: bytes) -> object:
        if len(seen) == 3:
            raise KeyboardInterrupt
        seen.append(sha256)
        return read(sha256)

    with monkeypatch.context() as patched:
        patched.setattr(folder, "read", read_three)
        with pytest.raises(KeyboardInterrupt):
            check(folder)
    with database.transaction() as session:
        assert last_check(session) is None
        assert session.execute(text("SELECT blobs FROM store_checks")).scalar_one() == 3
    rest = list[int]()
    assert check(folder, progress=rest.append).blobs == 6
    assert len(rest) == 3
    assert check(folder, restart=True).blobs == 6


def test_one_check_at_a_time(folder: BlobStore, database: Database) -> None:
    with advisory_lock(database, CHECK, refusal=""), pytest.raises(StoreBusyError):
        check(folder)


def test_absent_store_is_no_list_of_missing_blobs(folder: BlobStore, database: Database, naming: str) -> None:
    name(database, folder.put(b"one"), folder.put(b"two"))
    root = Path(folder.backend.location)
    root.rename(root.with_name("elsewhere"))
    root.mkdir()  # what a disk that is not mounted looks like
    for _ in range(2):
        with pytest.raises(StoreUnavailableError):
            check(folder)
    now = health(folder)
    assert (now.problem is None, now.missing, now.free_bytes) == (False, 0, None)
    root.rmdir()
    root.with_name("elsewhere").rename(root)
    assert check(folder).missing == 0
    with database.transaction() as session:
        assert session.scalar(text("SELECT count(*) FROM blobs WHERE problem IS NOT NULL")) == 0
