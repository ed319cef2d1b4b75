"""Identifying processes. A pid alone is never trusted or signalled: pids wrap, and kill(pid, 0) succeeds on zombies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

from nexus.operator.guarded_path import GuardedPath
from nexus.system.processes import all_processes

JOB_COOKIE = "PIPELINE_JOB_ID"
RUNNER_MODULE = "nexus.operator.jobs.runner"
# The second is its name in 0.1.0: a job that was started before an upgrade still runs under it.
RUNNER_MODULES = {RUNNER_MODULE, "nexus.operator.job_runner"}
CLEANUP_SECONDS = 60
MAX_CLEANUP_REASON = 500
KILL_WAIT_SECONDS = 5


def identity(pid: int) -> str | None:
    """Constant while the process runs, different for a later process with the same pid; None: no such process."""
    try:
        if sys.platform == "linux":
            # After the last ')': a process may put any bytes into its name. Field 22 is the start in clock ticks.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            return f"{_boot_id()}:{int(fields[19])}"
        return str(psutil.Process(pid).create_time())
    except (OSError, psutil.Error, IndexError):
        return None


@cache
def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def kill_if_same(pid: int, expected: str) -> bool:
    """Signal through a descriptor taken before the check, so that the pid cannot be reused in between."""
    if not hasattr(os, "pidfd_open"):
        if identity(pid) != expected:
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return True
    with _PidFd(pid) as fd:
        if fd is None or identity(pid) != expected:
            return False
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
        return True


def kill_runners_with(lock_file: GuardedPath) -> list[int]:
    """Kill job runners that have this lock open. The kernel says which they are: pids in files of the corpus are not
    trusted."""
    lock = lock_file.entry()
    runners = [(process, identity(process.pid)) for process in all_processes() if process.pid != os.getpid()]
    return [
        process.pid
        for process, known in runners
        if lock and known and _has_open(process, RUNNER_MODULES, lock) and kill_if_same(process.pid, known)
    ]


def has_open(pid: int, module: str, path: Path) -> bool:
    """Whether this process runs that module and has that file open: any program can take the name, but not open the
    file."""
    with suppress(psutil.Error, OSError):
        return _has_open(psutil.Process(pid), {module}, path.stat())
    return False


def _has_open(process: psutil.Process, modules: set[str], lock: os.stat_result) -> bool:
    with suppress(psutil.Error, OSError):
        if modules.isdisjoint(process.cmdline()):
            return False
        opened = [f"/proc/{process.pid}/fd/{file.fd}" if file.fd >= 0 else file.path for file in process.open_files()]
        return any(os.path.samestat(Path(path).stat(), lock) for path in opened)
    return False


def kill_strays(job_ids: set[str]) -> list[int]:
    """Kill what jobs that are over left running: processes with their cookie. They have ended when this returns, so
    that the next job does not meet them. Returns their pids."""
    killed: dict[int, str] = {}
    for process in all_processes():
        with suppress(psutil.Error, OSError):
            if process.environ().get(JOB_COOKIE) not in job_ids:
                continue
            known = identity(process.pid)
            # Read again after the identity: the two belong together only if the process did not change meanwhile.
            if known and process.environ().get(JOB_COOKIE) in job_ids and kill_if_same(process.pid, known):
                killed[process.pid] = known
    give_up = time.monotonic() + KILL_WAIT_SECONDS
    while any(_is_alive(pid, known) for pid, known in killed.items()) and time.monotonic() < give_up:
        time.sleep(0.01)
    return list(killed)


def _is_alive(pid: int, known: str) -> bool:
    try:
        return identity(pid) == known and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def run_cleanup(argv: Sequence[str], environment: Mapping[str, str]) -> None:
    """End what is not our child: a container. One that is gone already is no failure. OSError, SubprocessError: it may
    still run."""
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        timeout=CLEANUP_SECONDS,
        check=False,
    )
    if done.returncode != 0 and b"no such container" not in done.stderr.lower():
        reason = done.stderr.decode("utf-8", "replace").strip()[:MAX_CLEANUP_REASON]
        raise subprocess.SubprocessError(reason or f"{argv[0]} ended with code {done.returncode}")


class _PidFd:
    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._fd: int | None = None

    def __enter__(self) -> int | None:
        with suppress(OSError):
            self._fd = os.pidfd_open(self._pid)
        return self._fd

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            os.close(self._fd)
