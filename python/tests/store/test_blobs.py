"""What every kind of store promises."""

import hashlib
import os
from collections.abc import Iterator

import psycopg
import pytest

from nexus.db.session import Database
from nexus.errors import BlobDamagedError, BlobMissingError, BlobTooLargeError
from nexus.store import BlobStore, keep_blob, open_store
from nexus.store.blob import Blob
from nexus.store.s3 import PART

LARGE = 2 * PART + 12345


def pieces(size: int, seed: bytes = b"x") -> Iterator[bytes]:
    """Cheap to make, never whole in memory."""
    step = hashlib.sha256(seed).digest() * 4096
    while size > 0:
        yield step[:size]
        size -= len(step)


def row(connection: psycopg.Connection, blob: Blob) -> tuple[object, ...] | None:
    found = connection.execute("SELECT size, problem FROM blobs WHERE sha256 = %s", [blob.sha256]).fetchone()
    connection.commit()
    return found


def test_what_was_put_is_read_again(store: BlobStore, connection: psycopg.Connection) -> None:
    content = os.urandom(100_000)
    blob = store.put(content)
    assert blob == (hashlib.sha256(content).digest(), 100_000)
    assert b"".join(store.read(blob.sha256)) == content
    assert store.read_bytes(blob.sha256) == content
    assert (store.exists(blob.sha256), store.size(blob.sha256)) == (True, 100_000)
    assert row(connection, blob) == (100_000, None)


def test_empty_content_is_a_blob_too(store: BlobStore) -> None:
    blob = store.put(b"")
    assert blob.size == 0
    assert list(store.read(blob.sha256)) == []
    assert store.put(iter(())) == blob


def test_large_content_is_streamed_both_ways(store: BlobStore) -> None:
    blob = store.put(pieces(LARGE))
    expected = hashlib.sha256(b"".join(pieces(LARGE))).digest()
    assert blob == (expected, LARGE)
    longest, digest = 0, hashlib.sha256()
    for piece in store.read(blob.sha256):
        longest = max(longest, len(piece))
        digest.update(piece)
    assert digest.digest() == expected
    assert longest < PART


def test_ranges(store: BlobStore) -> None:
    content = os.urandom(3_000_000)
    sha256 = store.put(content).sha256
    for start, end in [(0, 1), (5, 10), (999_999, 2_500_001), (2_999_999, 3_000_000), (2_999_000, 5_000_000), (7, 7)]:
        assert b"".join(store.read_range(sha256, start, end)) == content[start:end]


def test_content_above_the_limit_leaves_nothing(store: BlobStore) -> None:
    for content in (b"123456", iter([b"123", b"456"])):
        with pytest.raises(BlobTooLargeError):
            store.put(content, limit=5)
    assert list(store.backend.list()) == []


def test_same_content_is_written_once(store: BlobStore) -> None:
    blob = store.put(b"same")
    (first,) = store.backend.list()
    assert store.put(b"same") == store.put(iter([b"sa", b"me"])) == blob
    assert list(store.backend.list()) == [first]


def test_presence_is_really_checked(store: BlobStore) -> None:
    """A row is no proof that the store has the bytes."""
    blob = store.put(b"lost")
    store.backend.delete(blob.sha256)
    assert not store.exists(blob.sha256)
    store.put(b"lost")
    assert store.read_bytes(blob.sha256) == b"lost"


def test_missing_blob_is_an_error_at_once_and_noted(store: BlobStore, connection: psycopg.Connection) -> None:
    blob = store.put(b"here")
    store.backend.delete(blob.sha256)
    with pytest.raises(BlobMissingError, match="nexus store check"):
        store.read(blob.sha256)
    with pytest.raises(BlobMissingError):
        store.read_range(blob.sha256, 0, 1)
    assert row(connection, blob) == (4, "missing")


def overwrite(store: BlobStore, blob: Blob, content: bytes) -> None:
    with store.backend.spool() as spool:
        spool.write(content)
        store.backend.publish(spool, blob.sha256)


def test_damaged_blob_is_never_delivered_whole_and_healed_by_a_put(
    store: BlobStore, connection: psycopg.Connection
) -> None:
    content = os.urandom(2_500_000)
    blob = store.put(content)
    overwrite(store, blob, content[:-1] + bytes([content[-1] ^ 1]))
    received = bytearray()
    with pytest.raises(BlobDamagedError):
        received.extend(byte for piece in store.read(blob.sha256) for byte in piece)
    assert len(received) < blob.size
    assert row(connection, blob) == (blob.size, "damaged")
    store.put(content)
    assert store.read_bytes(blob.sha256) == content
    assert row(connection, blob) == (blob.size, None)


def test_blob_of_another_size_is_written_again(store: BlobStore) -> None:
    blob = store.put(b"whole")
    overwrite(store, blob, b"who")
    store.put(b"whole")
    assert store.read_bytes(blob.sha256) == b"whole"


def test_list_names_blobs_alone(store: BlobStore) -> None:
    made = {store.put(bytes([number])).sha256 for number in range(5)}
    assert {found.sha256 for found in store.backend.list()} == made
    assert {found.size for found in store.backend.list()} == {1}


def test_row_that_names_a_blob_needs_the_blobs_row(folder: BlobStore, database: Database, naming: str) -> None:
    blob = folder.put(b"kept")
    with database.transaction() as session:
        keep_blob(session, blob)
    with pytest.raises(BlobMissingError), database.transaction() as session:
        keep_blob(session, Blob(b"?" * 32, 1))


def test_two_stores_of_one_library_share_their_blobs(
    database: Database, request: pytest.FixtureRequest, store: BlobStore
) -> None:
    blob = store.put(b"shared")
    settings = request.getfixturevalue(request.node.callspec.params["store"])
    assert open_store(settings, database).read_bytes(blob.sha256) == b"shared"
