"""The long drill of the store, as JSON: what was killed how often, and whether every blob is there and served.

    python -m bench.store_drill [--saves N] [--pictures N] [--seconds S] [--seed N] [--kind folder|s3]

Saves with pictures while worker, server, PostgreSQL and the store are killed with -9, with a folder and with S3.
Exits with 1 if a save or a blob was lost, damaged or not served.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tests.store.store_drill import drill_store


def run(kind: str, arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="nexus-drill-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        report = drill_store(
            Path(folder), kind,
            seed=arguments.seed, saves=arguments.saves, pictures=arguments.pictures, seconds=arguments.seconds,
        )  # fmt: skip
    return {
        "store": kind,
        "acknowledged": len(report.saves.acknowledged),
        "killed": dict(report.saves.kills),
        "statuses": dict(report.saves.statuses),
        "seconds": report.saves.seconds,
        "blobs": report.check["blobs"],
        "pictures": report.pictures,
        "originals": report.originals,
        "lost": len(report.saves.lost),
        "violations": sorted(report.saves.violations),
        "missing": len(report.check["missing"]),
        "damaged": len(report.check["damaged"]),
        "not_kept": report.not_kept,
        "not_served": report.not_served,
    }


FAULTS = ("lost", "violations", "missing", "damaged", "not_kept", "not_served")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--pictures", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["folder", "s3"], action="append")
    arguments = parser.parse_args()
    runs = [run(kind, arguments) for kind in arguments.kind or ["folder", "s3"]]
    print(json.dumps(runs, indent=1))
    sys.exit(any(each[fault] for each in runs for fault in FAULTS))


if __name__ == "__main__":
    main()
