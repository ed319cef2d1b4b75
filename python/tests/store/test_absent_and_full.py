"""A full disk and an absent store give clear errors; no new store is created and no file is left behind."""

import errno
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nexus.config import Settings, load_settings
from nexus.db.session import Database
from nexus.errors import BackupError, ConfigError, StoreFullError, StoreUnavailableError
from nexus.store import BlobStore, open_store
from nexus.store.backup import back_up
from nexus.store.s3 import PART_BYTES
from tests.loopback_server import LoopbackServer, QuietHandler, running
from tests.store.conftest import KEYS
from tests.store.test_blobs import pieces


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """The kernel refuses to write beyond this size (EFBIG), as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def left_behind(store: BlobStore) -> list[Path]:
    return [path for path in Path(store.backend.location).rglob("*") if path.is_file() and path.suffix != ".json"]


def test_full_disk(folder: BlobStore) -> None:
    folder.verify()
    for content in (b"x" * 3_000_000, pieces(3_000_000)):
        with no_file_beyond(1_000_000), pytest.raises(StoreFullError, match="make room"):
            folder.put(content)
    assert left_behind(folder) == []
    blob = folder.put(b"x" * 3_000_000)
    assert folder.exists(blob.sha256)


def test_reserve_of_the_disk_is_left(folder_settings: Settings, database: Database) -> None:
    """The database is usually on the same disk. Here more is reserved than any disk has."""
    reserving = open_store(folder_settings.model_copy(update={"store_reserve_bytes": 1 << 60}), database)
    for content in (b"content", pieces(3_000_000)):
        with pytest.raises(StoreFullError, match="NEXUS_STORE_RESERVE_BYTES"):
            reserving.put(content)
    assert left_behind(reserving) == []
    blob = open_store(folder_settings.model_copy(update={"store_reserve_bytes": 0}), database).put(b"content")
    assert reserving.read_bytes(blob.sha256) == b"content"
    assert reserving.put(b"content") == blob  # it is there


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_disk_that_is_full_when_it_syncs(folder: BlobStore, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    folder.verify()

    def refuse(_: int) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        with pytest.raises(StoreFullError):
            folder.put(b"content")
    assert left_behind(folder) == []


def test_no_room_to_receive_what_goes_to_s3(path_style: Settings, database: Database) -> None:
    store = open_store(path_style, database)
    with no_file_beyond(1_000_000), pytest.raises(StoreFullError):
        store.put(pieces(PART_BYTES + 2_000_000))
    assert list(store.backend.list()) == []


def test_no_room_for_a_backup(folder: BlobStore, naming: str, tmp_path: Path) -> None:
    folder.put(os.urandom(2_000_000))
    with no_file_beyond(1_500_000), pytest.raises(BackupError, match="Cannot write"):
        back_up(folder, tmp_path / "nexus.tar")
    assert list(tmp_path.glob("*nexus.tar*")) == []


def test_folder_that_is_not_mounted_is_no_new_store(
    folder: BlobStore, folder_settings: Settings, database: Database
) -> None:
    blob = folder.put(b"content")
    root = Path(folder.backend.location)
    root.rename(away := root.with_name("away"))
    root.mkdir()
    for store in (folder, open_store(folder_settings, database)):
        with pytest.raises(StoreUnavailableError):
            store.put(b"more")
        with pytest.raises(StoreUnavailableError):
            store.read(blob.sha256)
        with pytest.raises(StoreUnavailableError):
            store.exists(blob.sha256)
    assert list(root.iterdir()) == []
    root.rmdir()
    with pytest.raises(StoreUnavailableError, match="operator"):
        folder.put(b"more")
    assert not root.exists()
    away.rename(root)
    assert folder.read_bytes(blob.sha256) == b"content"


def test_new_library_begins_its_store_once(folder_settings: Settings, database: Database) -> None:
    """A store without blobs may be unmounted as well, and must not become two stores."""
    root = folder_settings.data_dir / "blobs"
    store = open_store(folder_settings, database)
    assert not root.exists()
    store.verify()
    assert root.stat().st_mode & 0o777 == 0o700
    root.rename(away := root.with_name("away"))
    with pytest.raises(StoreUnavailableError, match=r"Mount it.*nexus-store.json"):
        open_store(folder_settings, database).put(b"content")
    assert not root.exists()
    away.rename(root)
    open_store(folder_settings, database).put(b"content")


def test_store_of_another_library(folder: BlobStore, folder_settings: Settings, database: Database) -> None:
    folder.put(b"content")
    marker = Path(folder.backend.location) / "nexus-store.json"
    for content, complaint in {
        '{"format": 1, "id": "00000000-0000-0000-0000-000000000007"}': "another library",
        '{"format": 2, "id": "00000000-0000-0000-0000-000000000007"}': "newer Nexus",
        "{": "damaged",
    }.items():
        marker.write_text(content)
        with pytest.raises(StoreUnavailableError, match=complaint):
            open_store(folder_settings, database).put(b"more")


def test_database_that_lost_its_rows_takes_its_store_again(folder: BlobStore, database: Database) -> None:
    blob = folder.put(b"content")
    with database.engine.begin() as connection:
        connection.exec_driver_sql("TRUNCATE blobs, store_identity CASCADE")
    again = BlobStore(folder.backend, database)
    assert again.put(b"content") == blob


def s3_settings(endpoint: str, tmp_path: Path, **others: object) -> Settings:
    return load_settings(
        **({"store": "s3://library", "store_endpoint": endpoint, "data_dir": tmp_path} | KEYS | others)
    )


def test_s3_server_that_does_not_answer(database: Database, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        store = open_store(s3_settings(f"http://127.0.0.1:{taken.getsockname()[1]}", tmp_path), database)
        with pytest.raises(StoreUnavailableError, match="S3 server"):
            store.put(b"content")


def test_bucket_that_does_not_exist(s3: str, database: Database, tmp_path: Path) -> None:
    store = open_store(s3_settings(s3, tmp_path, store="s3://no-such-bucket"), database)
    with pytest.raises(StoreUnavailableError):
        store.put(b"content")


@contextmanager
def refusing(status: int) -> Iterator[str]:
    class RefusingHandler(QuietHandler):
        def do_GET(self) -> None:
            self.send_response(404 if status == 507 else status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

    with running(LoopbackServer(("127.0.0.1", 0), RefusingHandler)) as server:
        yield f"http://127.0.0.1:{server.server_address[1]}"


@pytest.mark.parametrize(("status", "error", "said"), [
    (507, StoreFullError, "make room"),
    (403, StoreUnavailableError, "refuses our keys"),
    (401, StoreUnavailableError, "refuses our keys"),
])  # fmt: skip
def test_s3_server_that_refuses(
    database: Database, tmp_path: Path, status: int, error: type[Exception], said: str
) -> None:
    with refusing(status) as url, pytest.raises(error, match=said):
        open_store(s3_settings(url, tmp_path), database).put(b"content")


def test_the_number_of_a_status_in_a_url(database: Database, tmp_path: Path) -> None:
    """507 says that the server is full, 416 that a range begins beyond the end, and is read as nothing."""
    with refusing(403) as url, pytest.raises(StoreUnavailableError, match="refuses our keys"):
        open_store(s3_settings(url, tmp_path, store="s3://library-507"), database).put(b"content")
    with refusing(403) as url, pytest.raises(StoreUnavailableError, match="refuses our keys"):
        list(open_store(s3_settings(url, tmp_path), database).backend.open(bytes.fromhex(f"{416:064}"), 0, 1))


@pytest.mark.parametrize("store", ["/a/folder", "file:relative", "s3:bucket", "s3://", "s3://b/p?x=1", "gs://bucket"])
def test_place_that_is_none(store: str) -> None:
    with pytest.raises(ConfigError, match="NEXUS_STORE"):
        load_settings(store=store)
