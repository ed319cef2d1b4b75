"""The process beside every job: ``python -m nexus.operator.jobs.runner LOCK_FD``, its task as a line of JSON on stdin.

It inherits the job's lock from the process that starts it and holds it until it ends, so a started job never looks
free. It outlives the server, runs the pipeline in a process group of its own, writes its log, ends everything the
pipeline started, and records the exit code.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from nexus.db.supervisor_names import SUPERVISOR_LOCK, SUPERVISOR_MODULE
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.capped_log import CappedLog
from nexus.operator.jobs.files import JobEnd, JobFiles, JobStart
from nexus.operator.jobs.processes import has_open, identity, run_cleanup
from nexus.system.descendants import become_subreaper, die_with_parent, end_children

POLL_SECONDS = 0.2
LEFTOVER_GRACE_SECONDS = 1.0
RETRY_SECONDS = 1.0
CHUNK_BYTES = 64 * 1024
MAX_REASON = 300


@dataclass(frozen=True)
class RunnerTask:
    corpus: str
    job_id: str
    log_max_bytes: int
    argv: list[str]
    cleanup: list[str]
    cwd: str
    environment: dict[str, str]
    secrets: list[str]
    grace_seconds: float
    next_command: list[str]
    next_environment: dict[str, str]
    next_cwd: str


class JobRunner:
    def __init__(self, task: RunnerTask) -> None:
        self._runner_task = task
        corpus = CorpusDirectory(Path(task.corpus))
        self._files = JobFiles(corpus.job_dir(task.job_id))
        self._log = CappedLog(corpus.log(task.job_id), task.log_max_bytes, task.secrets)
        self._main_pid = 0
        self._exit_code: int | None = None
        self._stopped: str | None = None
        self._signalled = False
        self._kill_at = float("inf")

    def run(self) -> JobEnd:
        if reason := self._files.stop_reason():
            return self._end(stopped=reason, before_start=True)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        become_subreaper()
        me = JobStart(os.getpid(), identity(os.getpid()))
        self._files.write_started(me)
        reader, writer = os.pipe()
        try:
            child = self._spawn(writer)
        except (OSError, ValueError) as error:
            return self._end(spawn_error=str(error)[:MAX_REASON])
        finally:
            os.close(writer)
        with suppress(OSError):  # a full disk: the pid is only shown
            self._files.write_started(JobStart(me.runner_pid, me.runner_identity, child.pid))
        self._watch(reader)
        child.returncode = self._exit_code  # reaped by us, not by subprocess
        self._finish(reader)
        return self._end(exit_code=self._exit_code, stopped=self._stopped)

    def _spawn(self, output: int) -> subprocess.Popen[bytes]:
        task = self._runner_task
        child = subprocess.Popen(
            task.argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=task.cwd,
            env=task.environment,
            process_group=0,
            preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509 - this process has one thread
        )
        self._main_pid = child.pid
        return child

    def _watch(self, reader: int) -> None:
        """Until the pipeline itself has ended: copy its output, reap, and check for a stop request."""
        with selectors.DefaultSelector() as selector:
            selector.register(reader, selectors.EVENT_READ)
            while self._exit_code is None:
                if selector.select(POLL_SECONDS) and not self._copy(reader):
                    selector.unregister(reader)  # all its holders closed it; they may still run
                self._reap()
                self._stop_if_requested()

    def _copy(self, reader: int) -> bool:
        chunk = os.read(reader, CHUNK_BYTES)
        self._log.write(chunk)
        return bool(chunk)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._main_pid:
                self._exit_code = os.waitstatus_to_exitcode(status)

    def _stop_if_requested(self) -> None:
        if self._exit_code is not None:
            return
        if self._stopped is None:
            self._stopped = self._files.stop_reason() or ("signal" if self._signalled else None)
            if self._stopped:
                self._kill_at = time.monotonic() + self._runner_task.grace_seconds
                self._log.note(f"stopping: {self._stopped}")
                os.killpg(self._main_pid, signal.SIGTERM)
        elif time.monotonic() >= self._kill_at:
            os.killpg(self._main_pid, signal.SIGKILL)

    def _finish(self, reader: int) -> None:
        in_time = time.monotonic() < self._kill_at
        end_children(LEFTOVER_GRACE_SECONDS if in_time else 0, self._reap, self._is_database_supervisor)
        os.set_blocking(reader, False)
        try:
            while self._copy(reader):
                pass
        except BlockingIOError:
            self._log.note("a process that could not be ended still holds the output")

    def _is_database_supervisor(self, pid: int) -> bool:
        """If the pipeline was the first to need the embedded database, its supervisor descends from us. It is not the
        job's: it serves every process that uses the data directory, and ends by itself after the last of them."""
        data_dir = self._runner_task.environment.get("NEXUS_DATA_DIR")
        return data_dir is not None and has_open(pid, SUPERVISOR_MODULE, Path(data_dir) / SUPERVISOR_LOCK)

    def _end(self, **facts: Any) -> JobEnd:
        ended = JobEnd(datetime.now(UTC).isoformat(), **facts)
        if ended.spawn_error:
            self._log.note(f"the pipeline could not be started: {ended.spawn_error}")
        self._log.close()
        while True:
            try:
                self._files.write_ended(ended)
            except OSError:
                time.sleep(RETRY_SECONDS)  # until it is written, the job counts as running
            else:
                return ended

    def _on_signal(self, *_: object) -> None:
        self._signalled = True


def main() -> None:
    lock = int(sys.argv[1])
    os.set_inheritable(lock, False)
    text = sys.stdin.buffer.readline()
    if not text.endswith(b"\n"):
        return  # the starter was killed before it wrote the task: the job is still to be started
    task = RunnerTask(**json.loads(text))
    ended = JobRunner(task).run()
    if task.cleanup and (ended.stopped or ended.exit_code != 0):  # docker compose may have died without its container
        _remove_container(task)
    os.close(lock)
    if not _has_listener():  # then this process settles the job and starts the next
        os.chdir(task.next_cwd)
        os.execve(task.next_command[0], task.next_command, task.next_environment)  # noqa: S606


def _remove_container(task: RunnerTask) -> None:
    try:
        run_cleanup(task.cleanup, task.environment)
    except (OSError, subprocess.SubprocessError) as error:
        with suppress(OSError):
            log = CappedLog(CorpusDirectory(Path(task.corpus)).log(task.job_id), task.log_max_bytes, task.secrets)
            log.note(f"the container could not be removed and may still run: {error}")
            log.close()


def _has_listener() -> bool:
    os.set_blocking(sys.stdin.fileno(), False)
    try:
        return bool(os.read(sys.stdin.fileno(), 1))
    except BlockingIOError:
        return True


if __name__ == "__main__":
    main()
