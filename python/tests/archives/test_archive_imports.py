"""Archives that are uploaded as imports: previewed, restored by a worker, paused, killed, restored again."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg
import pytest

from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.services.archives import restore
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.restore import Surroundings
from nexus.store import open_store
from nexus.text.process_pool import TextPool
from nexus.web.public_address import AllowList
from nexus.worker.archive_restorer import ArchiveRestorer
from nexus.worker.importer import Importer
from tests.api.saving import as_user
from tests.archives.conftest import Server
from tests.archives.editing import edit_members
from tests.archives.libraries import fill_library
from tests.archives.library_view import view_of
from tests.archives.test_round_trip import assert_equal
from tests.conftest import settings_for
from tests.processes import Nexus, eventually

LINES = 801


class Imports:
    """A user at the server that `client` talks to, and its worker."""

    def __init__(self, http: httpx2.Client, around: Surroundings, scratch: Path) -> None:
        self.http, self.around, self.scratch = http, around, scratch
        self.user = UUID(int=0)

    def worker(self) -> ArchiveRestorer:
        return ArchiveRestorer(self.around, self.scratch)

    def work(self) -> None:
        worker = self.worker()
        while worker.step():
            pass
        worker.stop(0)

    def upload(self, content: bytes) -> httpx2.Response:
        files = [("files", ("library.zip", content))]
        return self.http.post("/api/imports", files=files, headers=as_user(self.user))

    def post(self, made: dict[str, Any], verb: str) -> httpx2.Response:
        return self.http.post(f"/api/imports/{made['id']}/{verb}", headers=as_user(self.user))

    def get(self, made: dict[str, Any], path: str = "") -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"/api/imports/{made['id']}{path}", headers=as_user(self.user)).json()
        return found

    def start(self, content: bytes) -> dict[str, Any]:
        made: dict[str, Any] = self.upload(content).json()
        assert self.post(made, "start").status_code == 200
        return made


@pytest.fixture
def imports(
    client: httpx2.Client, database: Database, postgres: EmbeddedServer, database_name: str, data_of_process: Path,
    pool: TextPool, tmp_path: Path,
) -> Imports:  # fmt: skip
    store = open_store(settings_for(postgres, database_name, data_dir=data_of_process), database)
    return Imports(client, Surroundings(database, store, pool, AllowList(), 1 << 40, 1 << 40), tmp_path / "scratch")


@pytest.fixture
def content(here: Server, imports: Imports) -> bytes:
    maker = here.maker(seed=7)
    fill_library(maker)
    imports.user = maker.user
    return here.archive(maker.user)


def test_an_archive_is_previewed_and_restored(
    here: Server, imports: Imports, content: bytes, connection: psycopg.Connection
) -> None:
    made = imports.upload(content).json()
    assert (made["source"], made["label"], made["status"]) == ("nexus", "Nexus archive", "previewed")
    assert (made["total"], made["counts"]["items"], len(made["rows"])) == (10, 10, 10)
    before = here.view(imports.user)
    there = [each for each in before["highlights"] if each["deleted_at"] is None]
    assert made["counts"]["highlights"] == sum(row["highlights"] for row in made["rows"]) == len(there) > 0
    assert view_of(connection, imports.user)["entries"] == []

    assert imports.post(made, "start").json()["status"] == "running"
    assert not Importer(imports.around.database, imports.around.store, allow=AllowList(), max_attempts=1).step()
    imports.work()

    done = imports.get(made)
    assert (done["status"], done["outcomes"]["added"], done["outcomes"]["waiting"]) == ("finished", 10, 0)
    rows = imports.get(made, "/rows")["rows"]
    assert [row["outcome"] for row in rows] == ["added"] * 10
    connection.rollback()
    assert_equal(view_of(connection, imports.user), before)

    again = imports.start(content)
    imports.work()
    assert imports.get(again)["outcomes"]["unchanged"] == 10
    connection.rollback()
    assert_equal(view_of(connection, imports.user), before)
    refused = imports.post(again, "undo")
    assert (refused.status_code, refused.json()["detail"]["error"]) == (409, "import_invalid_state")


def test_archives_are_opened_in_a_process_of_their_own(
    imports: Imports, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory and the manifest of a hostile one may take a gigabyte, which the server does not have to spare."""

    def refuse(*_: object) -> None:
        raise AssertionError("a ZIP was opened in the server")

    monkeypatch.setattr(ArchiveFile, "__init__", refuse)
    assert imports.upload(content).json()["source"] == "nexus"


def test_the_command_restores_an_archive(
    here: Server, imports: Imports, content: bytes, connection: psycopg.Connection, data_dir: Path, dev_server: str
) -> None:
    path = data_dir / "library.zip"
    path.write_bytes(content)
    nexus = Nexus(data_dir, {"NEXUS_URL": dev_server, "DEV_USER_ID": str(imports.user)})
    worker = imports.worker()
    stopping = threading.Event()

    def work() -> None:
        while not stopping.wait(0.05):
            worker.step()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        # What waits for its page would be waited for: nobody fetches pages here.
        done = nexus.here("import", str(path), "--json")
        assert done.returncode == 0, done.stderr
        made = json.loads(done.stdout)
        users = [imports.user, UUID(connection.execute("SELECT user_id::text FROM imports").fetchone()[0])]  # type: ignore[index]
        imports.user = users[-1]
        eventually(lambda: imports.get(made)["status"] == "finished", "the archive was not restored")
    finally:
        stopping.set()
        thread.join()
        worker.stop(0)
    connection.rollback()
    assert_equal(view_of(connection, users[-1]), here.view(users[0]))


def test_workers_that_die_between_batches_lose_nothing(
    here: Server, imports: Imports, content: bytes, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is done by a worker that never comes back; one of two that are at it at once stops."""
    monkeypatch.setattr(restore, "BATCH_RECORDS", 3)
    made = imports.start(content)
    lost = [imports.worker() for _ in range(2)]
    for worker in lost:
        assert worker.step()
    assert imports.get(made)["outcomes"]["added"] == 6
    assert not lost[0].step(), "it is behind, and stops"
    assert imports.post(made, "pause").status_code == 200
    imports.work()
    assert imports.get(made)["outcomes"]["waiting"] == 4
    assert imports.post(made, "resume").status_code == 200
    imports.work()
    assert imports.get(made)["outcomes"] == {"added": 10, "merged": 0, "unchanged": 0, "failed": 0, "waiting": 0}
    assert_equal(view_of(connection, imports.user), here.view(imports.user))
    for worker in lost:
        worker.stop(0)


def test_workers_are_killed_at_many_lines(
    here: Server, imports: Imports, content: bytes, connection: psycopg.Connection, data_of_process: Path
) -> None:
    made = imports.start(content)
    url = imports.around.database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "DATABASE_URL": url,
        "NEXUS_DATA_DIR": str(data_of_process),
    }  # fmt: skip
    script = Path(__file__).with_name("killed_restore.py")
    command = [sys.executable, str(script), str(LINES)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 3
    found = imports.get(made)
    assert (found["status"], found["outcomes"]["waiting"], found["outcomes"]["failed"]) == ("finished", 0, 0)
    assert found["outcomes"]["added"] == 10
    assert_equal(view_of(connection, imports.user), here.view(imports.user))


def test_a_damaged_archive_says_so(imports: Imports, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "library.zip"
    path.write_bytes(content)
    newer = edit_members(path, {}, manifest=lambda said: said.update(version=2)).read_bytes()
    refused = imports.upload(newer)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (422, "archive_too_new")
    spoilt = edit_members(path, {"tags.jsonl": lambda lines: lines + b" "}, with_hashes=False).read_bytes()
    made = imports.start(spoilt)
    imports.work()
    done = imports.get(made)
    assert (done["status"], done["outcomes"]["waiting"]) == ("cancelled", 10)
