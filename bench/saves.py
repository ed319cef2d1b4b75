"""How long a save takes, and whether lists stay flat as the table grows: python -m bench.saves [--rows N…].

A real server process (nexus serve --no-worker) on an embedded database of its own, asked over loopback.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
import psycopg

FIGURES = Path(__file__).parent / "figures" / "saves.json"
USER = UUID(int=7)
HEADERS = {"X-User-Id": str(USER)}
MANY = 100_000
FILL = """
    INSERT INTO media (id, kind, requested_url)
    SELECT gen_random_uuid(), 'web_article', 'https://example.com/' FROM generate_series(1, %(rows)s)
    RETURNING id
"""


@contextmanager
def running_server(kept: Path | None = None) -> Iterator[tuple[httpx2.Client, psycopg.Connection]]:
    """A server with its data in the given folder, or in a temporary one."""
    with nullcontext(str(kept)) if kept else tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder).chmod(0o711)
        environment = {"PATH": os.environ["PATH"], "NEXUS_DATA_DIR": folder, "NEXUS_LOG_LEVEL": "WARNING"}
        nexus = [sys.executable, "-P", "-m", "nexus.cli"]
        server = subprocess.Popen(
            [*nexus, "serve", "--port", "0", "--no-worker"], env=environment, stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            done = subprocess.run([*nexus, "db", "url"], env=environment, capture_output=True, text=True, check=True)
            with (
                psycopg.connect(done.stdout.strip(), autocommit=True) as connection,
                httpx2.Client(base_url=url, headers=HEADERS, timeout=60) as client,
            ):
                yield client, connection
        finally:
            server.terminate()
            server.wait()


def fill(connection: psycopg.Connection, user: UUID, library: UUID, rows: int) -> None:
    """Saves that are done, spread over a year, as the product would have written them."""
    values = {"user": user, "library": library, "rows": rows}
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS made (id uuid)")
    connection.execute("TRUNCATE made")
    connection.execute(f"WITH new AS ({FILL}) INSERT INTO made SELECT id FROM new", values)
    connection.execute(
        "INSERT INTO items (user_id, media_id, status, source_type, requested_url, created_at)"
        " SELECT %(user)s, id, 'needs_user_text', 'url', 'https://example.com/', now() - random() * interval '1 year'"
        " FROM made",
        values,
    )
    connection.execute(
        "INSERT INTO library_media (library_id, media_id, created_at)"
        " SELECT %(library)s, media_id, created_at FROM items WHERE media_id IN (SELECT id FROM made)",
        values,
    )


def median_ms(times: int, act: Callable[[], Any]) -> float:
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        act()
        took.append((time.perf_counter() - begin) * 1000)
    return round(statistics.median(took), 2)


def timed(times: int, every: float, ask: Callable[[], httpx2.Response]) -> dict[str, float]:
    """Milliseconds of the requests, sent at a steady pace."""
    took = []
    begin = time.perf_counter()
    for turn in range(times):
        time.sleep(max(0.0, begin + turn * every - time.perf_counter()))
        started = time.perf_counter()
        assert ask().is_success
        took.append((time.perf_counter() - started) * 1000)
    return {"p50": round(statistics.median(took), 2), "p99": round(statistics.quantiles(took, n=100)[98], 2)}


def measure(client: httpx2.Client, times: int) -> dict[str, dict[str, float]]:
    requests = {
        "GET /items": "/items",
        "GET /api/library": "/api/library",
        "GET /api/library, filtered": "/api/library?status=needs_user_text&kind=web_article",
        "GET /api/library, nothing matches": "/api/library?status=failed",
    }
    return {name: timed(times, 0.0, lambda path=path: client.get(path)) for name, path in requests.items()}  # type: ignore[misc]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    options.add_argument("--saves", type=int, default=400)
    options.add_argument("--reads", type=int, default=200)
    given = options.parse_args()
    figures: dict[str, Any] = {}
    with running_server() as (client, connection):
        library = UUID(client.get("/api/me").json()["default_library_id"])
        filled = 0
        for rows in given.rows:
            fill(connection, USER, library, rows - filled)
            filled = rows
            connection.execute("VACUUM ANALYZE")
            figures[f"{rows} rows"] = measure(client, given.reads)
            if rows >= MANY:
                pace = timed(given.saves, 1 / 20, lambda: client.post("/items", json={"url": _fresh()}))
                figures[f"POST /items at 20/s, {rows} rows"] = pace
            print(json.dumps(figures, indent=1), flush=True)
        growth = {
            name: round(figures[f"{given.rows[-1]} rows"][name]["p50"] / before["p50"], 2)
            for name, before in figures[f"{given.rows[0]} rows"].items()
        }
        figures["growth of p50, largest / smallest"] = growth
    figures["load average"] = [round(load, 1) for load in os.getloadavg()]
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


def _fresh() -> str:
    return f"https://example.com/{uuid4()}"


if __name__ == "__main__":
    main()
