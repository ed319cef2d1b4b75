"""The queue without pages: jobs per second and pick-up time beside procrastinate and a 3 s poll, as JSON.

    python -m bench.queue [--jobs N] [--pickups N] [--recovery]

One run, one machine, one PostgreSQL with fsync on: compare the rows with each other, not with another machine's.
`--recovery` also kills a worker with -9, default settings, and waits until another takes over what it had.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import procrastinate
import psycopg

from nexus.config import Settings, load_settings
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.services.lifecycle import Article, AttemptRecord, Claim, Failed, Failure, Outcome, Succeeded
from nexus.worker import Worker

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tests.faults.recovery import seconds_until_reclaimed
from tests.pipelines.worker_thread import working
from tests.processes import plain_url

ADD = """
    WITH new_media AS (INSERT INTO media (id, kind) SELECT gen_random_uuid(), 'web_article' FROM generate_series(1, %s)
                       RETURNING id)
    INSERT INTO items (user_id, media_id, status, source_type, requested_url)
    SELECT %s, id, 'queued', 'url', 'https://example.org/' FROM new_media
"""
POLL_SECONDS = 3


def nothing(claim: Claim) -> Outcome:
    return Failed(claim, Failure("non_html", "Nothing to do."), ())


def tiny_article(claim: Claim) -> Outcome:
    page = Article(f"https://example.org/{claim.item_id}", "<p>Hello</p>", "Hello")
    return Succeeded(claim, page, (AttemptRecord("static", claim.claimed_at, claim.now()),))


class Bench:
    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings = settings
        self.database = database
        self.dsn = plain_url(database.url)
        self.user = uuid4()
        self.db = psycopg.connect(self.dsn, autocommit=True)
        self.db.execute("INSERT INTO users (id) VALUES (%s)", [self.user])

    def add(self, jobs: int) -> None:
        self.db.execute(ADD, [jobs, self.user])

    def throughput(self, jobs: int, job: Callable[[Claim], Outcome]) -> float:
        self.add(jobs)
        started = time.perf_counter()
        Worker(self.settings, self.database, job).run(drain=True)
        elapsed = time.perf_counter() - started
        assert self.db.execute("SELECT count(*) FROM items WHERE status IN ('queued', 'processing')").fetchone() == (0,)
        return jobs / elapsed

    def pickups(self, count: int) -> dict[str, dict[str, float]]:
        """From the call that saves, and from its return, to the attempt's start; one at a time on an idle worker."""
        self.db.execute("VACUUM ANALYZE items, media")  # what the throughput left behind
        began: list[float] = []
        heard = threading.Semaphore(0)

        def note(claim: Claim) -> Outcome:
            began.append(time.perf_counter())
            heard.release()
            return nothing(claim)

        return self._timed(count, Worker(self.settings, self.database, note), began, heard)

    def _timed(
        self, count: int, worker: Worker, began: list[float], heard: threading.Semaphore
    ) -> dict[str, dict[str, float]]:
        from_call, from_answer = [], []
        with working(worker):
            time.sleep(1)
            for _ in range(count):
                called = time.perf_counter()
                self.add(1)
                responded = time.perf_counter()
                heard.acquire()
                from_call.append((began[-1] - called) * 1000)
                from_answer.append((began[-1] - responded) * 1000)
                time.sleep(0.03)
        return {"ours, from the save's call": spread(from_call), "ours, from its answer": spread(from_answer)}

    def poll_pickups(self, count: int) -> list[float]:
        """A plain polling loop: take a batch, and sleep for three seconds when there is none.

        With statements of its own, because it is what the worker is compared with: no shares of users or hosts, no
        receipts, nothing that the services do beside claiming and settling.
        """
        times = []
        for number in range(count):
            offset = POLL_SECONDS * number / count  # where in its sleep the save finds the loop
            called = time.perf_counter()
            self.add(1)
            time.sleep(POLL_SECONDS - offset)
            self.db.execute(
                "UPDATE items SET status = 'processing', claimed_by = gen_random_uuid(), claimed_at = now(),"
                " lease_until = now() WHERE id IN (SELECT id FROM items WHERE status = 'queued' ORDER BY due_at"
                " LIMIT 5 FOR UPDATE SKIP LOCKED)"
            )
            times.append((time.perf_counter() - called) * 1000)
            self.db.execute("UPDATE items SET status = 'needs_user_text', claimed_by = NULL, claimed_at = NULL,"
                            " lease_until = NULL WHERE status = 'processing'")  # fmt: skip
        return times


def procrastinate_rate(dsn: str, jobs: int) -> float:
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=dsn))

    @app.task(name="nothing")
    async def nothing_to_do() -> None:
        """No work: what is measured is the queue."""

    async def run() -> float:
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            await nothing_to_do.batch_defer_async(*({} for _ in range(jobs)))
            started = time.perf_counter()
            await app.run_worker_async(concurrency=10, wait=False, install_signal_handlers=False)
            return jobs / (time.perf_counter() - started)

    return asyncio.run(run())


def spread(times: list[float]) -> dict[str, float]:
    return {
        "p50_ms": round(statistics.median(times), 1),
        "p99_ms": round(statistics.quantiles(times, n=100, method="inclusive")[98], 1),
        "samples": len(times),
    }


def measure(folder: Path, jobs: int, pickups: int) -> dict[str, Any]:
    settings = load_settings(data_dir=folder, worker_concurrency=64, worker_batch_size=64)
    with Database(settings) as database:
        upgrade(database.engine)
        bench = Bench(settings, database)
        bench.throughput(200, nothing)  # warm
        ours = bench.throughput(jobs, nothing)
        stored = bench.throughput(jobs, tiny_article)
        theirs = procrastinate_rate(bench.dsn, jobs)
        figures = {
            "jobs": jobs,
            "jobs_per_second": {
                "ours": round(ours),
                "ours, each storing an article and a receipt": round(stored),
                "procrastinate": round(theirs),
            },
            "times_procrastinate": round(ours / theirs, 1),
            "pickup": {**bench.pickups(pickups), "3 s poll, from the save's call": spread(bench.poll_pickups(8))},
        }
        bench.db.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=3000)
    parser.add_argument("--pickups", type=int, default=200)
    parser.add_argument("--recovery", action="store_true")
    arguments = parser.parse_args()
    configure_logging("WARNING", "text")
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        figures = measure(Path(folder) / "data", arguments.jobs, arguments.pickups)
        if arguments.recovery:
            figures["kill_to_reclaim_seconds"] = round(seconds_until_reclaimed(Path(folder) / "killed"), 1)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
