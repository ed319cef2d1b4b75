"""What the job registry costs at 10 000 jobs, as JSON.

    python -m bench.jobs [--jobs N]

Measured on the running application over HTTP (list) and on the registry itself (append, load). Appending is timed in an
almost empty registry and in the full one: O(1) means that their ratio is about 1.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2

from bench.server import served
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.records import Job, now
from nexus.operator.jobs.registry import JobRegistry

ARGV = (sys.executable, "-m", "nexus.cli", "podcast", "--output-dir", "/srv/podcasts", "--config", "/srv/o.yaml")


def milliseconds(work: Callable[[], object], times: int) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append((time.perf_counter() - started) * 1000)
    return statistics.median(found)


def add(registry: JobRegistry, status: str = "succeeded") -> Job:
    with registry.locked() as writer:
        seq = writer.next_seq()
        values = {"job_id": f"00000000-0000-4000-8000-{seq:012}", "seq": seq, "status": status, "created_at": now()}
        return writer.put(Job.model_validate(values | {"argv_summary": json.dumps(ARGV), "ended_at": now()}))


def fill(registry: JobRegistry, count: int) -> None:
    """Three lines for each job, as a real one leaves, without waiting for the disk thirty thousand times."""
    first = add(registry)
    lines = []
    for seq in range(first.seq + 1, count + 1):
        job = first.changed(job_id=f"00000000-0000-4000-8000-{seq:012}", seq=seq)
        lines += [job.changed(status="queued", ended_at=None).line(), job.changed(status="running").line(), job.line()]
    with registry.locked(), registry.corpus.journal.path.open("ab") as file:
        file.write(b"\n".join(lines) + b"\n")


def measure(folder: Path, count: int) -> dict[str, Any]:
    for name in ("small", "corpus"):
        (folder / name).mkdir()
    small = JobRegistry(CorpusDirectory(folder / "small"))
    add(small)
    corpus = folder / "corpus"
    registry = JobRegistry(CorpusDirectory(corpus))
    fill(registry, count)
    load = milliseconds(lambda: JobRegistry(CorpusDirectory(corpus)).jobs(), 5)
    registry.jobs()
    # In turns: how long the disk takes for a sync changes tenfold while others write.
    turns = [(milliseconds(lambda: add(small), 1), milliseconds(lambda: add(registry), 1)) for _ in range(200)]
    append_small, append_full = (statistics.median(times) for times in zip(*turns, strict=True))
    options = ["--enable-jobs-api", "--output-dir", str(corpus)]
    with served(folder / "data", *options) as (url, _), httpx2.Client(base_url=url, timeout=60) as client:
        client.get("/api/jobs")
        health = milliseconds(lambda: client.get("/api/health"), 50)
        pages = {limit: milliseconds(lambda limit=limit: client.get("/api/jobs", params={"limit": limit}), 50)  # type: ignore[misc]
                 for limit in (20, 100, 1000)}  # fmt: skip
        filtered = milliseconds(lambda: client.get("/api/jobs", params={"status": "failed"}), 50)
    return {
        "jobs": count,
        "append_ms_small": round(append_small, 3),
        "append_ms_full": round(append_full, 3),
        "append_full_to_small": round(append_full / append_small, 2),
        "load_from_disk_ms": round(load, 1),
        "health_ms": round(health, 2),
        "list_ms_by_page_size": {str(limit): round(found, 2) for limit, found in pages.items()},
        "list_filtered_ms": round(filtered, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # as root, the database's account must get through
        print(json.dumps(measure(folder, arguments.jobs), indent=1))


if __name__ == "__main__":
    main()
