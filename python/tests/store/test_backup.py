"""`nexus backup` and `nexus restore`: database and blobs together, between every kind of store."""

import hashlib
import io
import json
import os
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from nexus.config import Settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.errors import BackupError, StoreBusyError
from nexus.store import BlobStore, backup_file, open_store
from nexus.store.backup import MAX_IN_MEMORY, back_up
from nexus.store.blob import Blob
from nexus.store.check import check
from nexus.store.collect import collect
from nexus.store.restore import restore_backup
from tests import factories as make
from tests.conftest import copied_database, settings_for
from tests.processes import Nexus
from tests.store.test_blobs import overwrite
from tests.store.test_collect import NOW, name

OTHER = {"folder_settings": "path_style", "path_style": "virtual_host_style", "virtual_host_style": "folder_settings"}


@pytest.fixture
def library(store: BlobStore, naming: str, connection: object) -> BlobStore:
    """One user, two blobs that are named and one that is not."""
    make.user(connection)  # type: ignore[arg-type]
    connection.commit()  # type: ignore[attr-defined]
    name(store.database, store.put(b"original"), store.put(os.urandom(9_000_000)))
    store.put(b"nobody's")
    return store


@contextmanager
def empty_library(postgres: EmbeddedServer, name_: str, settings: Settings) -> Iterator[BlobStore]:
    with copied_database(postgres, name_, None) as database_name:
        url = settings_for(postgres, database_name).database_url
        with Database(settings.model_copy(update={"database_url": url})) as database:
            yield open_store(settings, database)


def contents(store: BlobStore) -> dict[str, bytes]:
    return {found.sha256.hex(): store.read_bytes(found.sha256) for found in store.backend.list()}


def test_comes_back_in_another_kind_of_store(
    request: pytest.FixtureRequest, library: BlobStore, postgres: EmbeddedServer, worker_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "nexus.tar"
    done = back_up(library, file)
    assert (done.blobs, done.lost, done.size) == (3, [], file.stat().st_size)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir() if "nexus.tar" in entry.name] == ["nexus.tar"]
    settings: Settings = request.getfixturevalue(OTHER[request.node.callspec.params["store"]])
    elsewhere = settings.model_copy(update={"data_dir": tmp_path / "other"})
    with empty_library(postgres, f"restored_{worker_id}", elsewhere) as restored:
        assert restore_backup(restored, file, tmp_path / "work") == 3
        assert contents(restored) == contents(library)
        with restored.database.transaction() as session:
            assert session.scalar(text("SELECT count(*) FROM users")) == 1
            assert session.scalar(text("SELECT count(*) FROM names_a_blob JOIN blobs USING (sha256)")) == 2
        with pytest.raises(BackupError, match="already holds data"):
            restore_backup(restored, file, tmp_path / "work")


def test_restore_heals_what_was_damaged_in_the_store(
    request: pytest.FixtureRequest, library: BlobStore, postgres: EmbeddedServer, worker_id: str, tmp_path: Path
) -> None:
    """The database is lost, the store is there; one of its blobs is damaged, with the right size."""
    file = tmp_path / "nexus.tar"
    before = contents(library)
    back_up(library, file)
    damaged = hashlib.sha256(b"original").digest()
    overwrite(library, Blob(damaged, 8), b"0riginal")
    settings: Settings = request.getfixturevalue(request.node.callspec.params["store"])
    with empty_library(postgres, f"restored_{worker_id}", settings) as restored:
        restore_backup(restored, file, tmp_path / "work")
        assert contents(restored) == before
        done = check(restored)
        assert (done.blobs, done.missing, done.damaged) == (2, 0, 0)


def test_nothing_is_written_where_the_system_has_its_temporary_files(
    folder: BlobStore, naming: str, postgres: EmbeddedServer, worker_id: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The temporary folder is often small, or in memory; here it does not exist."""
    name(folder.database, folder.put(os.urandom(MAX_IN_MEMORY + 1)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    back_up(folder, tmp_path / "nexus.tar")
    settings = settings_for(postgres, "unused", data_dir=tmp_path / "other")
    with empty_library(postgres, f"restored_{worker_id}", settings) as restored:
        assert restore_backup(restored, tmp_path / "nexus.tar", settings.data_dir) == 1
    assert [entry.name for entry in settings.data_dir.iterdir()] == ["blobs"]


def test_what_is_lost_is_said_and_the_rest_is_backed_up(
    folder: BlobStore, naming: str, postgres: EmbeddedServer, worker_id: str, tmp_path: Path
) -> None:
    whole, missing, damaged = folder.put(b"whole"), folder.put(b"missing"), folder.put(b"damaged")
    name(folder.database, whole, missing, damaged)
    folder.backend.delete(missing.sha256)
    folder.backend.delete(folder.put(b"unnamed").sha256)
    overwrite(folder, damaged, b"changed")
    done = back_up(folder, tmp_path / "nexus.tar")
    assert (done.blobs, sorted(done.lost)) == (1, sorted([missing.sha256.hex(), damaged.sha256.hex()]))
    settings = settings_for(postgres, "unused", data_dir=tmp_path / "other")
    with empty_library(postgres, f"restored_{worker_id}", settings) as restored:
        assert restore_backup(restored, tmp_path / "nexus.tar", tmp_path / "work") == 1
        with restored.database.transaction() as session:
            found = session.execute(text("SELECT sha256, problem FROM blobs WHERE problem IS NOT NULL"))
            problems = {sha256: problem for sha256, problem in found}  # noqa: C416
    assert problems == {missing.sha256: "missing", damaged.sha256: "missing"}


def changed(path: Path, where: int) -> None:
    with path.open("r+b") as file:
        file.seek(where)
        byte = file.read(1)
        file.seek(where)
        file.write(bytes([byte[0] ^ 1]))


def without_end(path: Path) -> None:
    with tarfile.open(path) as source:
        entries = [(entry, source.extractfile(entry).read()) for entry in source]  # type: ignore[union-attr]
    with tarfile.open(path, "w") as target:
        for entry, content in entries[:-1]:
            target.addfile(entry, io.BytesIO(content))


def with_another_format(path: Path) -> None:
    with tarfile.open(path, "w") as target:
        said = {"format": 2, "version": "9", "created_at": "", "schema": "", "store_id": None}
        backup_file.add_json(target, backup_file.HEADER, said)


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20_000]), "incomplete|damaged"),
        (lambda path: changed(path, path.read_bytes().rindex(b"original")), "damaged"),
        (lambda path: changed(path, path.read_bytes().index(b"PGDMP") + 300), "damaged"),
        (without_end, "its end is missing"),
        (with_another_format, "newer than this one"),
        (lambda path: path.write_bytes(b"PGDMP something"), "incomplete|not a file of"),
        (lambda path: path.unlink(), "There is no file"),
    ],
)
def test_damaged_backup_changes_nothing(
    harm: object,
    complaint: str,
    folder: BlobStore,
    naming: str,
    postgres: EmbeddedServer,
    worker_id: str,
    tmp_path: Path,
) -> None:
    file = tmp_path / "nexus.tar"
    name(folder.database, folder.put(b"original"))
    back_up(folder, file)
    harm(file)  # type: ignore[operator]
    settings = settings_for(postgres, "unused", data_dir=tmp_path / "other")
    with empty_library(postgres, f"restored_{worker_id}", settings) as restored:
        with pytest.raises(BackupError, match=complaint):
            restore_backup(restored, file, tmp_path / "work")
        assert not (tmp_path / "other").exists()
        with restored.database.engine.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")) == 0


def test_store_of_another_library_is_left_alone(
    folder: BlobStore, naming: str, postgres: EmbeddedServer, worker_id: str, tmp_path: Path
) -> None:
    name(folder.database, folder.put(b"original"))
    back_up(folder, tmp_path / "nexus.tar")
    settings = settings_for(postgres, "unused", data_dir=tmp_path / "other")
    marker = tmp_path / "other" / "blobs" / "nexus-store.json"
    marker.parent.mkdir(parents=True)
    marker.write_text(json.dumps({"format": 1, "id": "00000000-0000-0000-0000-000000000007"}))
    foreign = marker.parent / "ab" / ("ab" * 32)
    foreign.parent.mkdir()
    foreign.touch()
    with empty_library(postgres, f"restored_{worker_id}", settings) as restored:
        with pytest.raises(BackupError, match="another library"):
            restore_backup(restored, tmp_path / "nexus.tar", tmp_path / "work")
        foreign.unlink()  # a store that was begun and holds nothing is taken over
        assert restore_backup(restored, tmp_path / "nexus.tar", tmp_path / "work") == 1


def test_collection_is_held_off_and_what_changes_meanwhile_does_no_harm(
    folder: BlobStore, naming: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the dump everything is dropped and collected: the backup still has what its dump names."""
    name(folder.database, *(folder.put(b"blob %d" % number) for number in range(5)))
    read, refused = folder.read, list[BaseException]()

    def drop_and_collect() -> None:
        with folder.database.transaction() as session:
            session.execute(text("DELETE FROM names_a_blob"))
        try:
            collect(folder, grace=NOW)
        except StoreBusyError as error:
            refused.append(error)

    def read_slowly(sha256: bytes) -> Iterator[bytes]:
        thread = threading.Thread(target=drop_and_collect)
        thread.start()
        thread.join()
        return read(sha256)

    monkeypatch.setattr(folder, "read", read_slowly)
    done = back_up(folder, tmp_path / "nexus.tar")
    assert (done.blobs, done.lost, len(refused)) == (5, [], 5)
    assert collect(folder, grace=NOW).blobs == 5


def test_backup_that_cannot_be_verified_never_gets_its_name(
    folder: BlobStore, naming: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk returns other bytes than were written."""
    name(folder.database, folder.put(b"original"))
    file = tmp_path / "nexus.tar"
    file.write_text("the one of yesterday")
    fsync = os.fsync

    def fsync_badly(fd: int) -> None:
        fsync(fd)
        for path in tmp_path.glob(".nexus.tar.*"):
            if path.samefile(f"/proc/self/fd/{fd}"):
                changed(path, path.read_bytes().rindex(b"original"))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync_badly)
        with pytest.raises(BackupError, match="damaged"):
            back_up(folder, file)
    assert file.read_text() == "the one of yesterday"
    assert [path.name for path in tmp_path.glob(".nexus.tar*")] == []


def test_commands_on_the_embedded_server(nexus: Nexus, data_dir: Path) -> None:
    """The real programs, from one data directory into another."""
    nexus.invoke("token", "create", "--user", "00000000-0000-0000-0000-000000000001")
    (data_dir / "search").mkdir()
    (data_dir / "search" / "index").write_text("derived from rows: built anew where it is restored")
    file = data_dir / "nexus.tar"
    made = nexus.invoke("backup", str(file), "--json")
    assert (made.returncode, json.loads(made.stdout)["blobs"]) == (0, 0)
    with tarfile.open(file) as archived:
        assert [name for name in archived.getnames() if "search" in name or "index" in name] == []
    other = data_dir / "other"
    restored = nexus.invoke("restore", str(file), "--data-dir", str(other))
    assert (restored.returncode, restored.stdout) == (0, f"Restored {file}: the database and 0 blobs.\n")
    assert len(json.loads(nexus.invoke("token", "list", "--json", "--data-dir", str(other)).stdout)) == 1


def test_commands_say_what_they_do_not_take(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    nexus.invoke("token", "create", "--user", "00000000-0000-0000-0000-000000000001")
    file, dump = nexus.data_dir / "nexus.tar", nexus.data_dir / "nexus.dump"
    said = nexus.invoke("backup", str(file)).stdout
    assert said == f"Wrote and verified {file} ({file.stat().st_size:,} bytes): the database and 0 blobs.\n"
    nexus.invoke("db", "backup", str(dump))
    for arguments, complaint in {
        ("restore", str(file)): "already holds data",
        ("restore", str(dump)): "already holds data",
        ("db", "restore", "--replace", str(file)): "use 'nexus restore'",
        ("backup", str(nexus.data_dir / "no" / "folder")): "Cannot write",
    }.items():
        response = nexus.invoke(*arguments)
        assert (response.returncode, complaint in response.stderr) == (1, True)
