"""`nexus store check`, `collect` and `stats` as a person or a script uses them."""

import json
import shutil
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import text

from nexus.config import load_settings
from nexus.db.session import Database
from nexus.errors import StoreError
from nexus.store import open_store
from nexus.store.folder import FolderBackend
from nexus.store.identity import start_new_store, verify_identity
from tests.processes import Nexus
from tests.store.test_collect import name


def test_check_collect_and_stats(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    settings = load_settings(data_dir=nexus.data_dir, database_url=nexus.environment["DATABASE_URL"])
    with Database(settings) as database:
        with database.engine.begin() as connection:
            connection.execute(text("CREATE TABLE names_a_blob (sha256 bytea REFERENCES blobs)"))
        store = open_store(settings, database)
        name(database, store.put(b"whole"), lost := store.put(b"lost"))
        store.put(b"unnamed")
        store.backend.delete(lost.sha256)
    checked = nexus.invoke("store", "check")
    assert checked.returncode == 1
    assert checked.stdout == f"missing  {lost.sha256.hex()}\n2 blobs (9 bytes): 1 missing, 0 damaged.\n"
    said = json.loads(nexus.invoke("store", "check", "--json", "--restart").stdout)
    assert (said["blobs"], said["missing"], said["damaged"]) == (2, [lost.sha256.hex()], [])
    assert nexus.invoke("store", "collect").stdout == "Removed 0 blobs (0 bytes), 0 temporary files.\n"
    would = nexus.invoke("store", "collect", "--grace-hours", "0", "--dry-run")
    assert would.stdout == "Would remove 1 blob (7 bytes), 0 temporary files.\n"
    measured = json.loads(nexus.invoke("store", "stats", "--json").stdout)
    assert measured["unnamed"] == {"blobs": 1, "bytes": 7}
    assert measured["named_by"]["names_a_blob.sha256"] == {"blobs": 2, "bytes": 9}
    assert json.loads(nexus.invoke("store", "collect", "--grace-hours", "0", "--json").stdout)["blobs"] == 1
    shown = nexus.invoke("store", "stats").stdout
    assert f"folder: {nexus.data_dir / 'blobs'}\nIt can be used.\n2 blobs (9 bytes), 1 missing, 0 damaged\n" in shown
    assert "named by nothing: 0 blobs" in shown
    assert " bytes, 1,073,741,824 of them for the database\n" in shown
    assert "UTC, 1 blob (7 bytes) removed\n" in shown


def test_absent_store_is_one_line(nexus_on_copy: Nexus) -> None:
    for command in ("check", "collect"):
        refused = nexus_on_copy.invoke("store", command, NEXUS_STORE="file:/proc/no-such-folder")
        *log, said = refused.stderr.splitlines()
        assert refused.returncode == 1
        assert said.startswith("nexus: The folder in which originals and pictures are kept cannot be used now.")
        assert command == "collect" or "/proc/no-such-folder" in log[-1]  # where and why
    shown = nexus_on_copy.invoke("store", "stats", NEXUS_STORE="file:/proc/no-such-folder")
    assert (shown.returncode, "cannot be used now" in shown.stdout) == (0, True)
    wrong = nexus_on_copy.invoke("store", "stats", NEXUS_STORE="gopher://hole")
    assert (wrong.returncode, "NEXUS_STORE is not valid" in wrong.stderr) == (2, True)


def end_before_the_marker(place: Path, database: Database) -> None:
    """The missing blobs are recorded before the store can be used."""

    class InterruptedFolder(FolderBackend):
        def write_marker(self, content: bytes) -> None:
            if (place / "nexus-store.json").exists():
                raise OSError("ended here")
            super().write_marker(content)

    with pytest.raises(OSError, match="ended here"):
        start_new_store(InterruptedFolder(place), database)
    with database.transaction() as session:
        assert session.scalars(text("SELECT problem FROM blobs")).all() == ["missing"]
    with pytest.raises(StoreError):
        verify_identity(FolderBackend(place), database)


def test_database_that_was_restored_elsewhere_says_what_its_store_needs(nexus_on_copy: Nexus, tmp_path: Path) -> None:
    nexus = nexus_on_copy
    settings = load_settings(data_dir=nexus.data_dir, database_url=nexus.environment["DATABASE_URL"])
    with Database(settings) as database:
        store = open_store(settings, database)
        blob = store.put(b"in the old place")
        assert nexus.invoke("store", "begin").stderr.endswith("is there and can be used; nothing was changed.\n")
        dump, elsewhere = tmp_path / "nexus.dump", {"NEXUS_STORE": f"file:{tmp_path / 'new'}"}
        assert nexus.invoke("db", "backup", str(dump)).returncode == 0
        assert nexus.invoke("db", "restore", "--replace", str(dump)).stderr == ""
        restored = nexus.invoke("db", "restore", "--replace", str(dump), **elsewhere)
        assert (restored.returncode, restored.stdout) == (0, f"Restored {dump}.\n")
        assert restored.stderr.splitlines()[-1].startswith("Texts can be read. Where originals and pictures are kept")
        assert "'nexus store begin'" in restored.stderr
        assert not (tmp_path / "new").exists()
        end_before_the_marker(tmp_path / "new", database)
        begun = nexus.invoke("store", "begin", **elsewhere)
        assert begun.stdout.endswith("new now; 1 of the blobs that the library refers to are missing.\n")
        new = open_store(load_settings(data_dir=nexus.data_dir, store=elsewhere["NEXUS_STORE"]), database)
        assert new.put(b"in the old place") == blob  # known to be missing: written anew
        assert new.read_bytes(blob.sha256) == store.read_bytes(blob.sha256)
        other = open_store(load_settings(data_dir=tmp_path, store=f"file:{tmp_path / 'other'}"), database)
        shutil.copytree(tmp_path / "new", tmp_path / "other")
        marker = tmp_path / "other" / "nexus-store.json"
        marker.write_text(json.dumps({"format": 1, "id": str(UUID(int=7))}))
        refused = nexus.invoke("store", "begin", NEXUS_STORE=f"file:{other.backend.location}")
        assert (refused.returncode, "another library" in refused.stderr) == (1, True)
        marker.unlink()  # of a store that was copied without it
        assert "0 of the blobs" in nexus.invoke("store", "begin", NEXUS_STORE=f"file:{other.backend.location}").stdout
        assert other.read_bytes(blob.sha256) == b"in the old place"
