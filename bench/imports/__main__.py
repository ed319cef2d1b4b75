"""Imports: rows per second into a library, again and undone; and how soon a save is picked up beside them, as JSON.

    python -m bench.imports [--rows N] [--queued N] [--pickups N]

One machine, one PostgreSQL with fsync on. While pick-ups are measured, a worker reads imported pages (a quarter of a
second each, without network) and another thread applies more rows.
"""

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text

from nexus.config import load_settings
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from nexus.logging import configure_logging
from nexus.services.imports import states
from nexus.services.imports.steps import apply_step, undo_step
from nexus.services.lifecycle import Claim, Failed, Failure, Outcome, Shares, claim
from nexus.services.saving import SaveContext, save_link
from nexus.services.users import CurrentUser, ensure_user
from nexus.web.public_address import AllowList
from nexus.worker import Worker

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from tests.pipelines.worker_thread import working

FIGURES = Path(__file__).parents[1] / "figures" / "imports.json"
CONTEXT = SaveContext(AllowList.parse([]), 2, "bench")
BATCH = 500
PAGE_SECONDS = 0.25
SLOTS = 16
ADD_IMPORT = text("""
    INSERT INTO imports (id, user_id, status, source, label, files, total, loaded, started_at)
    VALUES (:id, :user_id, 'running', 'pocket', 'Pocket', '[]', :rows, :rows, now())
""")
# As an export of Pocket has them: a title, a time, two tags, some archived, some starred.
ADD_ROWS = text("""
    INSERT INTO import_rows (import_id, number, file, line, url, title, record)
    SELECT :id, n, 'part.csv', n + 1, url, title, jsonb_build_object(
        'kind', 'item', 'file', 'part.csv', 'line', n + 1, 'url', url, 'title', title,
        'saved_at', CAST(:since AS timestamptz) + n * interval '1 minute', 'archived', n % 2 = 0, 'starred', n % 9 = 0,
        'tags', jsonb_build_array('tag ' || n % 50, 'folder/' || n % 20))
    FROM (SELECT n, 'https://site' || n % 1000 || '.example/' || :path || n AS url, 'Article ' || n AS title
          FROM generate_series(0, :rows - 1) AS n) AS numbers
""")
QUEUE = text("""
    WITH new_media AS (INSERT INTO media (id, kind)
                       SELECT gen_random_uuid(), 'web_article' FROM generate_series(1, :items)
                       RETURNING id)
    INSERT INTO items (user_id, media_id, status, source_type, requested_url, priority)
    SELECT :user_id, id, 'queued', 'url', 'https://site' || (random() * 1000)::int || '.example/' || id, 1
    FROM new_media
""")


class Bench:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.user = self.new_user()

    def new_user(self) -> CurrentUser:
        user_id = uuid4()
        with self.database.transaction() as session:
            return CurrentUser(user_id, ensure_user(session, user_id), is_operator=False)

    def add(self, rows: int, path: str) -> UUID:
        made = uuid4()
        since = datetime.now(UTC) - timedelta(days=2000)
        values = {"id": made, "user_id": self.user.user_id, "rows": rows, "path": path, "since": since}
        with self.database.transaction() as session:
            session.execute(ADD_IMPORT, values)
            session.execute(ADD_ROWS, values)
        return made

    def apply(self, import_id: UUID) -> bool:
        with self.database.transaction() as session:
            return bool(apply_step(session, CONTEXT, import_id, BATCH, may_notify=False))

    def undo(self, import_id: UUID) -> bool:
        with self.database.transaction() as session:
            return bool(undo_step(session, import_id, BATCH, may_notify=False))

    def queue(self, items: int) -> None:
        for _ in range(0, items, 5000):  # a statement has its time
            with self.database.transaction() as session:
                session.execute(QUEUE, {"items": 5000, "user_id": self.user.user_id})
            self.vacuum()

    def vacuum(self) -> None:
        with self.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))

    def rates(self, rows: int) -> dict[str, Any]:
        first, again = self.add(rows, "a"), self.add(rows, "a")
        figures = {"added": _rate(lambda: self.apply(first), rows), "unchanged": _rate(lambda: self.apply(again), rows)}
        with self.database.transaction() as session:
            states.undo(session, self.user, first)
        return figures | {"undone": _rate(lambda: self.undo(first), rows)}

    def claims(self, times: int) -> dict[str, float]:
        """The time of claiming one item while many are queued: the statement alone, rolled back."""
        with self.database.transaction() as session:
            save_link(session, self.user, CONTEXT, f"https://example.org/{uuid4()}")
        taken = []
        for _ in range(times):
            with self.database.engine.connect() as connection:
                began = time.perf_counter()
                (found,) = claim(
                    connection, worker_id=uuid4(), limit=1, lease_seconds=30, shares=Shares(SLOTS, SLOTS, SLOTS // 2)
                )
                taken.append((time.perf_counter() - began) * 1000)
                assert found.priority == 0
                connection.rollback()
        return _spread(taken)

    def pickups(self, settings: Any, count: int) -> dict[str, Any]:
        began: dict[UUID, float] = {}
        heard = threading.Semaphore(0)
        imported = 0

        def read(taken: Claim) -> Outcome:
            nonlocal imported
            if taken.priority:
                imported += 1
                time.sleep(PAGE_SECONDS)
            else:
                began[taken.item_id] = time.perf_counter()
                heard.release()
            return Failed(taken, Failure("non_html", "Nothing to do."), ())

        times = []
        with self.applying() as applied, working(Worker(settings, self.database, read)):
            time.sleep(2)  # until its slots are full
            for _ in range(count):
                with self.database.transaction() as session:
                    saved = save_link(session, self.user, CONTEXT, f"https://example.org/{uuid4()}")
                answered = time.perf_counter()
                while saved.item_id not in began:  # others are left over from the claims
                    heard.acquire()
                times.append((began[saved.item_id] - answered) * 1000)
                time.sleep(0.03)
        return {
            "from the save's answer to its attempt": _spread(times),
            "imported pages read meanwhile": imported,
            "rows applied meanwhile": applied[0],
        }

    @contextmanager
    def applying(self) -> Iterator[list[int]]:
        """Applies rows of another import of the same user meanwhile."""
        import_id = self.add(200_000, "b")
        stopping = threading.Event()
        applied = [0]

        def run() -> None:
            while not stopping.is_set() and self.apply(import_id):
                applied[0] += BATCH

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield applied
        finally:
            stopping.set()
            thread.join()


def _rate(step: Callable[[], bool], rows: int) -> int:
    began = time.perf_counter()
    while step():
        pass
    return round(rows / (time.perf_counter() - began))


def _spread(times: list[float]) -> dict[str, float]:
    return {
        "p50_ms": round(statistics.median(times), 1),
        "p99_ms": round(statistics.quantiles(times, n=100, method="inclusive")[98], 1),
        "samples": len(times),
    }


def measure(folder: Path, rows: int, queued: int, pickups: int) -> dict[str, Any]:
    settings = load_settings(data_dir=folder, worker_concurrency=SLOTS, worker_batch_size=SLOTS)
    with Database(settings) as database:
        upgrade(database.engine)
        bench = Bench(database)
        figures: dict[str, Any] = {"rows": rows, "rows_per_second": bench.rates(rows), "queued": queued}
        bench.user = bench.new_user()
        figures["claim of a save, nothing queued"] = bench.claims(100)
        bench.queue(queued)
        figures["claim of a save beside them"] = bench.claims(100)
        figures["pickup"] = bench.pickups(settings, pickups)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--queued", type=int, default=100_000)
    parser.add_argument("--pickups", type=int, default=200)
    arguments = parser.parse_args()
    configure_logging("WARNING", "text")
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        figures = measure(Path(folder) / "data", arguments.rows, arguments.queued, arguments.pickups)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
