"""What the search index adds to the cost of saving a text, and how long a saved text is not found."""

import random
import time
from pathlib import Path
from uuid import UUID

import httpx2
import psycopg

from bench.saves import USER
from bench.search.other_engines import latencies_ms, shares
from bench.search.texts import some_text
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.services.saving import SaveContext, save_item
from nexus.services.users import CurrentUser
from nexus.web.public_address import AllowList

ROUNDS = 6
TRIGGERS = {"library_media": ("log_new_entries", "log_changed_entries"), "media": ("log_changed_media",)}
OWN_BACKEND = "SELECT pg_backend_pid()"


def keeping(connection: psycopg.Connection, library: UUID, times: int) -> dict[str, dict[str, float]]:
    """A pasted text of a thousand words, kept with and without the log of the search, in turns."""
    user = CurrentUser(USER, library, is_operator=False)
    chance = random.Random(3)
    context = SaveContext(AllowList(), max_attempts=1, request_id="bench")
    figures: dict[str, dict[str, list[float]]] = {"ms": {}, "processor ms": {}}
    with Database(load_settings(database_url=_url(connection))) as database:

        def keep() -> None:
            with database.transaction() as session:
                save_item(session, user, context, url=None, pasted=some_text(chance), prefer_pasted=True)

        for _ in range(ROUNDS):
            for switch in ("DISABLE", "ENABLE"):  # it ends as it began
                for table, triggers in TRIGGERS.items():
                    for trigger in triggers:
                        connection.execute(f"ALTER TABLE {table} {switch} TRIGGER {trigger}")
                keep()
                with database.engine.connect() as same:  # the pool has one, and gives it again
                    backend = same.exec_driver_sql(OWN_BACKEND).scalar_one()
                before = _processor_ms(backend) + time.process_time() * 1000
                took = latencies_ms(times, keep)["p50"]
                spent = _processor_ms(backend) + time.process_time() * 1000 - before
                figures["ms"].setdefault(switch, []).append(took)
                figures["processor ms"].setdefault(switch, []).append(spent / times)
    return {name: _compared(min(found["ENABLE"]), min(found["DISABLE"])) for name, found in figures.items()}


def freshness_ms(client: httpx2.Client, times: int) -> dict[str, float]:
    """From the answer to a save with its text to the first search that finds it, repeated without a pause."""
    took = []
    for number in range(times):
        word = f"albatross{number}x{time.monotonic_ns()}"
        client.post("/items", json={"pasted_text": f"About {word}"}).raise_for_status()
        begin = time.perf_counter()
        while not client.get("/api/search", params={"q": word, "limit": 1}).raise_for_status().json()["total"]:
            time.sleep(0.02)
        took.append((time.perf_counter() - begin) * 1000)
    return shares(took)


def _compared(with_search: float, without: float) -> dict[str, float]:
    return {
        "with search": round(with_search, 2), "without": round(without, 2), "ratio": round(with_search / without, 2),
    }  # fmt: skip


def _processor_ms(process: int) -> float:
    return float(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6


def _url(connection: psycopg.Connection) -> str:
    given = connection.info.get_parameters()
    return f"postgresql://{given['user']}:{connection.info.password}@/{given['dbname']}?host={given['host']}"
