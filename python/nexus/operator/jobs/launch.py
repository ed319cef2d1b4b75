"""Starting the job runner, which inherits the job's lock, so that the lock is held all the time."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.command import Command, container_removal
from nexus.operator.jobs.processes import JOB_COOKIE, RUNNER_MODULE
from nexus.operator.jobs.records import Job
from nexus.operator.jobs.runner import RunnerTask
from nexus.system.file_lock import FileLock

PYTHON = [sys.executable, "-P", "-m"]


@dataclass(frozen=True)
class JobSettings:
    """How jobs are run here, as the operator set it."""

    max_running: int = 1
    stale_seconds: float = 86_400
    cancel_grace_seconds: float = 10
    log_max_bytes: int = 50 * 1024 * 1024
    environment: dict[str, str] = field(default_factory=dict)  # what the pipeline needs, and nothing else
    runner_environment: dict[str, str] = field(default_factory=dict)  # what Python itself needs
    secrets: tuple[str, ...] = ()


def launch(
    corpus: CorpusDirectory, job: Job, command: Command, lock: FileLock, settings: JobSettings
) -> "subprocess.Popen[bytes]":
    """OSError: nothing was started. When this returns, the runner has inherited the lock; its stdin stays open."""
    log = corpus.log(job.job_id).open(os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        process = subprocess.Popen(
            [*PYTHON, RUNNER_MODULE, str(lock.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd=corpus.root,
            env=settings.runner_environment,
            pass_fds=[lock.fileno()],
            start_new_session=True,
        )
    finally:
        os.close(log)
    if process.stdin is None:
        raise OSError("the job runner has no stdin")
    # A runner that dies before it has read its task has started nothing: the next sweep sees that.
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(asdict(_runner_task(corpus, job, command, settings))).encode() + b"\n")
        process.stdin.flush()
    return process


def _runner_task(corpus: CorpusDirectory, job: Job, command: Command, settings: JobSettings) -> RunnerTask:
    return RunnerTask(
        corpus=str(corpus.root),
        job_id=job.job_id,
        log_max_bytes=settings.log_max_bytes,
        argv=list(command.argv),
        cleanup=list(container_removal(job.job_id)) if command.exec_mode == "docker" else [],
        cwd=command.cwd or str(corpus.root),
        environment=settings.environment | {JOB_COOKIE: job.job_id},
        secrets=list(settings.secrets),
        grace_seconds=settings.cancel_grace_seconds,
        next_command=[*PYTHON, "nexus.operator.sweep_once", str(corpus.root)],
        next_environment=settings.environment,
        next_cwd=command.cwd or str(corpus.root),
    )
