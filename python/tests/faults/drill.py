"""The fault drill: users save while processes are killed at random; at the end nothing is lost or doubled."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx2
import psutil
import psycopg

from nexus.db.embedded import EmbeddedServer
from tests.db.invariants import VIOLATIONS
from tests.egress.sites import Site
from tests.faults.brokers import Redis
from tests.loopback_server import running
from tests.pipelines.pages import article_page, html
from tests.processes import TRUSTS_NOBODY, Nexus, ServerProcess, eventually, kill, kill_tree, run_nexus

ROOT = Path(__file__).parents[3]
CELERY = ["-m", "celery", "-A", "apps.worker.main:celery_app", "worker", "-Q", "ingest", "--concurrency=1"]
USERS = [f"00000000-0000-0000-0000-0000000000{number:02}" for number in range(10, 15)]
# A lease that a loaded machine renews in time; each killed worker's is waited for.
SETTINGS = {
    "NEXUS_ENV": "test", "WORKER_LEASE_SECONDS": "10", "WORKER_POLL_SECONDS": "0.5", "WORKER_MAX_ATTEMPTS": "1",
    "WORKER_RENDER": "never", "NEXUS_EGRESS_PER_HOST": "16",
    "WORKER_HTTP_CONNECT_TIMEOUT": "60", "WORKER_HTTP_READ_TIMEOUT": "60",  # a timeout would be the only attempt's end
}  # fmt: skip


@dataclass
class Report:
    acknowledged: list[str] = field(default_factory=list)  # an id twice: a failed link is saved again in its own item
    kills: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    violations: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    media: int = 0
    seconds: float = 0.0


class Drill:
    def __init__(self, nexus: Nexus, site: Site, *, seed: int, signal_number: int = signal.SIGKILL) -> None:
        self._nexus = nexus
        self._site = site
        self._random = random.Random(seed)
        self._signal = signal_number
        self._server: ServerProcess = nexus.serve()
        self._stop = threading.Event()
        self._targets: list[str] = []
        self._client = httpx2.Client(verify=TRUSTS_NOBODY, timeout=10)
        self.report = Report()

    def run(self, *, saves: int, seconds: float, broker: Redis | None = None, max_kills: int | None = None) -> Report:
        """`max_kills`: without it, a busy machine kills faster than saves get through, and may never end."""
        started = time.monotonic()
        saving = threading.Thread(target=self._save_all, args=(saves, seconds))
        saving.start()
        with ExitStack() as stack:
            stack.callback(saving.join)
            stack.callback(self._stop.set)  # also when the drill fails: it would save for ever
            if broker:
                self._celery = stack.enter_context(CeleryWorker(self._nexus, broker))
            while saving.is_alive():
                saving.join(self._random.uniform(0.3, 1.0) * seconds / 6)
                if saving.is_alive() and (max_kills is None or self.report.kills.total() < max_kills):
                    self._kill_one(broker)
            self._client.close()
            self._bring_back(broker)
            eventually(self._is_settled, "saves are left unsettled")
        self.report.seconds = round(time.monotonic() - started, 1)
        self._inspect()
        return self.report

    def _save_all(self, saves: int, seconds: float) -> None:
        """Like a person: what was not acknowledged is sent again."""
        chance = random.Random(saves)
        for number in range(saves):
            self._save(self._body(number), chance.choice(USERS))
            self._stop.wait(seconds / saves)

    def _body(self, number: int) -> dict[str, Any]:
        if number % 10 == 9:
            return {"pasted_text": f"What I read today, number {number}."}
        path = f"/page/{number % 20}" if number % 10 else "/missing"
        return {"url": self._site.url(path)}

    def _save(self, body: dict[str, Any], user: str) -> None:
        while not self._stop.is_set():
            with suppress(httpx2.HTTPError):
                response = self._client.post(f"{self._server.url}/items", json=body, headers={"X-User-Id": user})
                if response.status_code == 200:
                    self.report.acknowledged.append(response.json()["id"])
                    return
            time.sleep(0.1)

    def _kill_one(self, broker: Redis | None) -> None:
        if not self._targets:  # each once before any a second time
            self._targets = ["worker", "worker", "server", "postgres", *(["redis", "celery"] if broker else [])]
            self._random.shuffle(self._targets)
        target = self._targets.pop()
        if self._kill(target, broker):
            self.report.kills[target] += 1

    def _kill(self, target: str, broker: Redis | None) -> bool:
        """False where there is no such process at the moment: it is just being started again."""
        if target == "server":
            self._server.process.send_signal(self._signal)
            self._server.process.wait()
            self._server = self._nexus.serve()
        elif target == "redis" and broker:
            broker.kill()
            broker.start()
        elif target == "celery":
            self._celery.restart(whole=self._random.random() < 0.5)
        elif target == "worker":
            return self._signal_all("--stop-with-parent", self._signal)
        else:
            # Told to terminate, PostgreSQL waits for its clients to leave; SIGINT is its way to stop now.
            hard = self._signal == signal.SIGKILL
            return self._signal_all("/postgres -D", signal.SIGKILL if hard else signal.SIGINT)
        return True

    def _signal_all(self, pattern: str, number: int) -> bool:
        """Whether there was any."""
        signalled = 0
        for process in self._nexus.matching(pattern):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
                signalled += 1
        return signalled > 0

    def _bring_back(self, broker: Redis | None) -> None:
        if broker and not broker.accepts():
            broker.start()
        if self._server.process.poll() is not None:
            self._server = self._nexus.serve()

    def _rows(self, query: str) -> list[Any]:
        with psycopg.connect(**EmbeddedServer(self._nexus.data_dir).connect_arguments(), connect_timeout=5) as db:
            return db.execute(query).fetchall()

    def _is_settled(self) -> bool:
        try:
            return self._rows("SELECT count(*) FROM items WHERE status IN ('queued', 'processing')") == [(0,)]
        except psycopg.OperationalError:
            return False

    def _inspect(self) -> None:
        report = self.report
        report.violations = {name for name, query in VIOLATIONS.items() if self._rows(query)}
        rows = {str(saved): status for saved, status in self._rows("SELECT id, status FROM items")}
        report.lost = set(report.acknowledged) - set(rows)
        report.statuses = Counter(rows.values())
        ((report.media,),) = self._rows("SELECT count(*) FROM media WHERE canonical_url IS NOT NULL")


class CeleryWorker:
    def __init__(self, nexus: Nexus, broker: Redis) -> None:
        self._log = nexus.data_dir / "celery.log"
        self._environment = SETTINGS | {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "python"), "CELERY_BROKER_URL": broker.url,
            "NEXUS_DATA_DIR": str(nexus.data_dir), "TMPDIR": tempfile.gettempdir(),
        }  # fmt: skip

    def __enter__(self) -> Self:
        with self._log.open("a") as log:
            command = [sys.executable, *CELERY]
            self._process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
        return self

    def __exit__(self, *_: object) -> None:
        kill_tree(psutil.Process(self._process.pid))
        self._process.wait()

    def restart(self, *, whole: bool) -> None:
        """Killed as a whole and started by us; or only what works in it, which Celery starts again itself."""
        if whole:
            self.__exit__()
            self.__enter__()
        else:
            kill(*psutil.Process(self._process.pid).children(recursive=True))


@contextmanager
def drill_site() -> Iterator[Site]:
    with running(Site("127.0.0.1")) as site:
        site.routes["/missing"] = html(b"<p>no such page", 404)
        for number in range(20):
            site.routes[f"/page/{number}"] = html(article_page(f"Story {number}"))
        yield site


def drilled(
    folder: Path,
    *,
    seed: int,
    saves: int,
    seconds: float,
    hard: bool = True,
    redis: bool = False,
    max_kills: int | None = None,
) -> Report:
    with ExitStack() as stack:
        broker = stack.enter_context(Redis(folder / "redis")) if redis else None
        environment = dict(SETTINGS)
        if broker:
            environment["CELERY_BROKER_URL"] = broker.url
        site = stack.enter_context(drill_site())
        (folder / "data").mkdir(mode=0o711)
        nexus = stack.enter_context(run_nexus(folder / "data", **environment))
        number = signal.SIGKILL if hard else signal.SIGTERM
        drill = Drill(nexus, site, seed=seed, signal_number=number)
        return drill.run(saves=saves, seconds=seconds, broker=broker, max_kills=max_kills)
