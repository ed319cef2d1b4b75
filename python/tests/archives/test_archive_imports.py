"""Archives that are uploaded as imports: previewed, restored by a worker, paused, killed, restored again."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from nexus.schemas.organise import Filter
from nexus.services.archives import restore
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.imports import archives
from nexus.services.library.filters import MAX_MINUTES
from nexus.web.public_address import AllowList
from nexus.worker.importer import Importer
from tests.api.saving import as_user
from tests.api.test_errors import problem
from tests.archives.archive_imports import Imports
from tests.archives.conftest import Server
from tests.archives.forged_archives import edit_members
from tests.archives.library_view import view_of
from tests.archives.test_round_trip import assert_equal
from tests.processes import Nexus, count_kills, eventually, script_environment

LINES = 411


def test_an_archive_is_previewed_and_restored(
    source: Server, imports: Imports, content: bytes, connection: psycopg.Connection
) -> None:
    made = imports.upload(content).json()
    assert (made["source"], made["label"], made["status"]) == ("nexus", "Nexus archive", "previewed")
    assert (made["total"], made["counts"]["items"], len(made["rows"])) == (10, 10, 10)
    before = source.view(imports.user)
    kept = [each for each in before["highlights"] if each["deleted_at"] is None]
    assert made["counts"]["highlights"] == sum(row["highlights"] for row in made["rows"]) == len(kept) > 0
    assert view_of(connection, imports.user)["entries"] == []

    assert imports.post(made, "start").json()["status"] == "running"
    assert not Importer(imports.resources.database, imports.resources.store, allow=AllowList(), max_attempts=1).step()
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


def test_archives_are_opened_in_a_process_of_their_own(
    imports: Imports, small_content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory and the manifest of a hostile archive may take a gigabyte, which the server cannot spare."""

    def refuse(*_: object) -> None:
        raise AssertionError("a ZIP was opened in the server")

    monkeypatch.setattr(ArchiveFile, "__init__", refuse)
    assert imports.upload(small_content).json()["source"] == "nexus"


def test_why_an_uploaded_archive_cannot_be_read_is_logged(
    imports: Imports, small_content: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(archives, "CLOCK_SECONDS", 1e-9)
    problem(imports.upload(small_content), 422, "import_unreadable")
    assert "an uploaded archive could not be read" in caplog.text
    assert "TextTimeoutError" in caplog.text


def test_the_command_restores_an_archive(
    source: Server, imports: Imports, content: bytes, connection: psycopg.Connection, data_dir: Path, dev_server: str
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
        done = nexus.invoke("import", str(path), "--json")
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
    assert_equal(view_of(connection, users[-1]), source.view(users[0]))


# Of this database: other test processes have theirs in the same cluster.
LOCKS = """
    FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
    WHERE locktype = 'advisory' AND datname = current_database()
"""


def lose_connections(connection: psycopg.Connection) -> None:
    """Ends the connections of workers, as if they were killed: their locks end as well."""
    connection.execute(f"SELECT pg_terminate_backend(pid) {LOCKS} AND granted")
    held = f"SELECT count(*) {LOCKS}"
    eventually(lambda: connection.execute(held).fetchone() == (0,), "a connection is still there")
    connection.rollback()


def test_workers_that_die_between_batches_lose_nothing(
    source: Server, imports: Imports, content: bytes, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is done by another worker; one that comes back finds later progress, and stops."""
    monkeypatch.setattr(restore, "BATCH_RECORDS", 3)
    made = imports.begin(content)
    lost = [imports.worker() for _ in range(2)]
    for worker in lost:
        assert worker.step()
        lose_connections(connection)
    assert imports.get(made)["outcomes"]["added"] == 6
    assert not lost[0].step(), "it is behind, and stops"
    assert imports.post(made, "pause").status_code == 200
    imports.work()
    assert imports.get(made)["outcomes"]["waiting"] == 4
    assert imports.post(made, "resume").status_code == 200
    imports.work()
    assert imports.get(made)["outcomes"] == {"added": 10, "merged": 0, "unchanged": 0, "failed": 0, "waiting": 0}
    assert_equal(view_of(connection, imports.user), source.view(imports.user))
    for worker in lost:
        worker.stop(0)


def test_one_worker_at_a_time_has_the_archive(
    imports: Imports, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise another worker would copy it in vain; two archives are not copied in turns either."""
    monkeypatch.setattr(restore, "BATCH_RECORDS", 4)
    first, second = imports.begin(content), imports.begin(content)
    copied: list[bytes] = []
    read = imports.resources.store.read

    def copy(sha256: bytes) -> Iterator[bytes]:
        copied.append(sha256)
        return read(sha256)

    monkeypatch.setattr(imports.resources.store, "read", copy)
    workers = [imports.worker() for _ in range(3)]
    assert [worker.step() for worker in workers] == [True, True, False]
    assert len(copied) == 2
    assert not workers[2].is_urgent()
    for worker in workers[:2]:
        while worker.step():
            pass
    assert len(copied) == 2
    for made in (first, second):
        assert imports.get(made)["status"] == "finished"
    for worker in workers:
        worker.stop(0)


def test_workers_are_killed_at_many_lines(
    source: Server, imports: Imports, small_content: bytes, connection: psycopg.Connection, data_of_process: Path
) -> None:
    made = imports.begin(small_content)
    environment = script_environment(imports.resources.database, data_of_process)
    assert count_kills(Path(__file__).with_name("killed_restore.py"), LINES, environment=environment) >= 4
    found = imports.get(made)
    assert (found["status"], found["outcomes"]["waiting"], found["outcomes"]["failed"]) == ("finished", 0, 0)
    assert found["outcomes"]["added"] == 6
    assert_equal(view_of(connection, imports.user), source.view(imports.user))


@pytest.mark.parametrize("spoiled", ["key", "tag"])
def test_a_search_that_cannot_be_listed_is_left_out(
    imports: Imports, content: bytes, tmp_path: Path, spoiled: str
) -> None:
    path = tmp_path / "library.zip"
    path.write_bytes(content)

    def spoil(lines: bytes) -> bytes:
        searches = [json.loads(line) for line in lines.splitlines()]
        searches[0]["query"] = {"q": ["no text"]}
        searches[1]["query"] = {"unknown": 1} if spoiled == "key" else {"tag": ["a//b"]}
        return b"".join(json.dumps(each).encode() + b"\n" for each in searches)

    made = imports.restore(edit_members(path, {"saved_searches.jsonl": spoil}).read_bytes())
    assert (made["status"], made["total"], made["outcomes"]["added"]) == ("finished", 12, 10)
    failed = imports.rows(made, "failed")
    assert [(row["file"], row["line"], row["code"]) for row in failed] == [
        ("saved_searches.jsonl", line, "archive_invalid_record") for line in (1, 2)
    ]
    assert all("search" in row["message"] for row in failed)
    listed = imports.http.get("/api/saved-searches", headers=as_user(imports.user))
    assert listed.status_code == 200, listed.text
    assert [each["name"] for each in listed.json()] == ["Search 2"]


def test_a_search_comes_with_all_that_it_asks_for(imports: Imports, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "library.zip"
    path.write_bytes(content)
    asked = Filter(
        kind="web_article", status="succeeded", unread=True, starred=True, highlighted=True, archived="any",
        tag=["a/b", "c"], untagged=True, site="example.org", min_minutes=0, max_minutes=MAX_MINUTES, q="whale",
    )  # fmt: skip
    assert asked.model_fields_set == Filter.model_fields.keys()
    query = asked.model_dump(mode="json")

    def spoil(lines: bytes) -> bytes:
        searches = [json.loads(line) for line in lines.splitlines()]
        searches[0] |= {"name": " Of \n whales ", "query": query, "sort": "relevance", "position": 7}
        searches[1]["query"] = {"max_minutes": MAX_MINUTES + 1}
        searches[2]["sort"] = "luck"
        return b"".join(json.dumps(each).encode() + b"\n" for each in searches)

    made = imports.restore(edit_members(path, {"saved_searches.jsonl": spoil}).read_bytes())
    assert [row["line"] for row in imports.rows(made, "failed")] == [2, 3]
    [listed] = imports.http.get("/api/saved-searches", headers=as_user(imports.user)).json()
    assert (listed["name"], listed["sort"], listed["position"]) == ("Of whales", "relevance", 7)
    assert listed["query"] == query


def test_a_damaged_archive_says_so(imports: Imports, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "library.zip"
    path.write_bytes(content)
    newer = edit_members(path, {}, manifest=lambda said: said.update(version=2)).read_bytes()
    refused = imports.upload(newer)
    assert (refused.status_code, refused.json()["detail"]["error"]) == (422, "archive_too_new")
    absurd = edit_members(path, {}, manifest=lambda said: said["members"][0].update(size=10**400, lines=10**300))
    refused = imports.upload(absurd.read_bytes())
    assert (refused.status_code, refused.json()["detail"]["error"]) == (422, "archive_unreadable")
    assert "damaged" in refused.json()["detail"]["message"]
    spoilt = edit_members(path, {"tags.jsonl": lambda lines: lines + b" "}, with_hashes=False).read_bytes()
    made = imports.start(spoilt)
    imports.work()
    done = imports.get(made)
    assert (done["status"], done["outcomes"]["waiting"]) == ("cancelled", 10)
