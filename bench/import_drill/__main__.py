"""The long drill of imports, as JSON: a Pocket export against a site of this machine, while its worker is killed.

    python -m bench.import_drill [--rows N] [--kills N] [--saves N]

Says how long the preview took, how many rows a second were queued, how much memory server and worker needed above what
they need idle, and how long what a person saves meanwhile (half of it beside rows, half beside pages) waits from the
answer until its fetch begins. The seconds in which the worker was dead, and what was saved then, are counted apart:
nothing can be queued or picked up in them. Exits with 1 if a row was lost or doubled, or if more than 300 MB were
needed.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))
from tests.imports.killed_imports import killed_import

MAX_BYTES = 300 * 1024 * 1024


def run(rows: int, kills: int, saves: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="nexus-drill-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        report = asdict(killed_import(Path(folder), rows=rows, kills=kills, saves=saves))
    waits, saves_took = sorted(report.pop("pick_up_ms")), sorted(report.pop("save_ms"))
    idle, peak = report.pop("idle_bytes"), report.pop("peak_bytes")
    return report | {
        "rows_per_second": round(rows / (report["applied_seconds"] - report["seconds_without_worker"]), 1),
        "pages_per_second": round(rows / report["fetched_seconds"], 1),
        "idle_mb": round(idle / 2**20),
        "memory_above_idle_mb": round((peak - idle) / 2**20),
        "save_ms": _spread(saves_took),
        "pick_up_ms": _spread(waits),
        "is_too_large": peak - idle > MAX_BYTES,
    }


def _spread(times: list[float]) -> dict[str, float] | None:
    return {"p50": times[len(times) // 2], "p99": times[int(0.99 * len(times))]} if times else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--saves", type=int, default=100)
    arguments = parser.parse_args()
    done = run(arguments.rows, arguments.kills, arguments.saves)
    print(json.dumps(done, indent=1))
    sys.exit(bool(done["lost"] or done["doubled"] or done["is_too_large"]))


if __name__ == "__main__":
    main()
