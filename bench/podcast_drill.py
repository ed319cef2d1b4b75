"""kill -9 at 20 random points of a run, each followed by an undisturbed one: is the result the same?

    python -m bench.podcast_drill [--kills N] [--seed N]

Each round begins a fresh corpus and library, kills once at a random point (counted in system calls that change
files or connect), runs again and compares corpus and library with those of an undisturbed run.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from tests.conftest import copied_database, settings_for
from tests.podcasts.host import Host, podcast_host
from tests.podcasts.killing import corpus_state, environment, kill_points, library_state, publish, run, run_and_kill

LAST_CALL = 300  # an undisturbed run makes some 320


def measure(folder: Path, kills: int, seed: int) -> dict[str, Any]:
    server = EmbeddedServer(folder / "data")
    server.start()
    try:
        with copied_database(server, "template_bench", None) as template:
            with Database(settings_for(server, template)) as database:
                upgrade(database.engine)
            with podcast_host() as host:
                return _rounds(server, template, host, folder, kill_points(seed, kills, LAST_CALL))
    finally:
        server.stop()


def _rounds(server: EmbeddedServer, template: str, host: Host, folder: Path, after: list[int]) -> dict[str, Any]:
    feed = publish(host)
    good = _one(server, template, feed, folder / "good", None)
    killed, equal = 0, 0
    for number, calls in enumerate(after):
        state = _one(server, template, feed, folder / f"round-{number}", calls)
        killed += state["killed"]
        equal += (state["corpus"], state["library"]) == (good["corpus"], good["library"])
    return {"rounds": len(after), "really_killed": killed, "ended_like_undisturbed": equal, "points": after}


def _one(server: EmbeddedServer, template: str, feed: str, corpus: Path, calls: int | None) -> dict[str, Any]:
    with copied_database(server, "bench_round", template) as name:
        url = settings_for(server, name).database_url or ""
        env = environment(url, corpus.parent)
        killed = run_and_kill(corpus, feed, env, calls) if calls else False
        done = run(corpus, feed, env)
        if done.returncode != 0:
            raise RuntimeError(done.stderr[-2000:])
        return {"killed": killed, "corpus": corpus_state(corpus), "library": library_state(url)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nexus-bench-") as folder:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        print(json.dumps(measure(Path(folder), arguments.kills, arguments.seed), indent=1))


if __name__ == "__main__":
    main()
