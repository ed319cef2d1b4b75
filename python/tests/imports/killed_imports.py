"""Imports while their worker is killed, for the short test and for the long drill."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, LiteralString
from zipfile import ZIP_DEFLATED, ZipFile

import httpx2
import psutil
import psycopg

from nexus.db.embedded import EmbeddedServer
from tests.egress.sites import Site
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import TRUSTS_NOBODY, Nexus, ServerProcess, eventually, kill, plain_url, run_nexus

# A lease that a loaded machine renews in time; each killed worker's is waited for.
SETTINGS = {
    "NEXUS_ENV": "test", "WORKER_LEASE_SECONDS": "10", "WORKER_POLL_SECONDS": "0.5", "WORKER_MAX_ATTEMPTS": "2",
    "WORKER_RENDER": "never", "NEXUS_EGRESS_PER_HOST": "16",
}  # fmt: skip
DOUBLED = """
    SELECT count(*) FROM (
        SELECT FROM items WHERE fetch_again_of IS NULL GROUP BY user_id, url_key HAVING count(*) > 1) AS doubled
"""
LOST = """
    SELECT count(*) FROM import_rows
    WHERE outcome IS NULL OR media_id IS NULL
       OR NOT EXISTS (SELECT FROM library_media WHERE library_media.media_id = import_rows.media_id)
"""
# When a worker began with each of these, by its own clock, which is this machine's.
STARTED = """
    SELECT items.id::text, extract(epoch FROM min(started_at))::float FROM items
    JOIN extraction_attempts ON item_id = items.id WHERE requested_url LIKE '%/saved/%' GROUP BY items.id
"""
WATCH_SECONDS = 0.2
SAVE_SECONDS = 0.05  # between two saves of a person


def pocket_zip(site: str, rows: int) -> bytes:
    """An export as Pocket writes it, in parts of 10 000 rows."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for part, first in enumerate(range(0, rows, 10_000)):
            lines = ["title,url,time_added,tags,status"]
            for number in range(first, min(rows, first + 10_000)):
                tags, status = f"tag {number % 30}|all", "archive" if number % 3 == 0 else "unread"
                lines.append(f"Page {number},{site}/page/{number},{1_600_000_000 + number},{tags},{status}")
            archive.writestr(f"part_{part:06}.csv", "\n".join(lines) + "\n")
    return buffer.getvalue()


@dataclass
class Report:
    rows: int = 0
    kills: int = 0
    preview_seconds: float = 0.0
    applied_seconds: float = 0.0
    seconds_without_worker: float = 0.0  # part of these
    fetched_seconds: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    fetching: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    doubled: int = 0
    idle_bytes: int = 0
    peak_bytes: int = 0
    save_ms: list[float] = field(default_factory=list)
    pick_up_ms: list[float] = field(default_factory=list)
    saved_without_worker: int = 0


@dataclass(frozen=True)
class PersonalSave:
    item_id: str
    answered_at: float


class KilledImport:
    """A server with its worker, which is killed again and again, and a person who saves links meanwhile."""

    def __init__(self, nexus: Nexus, site: Site, client: httpx2.Client) -> None:
        self._nexus = nexus
        self._site = site
        self._server: ServerProcess = nexus.serve()
        self.client = client
        client.base_url = self._server.url
        self.path = ""
        self._stop = threading.Event()
        self._is_applied = threading.Event()
        self._saves: list[PersonalSave] = []
        self._without_worker: list[tuple[float, float]] = []
        self.report = Report()

    def run(self, *, rows: int, kills: int, saves: int = 0) -> Report:
        report = self.report
        report.rows = rows
        eventually(lambda: self._nexus.matching("--stop-with-parent"), "there is no worker")
        self.client.post("/items", json={"url": self._site.url("/warm")}).raise_for_status()
        eventually(lambda: "/warm" in self._site.paths, "the worker fetches nothing")
        report.idle_bytes = self._memory()
        with ExitStack() as stack:
            watching = threading.Thread(target=self._watch_memory)
            stack.callback(watching.join)
            stack.callback(self._stop.set)
            watching.start()
            self._import(rows, kills, saves)
        self._inspect(rows)
        return report

    def _import(self, rows: int, kills: int, saves: int) -> None:
        report, started = self.report, time.monotonic()
        made = self.upload(rows)
        report.preview_seconds = round(time.monotonic() - started, 2)
        self.path = f"/api/imports/{made['id']}"
        started = time.monotonic()
        self.client.post(f"{self.path}/start").raise_for_status()
        saving = threading.Thread(target=self._save_until_applied, args=(saves // 2,))
        saving.start()
        try:
            for number in range(1, kills + 1):
                self._wait_until_done(number * rows // (kills + 1))
                self._kill_worker()
            eventually(lambda: self._seen()["status"] == "finished", "the import never ends", seconds=1800)
            report.applied_seconds = round(time.monotonic() - started, 2)
        finally:
            self._is_applied.set()
            saving.join()
        while len(self._saves) < saves:
            self._save()
        eventually(self._is_fetched, "pages are left unfetched", seconds=3600)
        report.fetched_seconds = round(time.monotonic() - started, 2)
        self._note_pick_ups()

    def _kill_worker(self) -> None:
        """Kills the worker and waits for the next one; in between nothing is picked up."""
        known = set(self._rows("SELECT id FROM workers"))
        began = time.time()
        kill(*self._nexus.matching("--stop-with-parent"))
        eventually(lambda: set(self._rows("SELECT id FROM workers")) - known, "there is no new worker")
        self._without_worker.append((began, time.time()))
        self.report.seconds_without_worker = round(sum(end - begin for begin, end in self._without_worker), 2)
        self.report.kills += 1

    def upload(self, rows: int) -> dict[str, Any]:
        content = pocket_zip(self._site.url("").rstrip("/"), rows)
        answer = self.client.post("/api/imports", files=[("files", ("pocket.zip", content))])
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def _wait_until_done(self, rows: int) -> None:
        def is_done() -> bool:
            outcomes: dict[str, int] = self._seen()["outcomes"]
            return sum(outcomes.values()) - outcomes["waiting"] >= rows

        eventually(is_done, "the import does not go on", seconds=600)

    def _save_until_applied(self, count: int) -> None:
        while len(self._saves) < count and not self._is_applied.is_set():
            self._save()

    def _save(self) -> None:
        """Saves a link as a person does beside the import; its fetch begins some time after the answer."""
        path = f"/saved/{len(self._saves)}"
        self._site.routes[path] = html(article_page(path))
        began = time.time()
        answer = self.client.post("/items", json={"url": self._site.url(path)}).raise_for_status()
        self._saves.append(PersonalSave(answer.json()["id"], time.time()))
        self.report.save_ms.append(round(1000 * (time.time() - began), 1))
        time.sleep(SAVE_SECONDS)

    def _note_pick_ups(self) -> None:
        """By the receipts: a look from here would measure how often one looks. What waited while there was no worker
        is counted apart; it says how long a worker takes to start."""
        started = dict(self._rows(STARTED))
        for each in self._saves:
            picked_up = started[each.item_id]
            if any(each.answered_at < end and picked_up > begin for begin, end in self._without_worker):
                self.report.saved_without_worker += 1
            else:
                self.report.pick_up_ms.append(round(max(0.0, 1000 * (picked_up - each.answered_at)), 1))

    def _seen(self) -> dict[str, Any]:
        seen: dict[str, Any] = self.client.get(self.path).json()
        return seen

    def _is_fetched(self) -> bool:
        query = "SELECT count(*) FROM items WHERE status IN ('queued', 'processing')"
        left = ("queued", "processing")  # of a large import these are counted now and then
        return self._rows(query) == [(0,)] and not any(self._seen()["fetching"][state] for state in left)

    def _inspect(self, rows: int) -> None:
        report, seen = self.report, self._seen()
        report.outcomes, report.fetching = seen["outcomes"], seen["fetching"]
        ((unreached,),) = self._rows(LOST)
        report.lost = unreached + rows - report.outcomes["added"]
        ((report.doubled,),) = self._rows(DOUBLED)

    def _rows(self, query: LiteralString) -> list[Any]:
        url = self._nexus.environment.get("DATABASE_URL")
        about = {} if url else EmbeddedServer(self._nexus.data_dir).connect_arguments()
        with psycopg.connect(plain_url(url) if url else "", **about) as db:
            return db.execute(query).fetchall()

    def _memory(self) -> int:
        """The memory of server and worker and of their children."""
        pids = {self._server.process.pid: psutil.Process(self._server.process.pid)}
        with suppress(psutil.NoSuchProcess):
            pids |= {each.pid: each for each in pids[self._server.process.pid].children(recursive=True)}
        total = 0
        for process in pids.values():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                if "postgres" not in process.name():
                    total += process.memory_info().rss
        return total

    def _watch_memory(self) -> None:
        while not self._stop.wait(WATCH_SECONDS):
            self.report.peak_bytes = max(self.report.peak_bytes, self._memory())


@contextmanager
def import_site(rows: int) -> Iterator[Site]:
    with running(Site("127.0.0.1")) as site:
        page = html(article_page("A page"))
        site.routes["/warm"] = page
        site.routes |= {f"/page/{number}": html(article_page(f"Page {number}", 8)) for number in range(rows)}
        yield site


def new_client() -> httpx2.Client:
    return httpx2.Client(timeout=300, verify=TRUSTS_NOBODY)


def killed_import(folder: Path, *, rows: int, kills: int, saves: int) -> Report:
    with import_site(rows) as site, run_nexus(folder, **SETTINGS) as nexus, new_client() as client:
        return KilledImport(nexus, site, client).run(rows=rows, kills=kills, saves=saves)
