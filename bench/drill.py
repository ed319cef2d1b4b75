"""The long fault drill, as JSON: what was killed how often, and what became of every save.

    python -m bench.drill [--saves N] [--seconds S] [--seed N]

Three runs: kill -9 of worker, server and PostgreSQL; the same with SIGTERM; kill -9 with Celery and Redis as well.
Exits with 1 if a save was lost or an invariant broken.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tests.faults.drill import drilled


def run(name: str, saves: int, seconds: float, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="nexus-drill-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        report = drilled(
            Path(folder), seed=seed, saves=saves, seconds=seconds, hard=name != "SIGTERM", redis=name == "celery"
        )
    return {
        "run": name,
        "acknowledged": len(report.acknowledged),
        "killed": dict(report.kills),
        "statuses": dict(report.statuses),
        "articles": report.media,
        "lost": len(report.lost),
        "violations": sorted(report.violations),
        "seconds": report.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    runs = [run(name, arguments.saves, arguments.seconds, arguments.seed) for name in ("SIGKILL", "SIGTERM", "celery")]
    print(json.dumps(runs, indent=1))
    sys.exit(any(each["lost"] or each["violations"] for each in runs))


if __name__ == "__main__":
    main()
