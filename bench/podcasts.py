"""A feed of 1 000 episodes with transcripts on loopback: episodes a second, memory, and a run with nothing new.

    python -m bench.podcasts [--episodes N]

The whole command each time, with the library (embedded PostgreSQL). Ratios count: the second run beside the first, the
peak memory of 1 000 episodes beside that of 100. The run is measured apart from the whole command, of
which a second and a half is the start of Python and its libraries.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host, podcast_host

COMMAND = [sys.executable, "-P", "-m", "nexus.cli"]
SENTENCES = 120  # eight minutes of talk


def publish(host: Host, episodes: int) -> str:
    items = []
    for number in range(episodes, 0, -1):
        said = (
            f"{'Ada' if n % 3 else 'Bob'}: Sentence {n} of episode {number} says a few words." for n in range(SENTENCES)
        )
        where = host.put(f"/{episodes}/t{number}.vtt", vtt(*said), "text/vtt")
        notes = f"<description>{'Notes of the episode. ' * 40}</description>"
        items.append(item(number, audio=f"{host.url}/a{number}.mp3", transcripts=((where, "text/vtt"),), extra=notes))
    return host.put(f"/{episodes}/feed.xml", rss(items), "application/rss+xml")


@dataclass(frozen=True)
class RunCost:
    command: float  # seconds, with starting Python and opening the database
    run: float  # from the first event to the last
    cpu: float  # seconds of the command and its children
    counts: dict[str, int]
    peak: float  # bytes, of the process itself


def timed(arguments: list[str], env: dict[str, str]) -> RunCost:
    started = time.perf_counter()
    process = subprocess.Popen([*COMMAND, *arguments], env=env, stdout=subprocess.PIPE, text=True)
    moments = [(time.perf_counter(), line) for line in process.stdout or ()]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"exit {process.returncode}")
    counts = json.loads(moments[-1][1])["feeds"][0]["counts"]
    run = moments[-1][0] - moments[0][0]
    return RunCost(
        time.perf_counter() - started, run, usage.ru_utime + usage.ru_stime, counts, usage.ru_maxrss * 1024
    )  # fmt: skip


def measure(folder: Path, episodes: int) -> dict[str, Any]:
    env = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    env |= {"NEXUS_ENV": "test", "NEXUS_DATA_DIR": str(folder / "data")}
    with podcast_host() as host:
        supervisor = subprocess.Popen(  # keeps the embedded database running, as a Nexus server does
            [*COMMAND, "serve", "--port", "0", "--no-worker"],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            if supervisor.stdout is None or not supervisor.stdout.readline():
                raise RuntimeError("the server did not start")
            few = _runs(host, folder / "few", env, max(1, episodes // 10))
            many = _runs(host, folder / "many", env, episodes)
        finally:
            supervisor.terminate()
            supervisor.communicate()
    first, second = many
    return {
        "episodes": episodes,
        "first_run_seconds": round(first.run, 2),
        "episodes_per_second": round(episodes / first.run, 1),
        "second_run_seconds": round(second.run, 3),
        "times_faster_with_nothing_new": round(first.run / second.run, 1),
        "whole_command_seconds": [round(first.command, 2), round(second.command, 2)],
        "whole_command_times_faster": round(first.command / second.command, 1),
        "whole_command_cpu_seconds": [round(first.cpu, 2), round(second.cpu, 2)],
        "peak_megabytes": round(first.peak / 1e6),
        "peak_beside_a_tenth_of_the_episodes": round(first.peak / few[0].peak, 2),
    }


def _runs(host: Host, corpus: Path, env: dict[str, str], episodes: int) -> tuple[RunCost, RunCost]:
    arguments = ["podcast", "--json", "--output-dir", str(corpus), "--rss", publish(host, episodes)]
    first, second = timed(arguments, env), timed(arguments, env)
    if (first.counts["new"], second.counts["unchanged"]) != (episodes, episodes):
        raise RuntimeError(f"unexpected counts: {first.counts}, {second.counts}")
    return first, second


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        print(json.dumps(measure(Path(folder), arguments.episodes), indent=1))


if __name__ == "__main__":
    main()
