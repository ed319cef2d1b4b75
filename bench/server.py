"""What starting costs and what each request costs, as JSON.

    python -m bench.server [--requests N]

One run, one machine, one client over one kept connection: compare the rows with each other (the ratio to /health,
which asks nothing of the database), not with another machine's.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

COMMAND = [sys.executable, "-P", "-m", "nexus.cli", "serve", "--port", "0", "--no-worker"]
ROUTES = ("/health", "/ready", "/api/health", "/api/me", "/metrics", "/no-such-path")


@contextmanager
def served(data_dir: Path, *options: str) -> Iterator[tuple[str, float]]:
    """The address of a new server, and the seconds until it answered."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, "--data-dir", str(data_dir), *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        address = re.search(r"http://\S+", line)
        if address is None:
            raise RuntimeError(f"the server did not start: {line!r}")
        yield address[0], time.perf_counter() - started
    finally:
        process.terminate()
        process.communicate()


def milliseconds(client: httpx2.Client, path: str, requests: int) -> list[float]:
    times = []
    for _ in range(requests):
        started = time.perf_counter()
        client.get(path)
        times.append((time.perf_counter() - started) * 1000)
    return times


def measure(data_dir: Path, requests: int) -> dict[str, Any]:
    with served(data_dir) as (_, first_start):
        pass
    with served(data_dir) as (url, warm_start), httpx2.Client(base_url=url, timeout=30) as client:
        for path in ROUTES:
            client.get(path)
        times = {path: milliseconds(client, path, requests) for path in ROUTES}
    base = statistics.median(times["/health"])
    return {
        "first_start_seconds": round(first_start, 2),
        "warm_start_seconds": round(warm_start, 2),
        "requests_each": requests,
        "routes": {
            path: {
                "p50_ms": round(statistics.median(found), 2),
                "p99_ms": round(statistics.quantiles(found, n=100)[98], 2),
                "times_health": round(statistics.median(found) / base, 2),
            }
            for path, found in times.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=500)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        print(json.dumps(measure(Path(folder) / "data", arguments.requests), indent=1))


if __name__ == "__main__":
    main()
