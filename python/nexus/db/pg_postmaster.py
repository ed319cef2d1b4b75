"""One PostgreSQL server process: start it, recognise it, stop it."""

import os
import re
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import psutil

from nexus.db.pg_binaries import Binaries
from nexus.db.pg_cluster import PORT, Cluster, server_environment
from nexus.errors import EmbeddedDatabaseError
from nexus.system.descendants import die_with_parent
from nexus.system.processes import all_processes

START_SECONDS = 300  # crash recovery after a long run replays minutes of log
LEFTOVER_SECONDS = 30
STOP_SECONDS = 30
MAX_LOG_BYTES = 5_000_000
STATUS_LINE = 7  # postmaster.pid: pid, data dir, start time, port, socket dir, listen address, memory, status


class Postmaster:
    """A server that this process started, or found running and adopted."""

    def __init__(self, cluster: Cluster, process: psutil.Process | subprocess.Popen[bytes]) -> None:
        self._cluster = cluster
        self._process = process

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_alive(self) -> bool:
        if isinstance(self._process, subprocess.Popen):
            return self._process.poll() is None
        try:
            return self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def stop(self) -> None:
        """Fast shutdown; immediate when that hangs (a backend stuck in the kernel, say)."""
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            give_up = time.monotonic() + STOP_SECONDS
            self._process.send_signal(number)
            # Not wait(): an adopted server stays a zombie if its parent does not reap it.
            while self.is_alive() and time.monotonic() < give_up:
                time.sleep(0.005)
            if not self.is_alive():
                return

    def wait_until_ready(self) -> None:
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            if not self.is_alive():
                raise EmbeddedDatabaseError(f"PostgreSQL did not start: {last_complaint(self._cluster.log_file)}")
            if status(self._cluster) == "ready":
                return
            time.sleep(0.01)
        raise EmbeddedDatabaseError(f"PostgreSQL was not ready after {START_SECONDS} s; see {self._cluster.log_file}")


def start(cluster: Cluster, binaries: Binaries) -> Postmaster:
    _trim_log(cluster.log_file)
    account = cluster.account
    options = account.popen_options() if account else {}
    # preexec_fn is safe: the supervisor's only other thread waits in flock and holds no lock that a child would need.
    with cluster.log_file.open("ab") as log:
        process = subprocess.Popen(
            [binaries.program("postgres"), "-D", str(cluster.pgdata), *_settings(cluster)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cluster.base, umask=0o077,
            env=server_environment(), start_new_session=True, **options,
            preexec_fn=partial(die_with_parent, os.getpid(), signal.SIGINT),  # noqa: PLW1509
        )  # fmt: skip
    return Postmaster(cluster, process)


def adopt_or_clear(cluster: Cluster) -> Postmaster | None:
    """The server already running on this cluster, or None once nothing of an earlier one is left.

    A pid counts only if that process is a postgres working in this very directory: pids are reused.
    """
    if not (cluster.pgdata / "postmaster.pid").exists():
        return None
    give_up = time.monotonic() + LEFTOVER_SECONDS
    while processes := _processes_in(cluster.pgdata):
        postmaster = next((p for p in processes if p.pid == _recorded_pid(cluster)), None)
        if postmaster and status(cluster) == "ready":
            return Postmaster(cluster, postmaster)
        if time.monotonic() > give_up:
            pids = ", ".join(str(p.pid) for p in processes)
            raise EmbeddedDatabaseError(
                f"An earlier PostgreSQL on {cluster.pgdata} does not end (process {pids}); stop it and try again."
            )
        time.sleep(0.05)
    # Its own check of a stale file trusts any process that has the old pid, so the file goes; that is
    # safe only because no process is left in the directory.
    (cluster.pgdata / "postmaster.pid").unlink(missing_ok=True)
    for stale in cluster.socket_dir.glob(f".s.PGSQL.{PORT}*"):
        stale.unlink()
    return None


def status(cluster: Cluster) -> str:
    lines = _pid_file(cluster)
    return lines[STATUS_LINE].strip() if len(lines) > STATUS_LINE else "starting"


def last_complaint(log_file: Path) -> str:
    lines = log_file.read_text(errors="replace").splitlines()[-50:] if log_file.exists() else []
    found = [line for line in lines if re.search(r"FATAL|PANIC|error while loading|cannot", line)]
    return found[-1] if found else f"see {log_file}"


def _settings(cluster: Cluster) -> list[str]:
    settings = {
        "port": PORT,
        "listen_addresses": "",
        "unix_socket_directories": cluster.socket_dir,
        "unix_socket_permissions": "0700",
        "timezone": "UTC",
        "log_timezone": "UTC",
        # Failing statements and row details would put what users save into the log.
        "log_min_error_statement": "panic",
        "log_error_verbosity": "terse",
        "log_min_messages": "warning",
        "idle_in_transaction_session_timeout": "60s",
    }
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]


def _pid_file(cluster: Cluster) -> list[str]:
    try:
        return (cluster.pgdata / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return []


def _recorded_pid(cluster: Cluster) -> int | None:
    lines = _pid_file(cluster)
    return int(lines[0]) if lines and lines[0].strip().isdigit() else None


def _processes_in(pgdata: Path) -> list[psutil.Process]:
    found = []
    for process in all_processes():
        try:
            if process.name() == "postgres" and process.cwd() == str(pgdata):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def _trim_log(log_file: Path) -> None:
    if log_file.exists() and log_file.stat().st_size > MAX_LOG_BYTES:
        os.replace(log_file, log_file.with_suffix(".log.old"))  # noqa: PTH105 - overwrites in one step
