"""The process that keeps the search index: killed, twice on one machine, without room, before damaged files.

The tests of this file share the server that the test before left; each uses words of its own.
"""

import json
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from nexus.db.session import Database
from nexus.services.search import index_process
from nexus.services.search.index_process import IndexLoop, open_folder
from nexus.services.search.indexes import Indexes
from tests.api.saving import ALICE
from tests.episodes import fragments_of, save_episode
from tests.operator.disks_and_pids import small_disk
from tests.processes import Nexus, ServerProcess, eventually
from tests.search.damage import truncate
from tests.search.search_client import search_for

INDEXER = "nexus.services.search.start_indexing"


def save(server: ServerProcess, text: str) -> None:
    made = httpx2.post(f"{server.url}/items", json={"pasted_text": text}, timeout=60)
    assert made.status_code == 200, made.text


def ask(server: ServerProcess, q: str) -> dict[str, Any]:
    """Repeats a search while it answers 503, which says that the index is being repaired."""
    answer = server.get("/api/search", params={"q": q})
    assert answer.status_code in (200, 503), answer.text
    return dict(answer.json()) if answer.status_code == 200 else {"total": -1, "index": {"state": "broken"}}


def is_found(server: ServerProcess, q: str, total: int = 1) -> bool:
    found = ask(server, q)
    return bool(found["total"] == total and found["index"]["state"] == "ready")


def index_of(nexus: Nexus) -> Path:
    (meta,) = nexus.data_dir.glob("search/*/*/meta.json")
    return meta.parent


class Servers:
    """The servers of one data directory, without those that were killed."""

    def __init__(self, nexus: Nexus) -> None:
        self.nexus = nexus
        self._all: list[ServerProcess] = []

    def start(self) -> ServerProcess:
        self._all.append(self.nexus.serve("--no-worker"))
        return self._all[-1]

    def running(self) -> ServerProcess:
        alive = [server for server in self._all if server.process.poll() is None]
        return alive[0] if alive else self.start()


@pytest.fixture(scope="module")
def servers(nexus_of_module: Nexus) -> Servers:
    return Servers(nexus_of_module)


def test_a_killed_process_is_started_again_and_goes_on(servers: Servers) -> None:
    server = servers.running()
    save(server, "A zebra")
    eventually(lambda: is_found(server, "zebra"), "the save was not found")
    for number in range(3):
        servers.nexus.one(INDEXER).kill()
        save(server, f"Unicorn {number}")
        eventually(lambda number=number: is_found(server, "unicorn", number + 1), "not found after a kill")  # type: ignore[misc]


def test_a_save_is_found_before_the_next_look_at_the_log(
    database: Database, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop of the process, in this one: the next look would come after the test. How long it takes with one is
    measured by bench.search."""
    monkeypatch.setattr(index_process, "POLL_SECONDS", 3600)
    loop = IndexLoop(database, open_folder(database, data_dir))
    thread, indexes = threading.Thread(target=loop.run), Indexes(data_dir)
    thread.start()
    try:
        for number in range(3):
            save_episode(database, ALICE, fragments_of("A badger"))
            found = partial(search_for, database, indexes, "badger")
            eventually(lambda number=number, found=found: found().total == number + 1, "the save was not found")  # type: ignore[misc]
    finally:
        loop.stop()
        thread.join()


def test_two_servers_have_one_writer_and_the_other_takes_over(servers: Servers) -> None:
    first = servers.running()
    save(first, "A heron")
    eventually(lambda: servers.nexus.matching(INDEXER), "nobody writes")
    second = servers.start()
    save(second, "A falcon")
    for server in (first, second):
        eventually(lambda server=server: is_found(server, "falcon"), "not found by both")  # type: ignore[misc]
    assert servers.nexus.one(INDEXER).ppid() == first.process.pid
    first.kill()

    def writers() -> list[int]:
        with suppress(psutil.NoSuchProcess):  # it ended meanwhile
            return [writer.ppid() for writer in servers.nexus.matching(INDEXER)]
        return []

    # That of the first ends a moment after it, and may still write what is saved meanwhile.
    eventually(lambda: writers() == [second.process.pid], "nobody took over")
    save(second, "A pelican")
    eventually(lambda: is_found(second, "pelican"), "the other one does not write")


def test_the_commands(servers: Servers) -> None:
    server, nexus = servers.running(), servers.nexus
    save(server, "The lighthouse\n\nIts keeper wrote letters.")
    eventually(lambda: is_found(server, "lighthouse"), "the save was not found")
    found = nexus.invoke("search", "ligthouse", "keeper", NEXUS_URL=server.url)
    assert found.returncode == 0, found.stderr
    assert "The lighthouse\n    The lighthouse Its keeper wrote letters." in found.stdout
    assert found.stderr == "Also searched for “lighthouse”, the word nearest to “ligthouse”.\n"
    (hit,) = nexus.invoke("search", "--json", '"its keeper"', NEXUS_URL=server.url).stdout.splitlines()
    assert json.loads(hit)["entry"]["title"] == "The lighthouse"
    nothing = nexus.invoke("search", "tag:none", NEXUS_URL=server.url)
    assert (nothing.stdout, nothing.stderr) == ("", "No results for tag:none\n")
    eventually(lambda: nexus.invoke("search", "status").returncode == 0, "the index is not up to date")
    status = json.loads(nexus.invoke("search", "status", "--json").stdout)
    assert (status["is_kept"], status["libraries"], status["building"]) == (True, 1, [])
    # Scripts know these names.
    assert status.keys() == {"path", "is_kept", "libraries", "building", "waiting", "bytes", "is_asked"}
    inode = index_of(nexus).stat().st_ino
    assert nexus.invoke("search", "rebuild").returncode == 0
    assert index_of(nexus).stat().st_ino != inode
    assert is_found(server, "lighthouse")
    assert server.terminate() == 0
    eventually(lambda: not nexus.matching(INDEXER), "the index process outlived its server")
    assert nexus.invoke("search", "status").returncode == 1
    assert "1 libraries" in nexus.invoke("search", "rebuild").stdout


def test_an_index_that_is_damaged_is_rebuilt(servers: Servers) -> None:
    """The other ways to damage one are in test_index_damaged.py."""
    server = servers.running()
    save(server, "A walrus")
    eventually(lambda: is_found(server, "walrus"), "the save was not found")
    server.terminate()
    eventually(lambda: not servers.nexus.matching(INDEXER), "the index process outlived its server")
    truncate(index_of(servers.nexus))
    server = servers.start()
    save(server, "Another walrus")
    eventually(lambda: is_found(server, "walrus", 2), "not rebuilt")


def test_a_full_disk_stops_only_what_is_new_from_being_found(nexus_on_copy: Nexus) -> None:
    with small_disk(nexus_on_copy.data_dir / "search") as disk:
        server = nexus_on_copy.serve("--no-worker")
        try:
            save(server, "A zebra")
            eventually(lambda: is_found(server, "zebra"), "the save was not found")
            with disk.full(nexus_on_copy.one(INDEXER)):
                save(server, "A unicorn")
                eventually(lambda: "is not up to date" in server.log.read_text(), "the disk was not full")
                assert is_found(server, "zebra")
                save(server, "An otter")
                assert ask(server, "unicorn")["total"] == 0
            for word in ("zebra", "unicorn", "otter"):
                eventually(lambda word=word: is_found(server, word), f"no {word} after the disk has room")  # type: ignore[misc]
        finally:
            server.terminate()
