"""Small real programs to run as jobs, and a corpus to run them in."""
# ruff: noqa: ARG002 - a Command is told the job's id, which only a container needs

import json
import os
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from nexus.operator.corpus import Corpus
from nexus.operator.jobs.launch import Rules
from nexus.operator.jobs.listener import Listener
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.jobs.records import Job
from tests.processes import eventually

PYTHON_NEEDS = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
OVER = {"succeeded", "failed", "cancelled", "stale"}


@dataclass(frozen=True)
class Script:
    """A Python program in place of the pipeline."""

    source: str
    arguments: tuple[str, ...] = ()
    cwd: str | None = None

    def argv(self, job_id: str) -> tuple[str, ...]:
        return (sys.executable, "-c", textwrap.dedent(self.source), *self.arguments)

    def cleanup(self, job_id: str) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True)
class Argv:
    words: tuple[str, ...]
    afterwards: tuple[str, ...] = ()
    cwd: str | None = None

    def argv(self, job_id: str) -> tuple[str, ...]:
        return self.words

    def cleanup(self, job_id: str) -> tuple[str, ...]:
        return self.afterwards


def exits_with(code: int) -> Script:
    return Script(f"raise SystemExit({code})")


SLEEPS = Script("import time; print('sleeping', flush=True); time.sleep(600)")


def waits_for(path: Path) -> Script:
    """Runs until the file appears, then succeeds."""
    return Script(
        """
        import pathlib, sys, time
        print("waiting", flush=True)
        while not pathlib.Path(sys.argv[1]).exists():
            time.sleep(0.02)
        """,
        (str(path),),
    )


def rules(**values: object) -> Rules:
    settings = {"environment": PYTHON_NEEDS, "runner_environment": PYTHON_NEEDS, "cancel_grace_seconds": 1} | values
    return Rules(**settings)  # type: ignore[arg-type]


def processes_of(root: Path) -> list[psutil.Process]:
    """Whoever works in this corpus: every process of a job starts there."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(root) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue  # it ended while we looked
    return found


@dataclass
class Bench:
    """One queue on one corpus, with the questions tests ask."""

    root: Path
    queue: JobQueue = field(init=False)
    values: dict[str, object] = field(default_factory=dict)
    listener: Listener = field(default_factory=Listener)

    def __post_init__(self) -> None:
        self.listener.open()
        self.restart()

    def restart(self, **values: object) -> JobQueue:
        """A new process' view of the same corpus: nothing is remembered but what is on disk."""
        self.queue = JobQueue(Corpus(self.root), rules(**(self.values | values)), self.listener)
        return self.queue

    def job(self, job_id: str) -> Job:
        return self.queue.registry.job(job_id)

    def started(self, job: Job) -> int:
        """The pipeline's pid, once it has one."""
        eventually(lambda: self._pid(job), f"{job.job_id} did not start: {self.log(job)}")
        return self._pid(job) or 0

    def _pid(self, job: Job) -> int | None:
        path = self.queue.corpus.job_dir(job.job_id) / "started.json"
        pid = json.loads(path.read_text())["pid"] if path.exists() else None
        return int(pid) if pid else None

    def runner(self, job: Job) -> int:
        self.started(job)
        path = self.queue.corpus.job_dir(job.job_id) / "started.json"
        return int(json.loads(path.read_text())["runner_pid"])

    def log(self, job: Job) -> str:
        path = self.queue.corpus.log(job.job_id)
        return path.read_text() if path.exists() else ""

    def ends(self, job: Job) -> Job:
        """Sweeping, as the server does, until the job is over."""

        def over() -> bool:
            self.queue.sweep()
            return self.job(job.job_id).status in OVER

        eventually(over, f"{job.job_id} did not end: {self.log(job)}")
        return self.job(job.job_id)
