"""The job drill in full: 30 jobs over 3 corpora, serve killed with -9 ten times, two servers at once.

    python -m bench.job_drill [--jobs N] [--server-kills N] [--rounds N] [--seed N]

Fails at the first job or process that is not as it should be; otherwise prints what happened, as JSON.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.operator.disks_and_pids import small_disk
from tests.operator.drill import Drill
from tests.operator.scripts import Programs
from tests.processes import run_nexus

SERVE = ("--no-worker", "--enable-jobs-api", "--output-dir")


def drill(folder: Path, jobs: int, server_kills: int, seed: int) -> tuple[dict[str, int], list[str]]:
    programs = Programs.beside(folder / "corpus")
    environment = programs.environment | {"PODCAST_JOB_CANCEL_GRACE_SECONDS": "1"}
    with small_disk(folder / "corpus") as disk, run_nexus(folder, **environment) as nexus:
        programs.configure(disk.root)
        supervisor = nexus.serve("--no-worker")  # keeps the database up while the others are killed
        run = Drill(disk, folder, lambda: nexus.serve(*SERVE, str(disk.root)), jobs, server_kills, seed, programs)
        try:
            run.run()
        finally:
            run.stop()
            supervisor.terminate()
        return run.check(), run.log


def measure(rounds: int, jobs: int, server_kills: int, seed: int) -> dict[str, Any]:
    outcomes: Counter[str] = Counter()
    actions: Counter[str] = Counter()
    started = time.monotonic()
    for number in range(rounds):
        with tempfile.TemporaryDirectory(prefix="nexus-drill-") as name:
            Path(name).chmod(0o711)  # as root, the database's account must get through
            ended, done = drill(Path(name), jobs, server_kills, seed + number)
        outcomes.update(ended)
        actions.update(done)
    return {
        "rounds": rounds,
        "jobs": sum(outcomes.values()),
        "actions": dict(actions),
        "outcomes": dict(outcomes),
        "lost": 0,
        "ran_twice": 0,
        "overlaps": 0,
        "processes_left": 0,
        "seconds": round(time.monotonic() - started, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=30)
    parser.add_argument("--server-kills", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(json.dumps(measure(given.rounds, given.jobs, given.server_kills, given.seed), indent=1))


if __name__ == "__main__":
    main()
