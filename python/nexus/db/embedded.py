"""The embedded PostgreSQL, as the processes that use it see it: start, connect, stop.

Every process that needs the database is a user and holds a shared lock while it lives. The first one starts a
supervisor (supervisor.py), which stops the server when no user is left.
"""

import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psycopg

from nexus.config import inherited_environment
from nexus.db.pg_cluster import PORT, Cluster
from nexus.db.supervisor_names import SUPERVISOR_MODULE
from nexus.errors import EmbeddedDatabaseError

START_SECONDS = 330  # a little more than the supervisor allows a crash recovery
RESTART_WAIT_SECONDS = 15  # how long a request waits for a server that was killed under it


class EmbeddedServer:
    def __init__(self, data_dir: Path) -> None:
        self._cluster = Cluster(data_dir.expanduser().absolute())

    @property
    def data_dir(self) -> Path:
        return self._cluster.data_dir

    @property
    def bin_dir(self) -> Path:
        return self._cluster.binaries.bin_dir

    def start(self) -> None:
        self._cluster.claim_data_dir()
        deadline = time.monotonic() + START_SECONDS
        # Refused only while a supervisor is just stopping the server; then this is the start of a new one.
        while not self._cluster.users_lock.acquire(shared=True):
            if time.monotonic() > deadline:
                raise EmbeddedDatabaseError(f"The PostgreSQL in {self.data_dir} has been stopping for minutes.")
            time.sleep(0.02)
        try:
            self.ensure_running()
        except BaseException:
            self._cluster.users_lock.release()
            raise

    def ensure_running(self, seconds: float = START_SECONDS) -> None:
        """Return when the server takes connections, starting a supervisor if there is none."""
        deadline = time.monotonic() + seconds
        while True:
            # Also when the server accepts connections: without a supervisor nothing would stop it.
            if self._cluster.supervisor_lock.is_free():
                self._start_supervisor()
            if self._accepts():
                return
            if time.monotonic() > deadline:
                raise EmbeddedDatabaseError(
                    f"PostgreSQL in {self.data_dir} does not respond; see {self._cluster.log_file}"
                )
            time.sleep(0.02)

    def connect_arguments(self) -> dict[str, Any]:
        return {
            "host": str(self._cluster.socket_dir),
            "port": PORT,
            "user": "nexus",
            "dbname": "nexus",
            "password": self._cluster.password(),
        }

    def connect(self, **options: Any) -> psycopg.Connection[Any]:
        """Connect, after a restart of the server if it was killed."""
        try:
            return psycopg.connect(**(self.connect_arguments() | options))
        except psycopg.OperationalError:
            self.ensure_running(RESTART_WAIT_SECONDS)
            return psycopg.connect(**(self.connect_arguments() | options))

    def stop(self) -> None:
        """If no other process uses the server, return when it is down."""
        self._cluster.users_lock.release()
        deadline = time.monotonic() + START_SECONDS
        # The supervisor may take the lock only after we looked: its end alone says that the server is down.
        while not self._cluster.supervisor_lock.is_free() and time.monotonic() < deadline:
            # Twice: another process that stops, too, looks at the same lock, and is no user for that.
            if self._has_users() and self._has_users():
                return
            time.sleep(0.02)

    def _has_users(self) -> bool:
        """In this order: a supervisor that takes the lock in between is no user."""
        lock = self._cluster.users_lock
        return not lock.is_free() and lock.is_free(shared=True)

    def _accepts(self) -> bool:
        try:
            arguments = self.connect_arguments()
        except FileNotFoundError:
            return False
        try:
            psycopg.connect(**arguments, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _start_supervisor(self) -> None:
        with subprocess.Popen(
            [sys.executable, "-P", "-m", SUPERVISOR_MODULE, str(self.data_dir)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
            env=inherited_environment("PATH", "PYTHONPATH", "LANG", "TMPDIR"), start_new_session=True,
        ) as starter:  # fmt: skip
            assert starter.stdout is not None  # noqa: S101 - PIPE above
            assert starter.stderr is not None  # noqa: S101
            if not select.select([starter.stdout], [], [], START_SECONDS)[0]:
                raise EmbeddedDatabaseError(f"PostgreSQL did not start in {START_SECONDS} s.")
            outcome = starter.stdout.readline().strip()
            if not outcome:
                errors = starter.stderr.read().strip().splitlines()
                raise EmbeddedDatabaseError(f"PostgreSQL's supervisor ended: {errors[-1] if errors else 'no message'}")
        if outcome.startswith("error "):
            raise EmbeddedDatabaseError(outcome.removeprefix("error "))
