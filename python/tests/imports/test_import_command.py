"""``nexus import`` against a real server."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from nexus.db.session import Database
from tests.imports.uploading import LINKS, ImportWorker
from tests.processes import Nexus


@pytest.fixture
def nexus(data_dir: Path, dev_server: str, database: Database) -> Nexus:
    return Nexus(data_dir, {"NEXUS_URL": dev_server})


@contextmanager
def worked_on(work: ImportWorker) -> Iterator[None]:
    """Runs a worker beside the command."""
    stopping = threading.Event()

    def run() -> None:
        while not stopping.wait(0.05):
            work.all()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def test_a_dry_run_shows_and_changes_nothing(nexus: Nexus, client: httpx2.Client, tmp_path: Path) -> None:
    file = tmp_path / "links.txt"
    file.write_text("".join(f"https://example.org/{number}\n" for number in range(30)))
    done = nexus.invoke("import", str(file), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "30 links and texts" in done.stdout.splitlines()[0]
    assert "https://example.org/0" in done.stdout
    assert "… and 20 more" in done.stdout
    assert "Nothing was imported" in done.stdout
    assert client.get("/api/imports").json()["imports"] == []
    shown = json.loads(nexus.invoke("import", str(file), "--dry-run", "--json").stdout)
    assert (shown["total"], shown["status"]) == (30, "previewed")


def test_it_starts_and_leaves_the_rest_to_the_server(nexus: Nexus, client: httpx2.Client, tmp_path: Path) -> None:
    file = tmp_path / "links.txt"
    file.write_text(LINKS)
    done = nexus.invoke("import", str(file), "--no-fetch")
    assert done.returncode == 0, done.stderr
    (made,) = client.get("/api/imports").json()["imports"]
    assert (made["status"], made["options"]["fetch"]) == ("running", False)
    assert made["id"] in done.stdout


def test_it_waits_and_reports(nexus: Nexus, work: ImportWorker, tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    (folder / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "no.txt").write_text("https://example.org/hidden\n")
    (folder / "a.txt").write_text("https://example.org/a\n")
    (folder / "deep" / "b.txt").write_text("https://example.org/b\n")
    with worked_on(work):
        done = nexus.invoke("import", str(folder), "--no-fetch", "--wait", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert [file["name"] for file in made["files"]] == ["lists/a.txt", "lists/deep/b.txt"]
    assert (made["status"], made["outcomes"]["added"], made["failed_rows"]) == ("finished", 2, [])
    with worked_on(work):
        again = nexus.invoke("import", str(folder), "--no-fetch", "--wait")
    assert again.returncode == 0, again.stderr
    assert "Finished: 0 added, 0 merged, 2 unchanged, 0 failed, 0 waiting" in again.stdout


def test_a_row_that_fails_is_named(nexus: Nexus, work: ImportWorker, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("url,title\nhttps://example.org/a,A\njavascript:alert(1),B\n")
    with worked_on(work):
        done = nexus.invoke("import", str(file), "--no-fetch", "--wait")
    assert done.returncode == 1
    assert "nexus: table.csv:3: " in done.stderr


def test_what_cannot_be_imported(nexus: Nexus, tmp_path: Path) -> None:
    binary = tmp_path / "photo.jpg"
    binary.write_bytes(b"\xff\xd8\xff\0\0" * 100)
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments, code in [
        ([str(binary)], 1),
        ([str(tmp_path / "nowhere.zip")], 1),
        ([str(empty)], 1),
        ([str(binary), "--source", "abacus"], 1),
        ([], 2),
    ]:
        done = nexus.invoke("import", *arguments)
        assert (done.returncode, done.stdout) == (code, "")
        assert done.stderr.startswith("nexus: ")
    unreachable = nexus.invoke("import", str(binary), NEXUS_URL="http://127.0.0.1:9")
    assert "Cannot reach Nexus" in unreachable.stderr
