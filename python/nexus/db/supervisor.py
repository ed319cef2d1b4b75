"""The process that runs the embedded server: ``python -m nexus.db.supervisor DATA_DIR``.

It is the server's parent, restarts it when it dies, and stops it when no process uses it any more. One supervisor
per data directory, by file lock. Its first line of output is the result for the process that started it.
"""

import os
import signal
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from nexus.db import pg_postmaster
from nexus.db.pg_binaries import Binaries
from nexus.db.pg_cluster import Cluster
from nexus.db.pg_postmaster import Postmaster
from nexus.errors import EmbeddedDatabaseError

POLL_SECONDS = 0.25
RESTART_SECONDS = (0.1, 5.0)  # the first and the longest pause between restarts
SHARED_MEMORY_SECONDS = 15  # after kill -9 the old backends take a moment to end


class Supervisor:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._stopping = threading.Event()
        self._pause = RESTART_SECONDS[0]

    def run(self) -> int:
        signal.signal(signal.SIGTERM, lambda *_: self._stopping.set())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            binaries = self._cluster.prepare()
            server = _start(self._cluster, binaries)
        except (EmbeddedDatabaseError, OSError) as error:
            _report(f"error {error}")
            return 1
        _report("ready")
        threading.Thread(target=self._wait_for_last_user, daemon=True).start()
        server = self._watch(server, binaries)
        if server.is_alive():
            server.stop()
        return 0

    def _wait_for_last_user(self) -> None:
        # Users hold the lock shared; to hold it exclusively means that no user is left, and new ones wait until the
        # server is down and this process has ended.
        self._cluster.users_lock.acquire(wait=True)
        self._stopping.set()

    def _watch(self, server: Postmaster, binaries: Binaries) -> Postmaster:
        while not self._stopping.wait(POLL_SECONDS):
            if server.is_alive():
                continue
            self._log("the server died; starting it again")
            try:
                server = _start(self._cluster, binaries)
                self._pause = RESTART_SECONDS[0]
            except (EmbeddedDatabaseError, OSError) as error:
                self._log(f"{error}; next try in {self._pause:.1f} s")
                self._stopping.wait(self._pause)
                self._pause = min(self._pause * 2, RESTART_SECONDS[1])
        return server

    def _log(self, text: str) -> None:
        with self._cluster.log_file.open("a") as log:
            log.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f} UTC supervisor: {text}\n")


def _start(cluster: Cluster, binaries: Binaries) -> Postmaster:
    deadline = time.monotonic() + SHARED_MEMORY_SECONDS
    while True:
        server = pg_postmaster.adopt_or_clear(cluster) or pg_postmaster.start(cluster, binaries)
        try:
            server.wait_until_ready()
        except EmbeddedDatabaseError as error:
            if "shared memory" not in error.message or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return server


def _report(line: str) -> None:
    sys.stdout.write(line.replace("\n", " ") + "\n")
    sys.stdout.flush()
    sys.stdout.close()


def main(data_dir: str) -> int:
    if os.fork():  # it outlives the process that started it, which need not wait for it
        os._exit(0)
    cluster = Cluster(Path(data_dir))
    with cluster.supervisor_lock as lock:
        if not lock.acquire():
            _report("busy")
            return 0
        return Supervisor(cluster).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
