"""The behaviour that all kinds of stores share."""

import hashlib
import os
from collections.abc import Iterator

import httpx2
import psycopg
import pytest

from nexus.config import Settings
from nexus.db.session import Database
from nexus.errors import BlobDamagedError, BlobMissingError, BlobTooLargeError
from nexus.store import BlobStore, keep_blob, open_store
from nexus.store import s3 as s3_store
from nexus.store.blob import Blob
from nexus.store.s3 import PART_BYTES
from tests.loopback_server import LoopbackServer, QuietHandler, running
from tests.processes import TRUSTS_NOBODY, eventually

LARGE = 2 * PART_BYTES + 12345


def pieces(size: int, seed: bytes = b"x") -> Iterator[bytes]:
    """Content of this size, which is never whole in memory."""
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
    assert longest < PART_BYTES


def test_ranges(store: BlobStore) -> None:
    content = os.urandom(3_000_000)
    sha256 = store.put(content).sha256
    for start, end in [(0, 1), (5, 10), (999_999, 2_500_001), (2_999_999, 3_000_000), (2_999_000, 5_000_000), (7, 7)]:
        assert b"".join(store.read_range(sha256, start, end)) == content[start:end]


class RecordingProxy:
    """Passes GETs on to the S3 server; notes the range of each, and how many responses are not delivered yet."""

    def __init__(self, target: str) -> None:
        self.ranges: list[str | None] = []
        self.open = 0
        outer = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:
                outer.open += 1
                outer.ranges.append(self.headers["Range"])
                with httpx2.Client(base_url=target, timeout=60, verify=TRUSTS_NOBODY) as http:
                    response = http.get(self.path, headers=dict(self.headers))
                self.send_response(response.status_code)
                for name in ("Content-Length", "Content-Range", "Last-Modified", "ETag"):
                    if name in response.headers:
                        self.send_header(name, response.headers[name])
                self.end_headers()
                self.wfile.write(response.content)
                outer.open -= 1

        self.server = LoopbackServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def passing(s3: str) -> Iterator[RecordingProxy]:
    passing = RecordingProxy(s3)
    with running(passing.server):
        yield passing


def test_bucket_is_read_in_ranges_none_of_which_waits_for_the_reader(
    path_style: Settings, database: Database, passing: RecordingProxy
) -> None:
    """More than the buffers of a connection hold: a response that waited for its reader would still be open."""
    content = os.urandom(2 * s3_store.MAX_RANGE_BYTES + 5)
    sha256 = open_store(path_style, database).put(content).sha256
    store = open_store(path_style.model_copy(update={"store_endpoint": passing.url}), database)
    store.verify()
    passing.ranges.clear()
    received = b""
    for piece in store.read(sha256):
        eventually(lambda: passing.open == 0, "a response is open while its reader is at work")
        received += piece
    assert received == content
    size = s3_store.MAX_RANGE_BYTES
    assert passing.ranges == [
        f"bytes={start}-{end - 1}" for start, end in [(0, size), (size, 2 * size), (2 * size, 2 * size + 5)]
    ]
    passing.ranges.clear()
    assert b"".join(store.read_range(sha256, 7, size + 9)) == content[7 : size + 9]
    assert passing.ranges == [f"bytes=7-{size + 6}", f"bytes={size + 7}-{size + 8}"]


def test_blob_that_goes_while_it_is_read(path_style: Settings, database: Database) -> None:
    store = open_store(path_style, database)
    blob = store.put(os.urandom(s3_store.MAX_RANGE_BYTES + 5))
    reading = store.read(blob.sha256)
    next(reading)
    store.backend.delete(blob.sha256)
    with pytest.raises(BlobMissingError):
        list(reading)


def test_range_beyond_the_end_is_empty(store: BlobStore) -> None:
    blob = store.put(b"12345")
    assert list(store.read_range(blob.sha256, 5, 9)) == list(store.read_range(blob.sha256, 50, 90)) == []


def test_blob_that_became_empty_is_damaged(store: BlobStore) -> None:
    blob = store.put(b"12345")
    overwrite(store, blob, b"")
    with pytest.raises(BlobDamagedError):
        list(store.read(blob.sha256))


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
