"""Small real programs to run as jobs, and a corpus to run them in."""

import json
import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.command import Command
from nexus.operator.jobs.end_listener import JobEndListener
from nexus.operator.jobs.launch import JobSettings
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.jobs.records import Job, JobOptions
from nexus.system.processes import all_processes
from tests.processes import eventually

PYTHON_NEEDS = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
OVER = {"succeeded", "failed", "cancelled", "stale"}


@dataclass(frozen=True)
class Script:
    """A Python program in place of the pipeline."""

    source: str
    arguments: tuple[str, ...] = ()
    cwd: str | None = None

    @property
    def argv(self) -> tuple[str, ...]:
        return (sys.executable, "-c", textwrap.dedent(self.source), *self.arguments)


@dataclass(frozen=True)
class Argv:
    argv: tuple[str, ...]
    cwd: str | None = None


class Programs:
    """What each job runs in place of the pipeline: outside of the corpus, where only the test writes. Processes of the
    test ask ``build``; servers and commands run as their own process are given a ``docker`` that looks up the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.next: Script | Argv = exits_with(0)
        folder.mkdir(exist_ok=True)
        docker = folder / "docker"
        if not docker.exists():
            docker.write_text(f"#!{sys.executable}\n{DOCKER}")
            docker.chmod(0o755)

    @classmethod
    def beside(cls, corpus: Path) -> "Programs":
        return cls(corpus.parent / f"{corpus.name}-programs")

    def build(self, _: CorpusDirectory, job: Job) -> Command:
        """The same again when the job starts, whichever process starts it."""
        known = self.folder / f"{job.job_id}.json"
        if not known.exists():
            draft = self.folder / f"{job.job_id}.draft"
            draft.write_text(json.dumps({"argv": self.next.argv, "cwd": self.next.cwd}))
            draft.replace(known)
        found = json.loads(known.read_text())
        return Command(tuple(found["argv"]), found["cwd"])

    @property
    def environment(self) -> dict[str, str]:
        """For a server of its own: it starts containers, and this is its docker."""
        path = f"{self.folder}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "PODCAST_PIPELINE_EXEC_MODE": "docker"}

    @staticmethod
    def configure(corpus: Path) -> None:
        (corpus / "viewer_operator.yaml").write_text("pipeline_install_extras: ml\n")


DOCKER = """
import json, os, pathlib, sys
words = sys.argv[1:]
if words[0] == "compose":
    job_id = words[words.index("--name") + 1].removeprefix("nexus-job-")
    program = json.loads((pathlib.Path(__file__).parent / f"{job_id}.json").read_text())
    corpus = words[words.index("--output-dir") + 1]
    os.chdir(program["cwd"] or corpus)
    os.execvp(program["argv"][0], program["argv"])
"""


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


@contextmanager
def sleeping(folder: Path, **environment: str) -> Iterator[psutil.Popen]:
    """A process that is no job's, ended with the block."""
    given = PYTHON_NEEDS | environment
    process = psutil.Popen(["sleep", "3600"], cwd=folder, env=given)
    try:
        # Set some moments after the exec that Popen waits for; a sweep looks into it.
        eventually(lambda: given.items() <= process.environ().items(), "it has no environment")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def job_settings(**values: object) -> JobSettings:
    settings = {"environment": PYTHON_NEEDS, "runner_environment": PYTHON_NEEDS, "cancel_grace_seconds": 1} | values
    return JobSettings(**settings)  # type: ignore[arg-type]


def processes_of(root: Path) -> list[psutil.Process]:
    """Processes whose working directory is in this corpus: every process of a job starts there."""
    found = []
    for process in all_processes():
        try:
            if Path(process.cwd()).is_relative_to(root) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, FileNotFoundError):
            continue  # it ended meanwhile
    return found


@dataclass
class QueueHarness:
    """One queue on one corpus, with what tests need to know about its jobs."""

    root: Path
    queue: JobQueue = field(init=False)
    programs: Programs = field(init=False)
    values: dict[str, object] = field(default_factory=dict)
    listener: JobEndListener = field(default_factory=JobEndListener)

    def __post_init__(self) -> None:
        self.listener.open()
        self.programs = Programs.beside(self.root)
        self.restart()

    def restart(self, **values: object) -> JobQueue:
        """A new process' view of the same corpus: nothing is remembered but what is on disk."""
        self.queue = JobQueue(
            CorpusDirectory(self.root), job_settings(**(self._values | values)), self.programs.build, self.listener
        )
        return self.queue

    @property
    def _values(self) -> dict[str, object]:
        """A runner that is left alone starts the next job itself, in this environment."""
        return {"environment": PYTHON_NEEDS | self.programs.environment} | self.values

    def enqueue(self, program: "Script | Argv", **options: Any) -> Job:
        self.programs.next = program
        return self.queue.enqueue(JobOptions(**options))

    def job(self, job_id: str) -> Job:
        return self.queue.registry.job(job_id)

    def started(self, job: Job) -> int:
        """The pipeline's pid, once it has one."""
        eventually(lambda: self._pid(job), f"{job.job_id} did not start: {self.log(job)}")
        return self._pid(job) or 0

    def _pid(self, job: Job) -> int | None:
        path = self.queue.corpus.job_dir(job.job_id).path / "started.json"
        pid = json.loads(path.read_text())["pid"] if path.exists() else None
        return int(pid) if pid else None

    def runner(self, job: Job) -> int:
        self.started(job)
        path = self.queue.corpus.job_dir(job.job_id).path / "started.json"
        return int(json.loads(path.read_text())["runner_pid"])

    def log(self, job: Job) -> str:
        path = self.queue.corpus.log(job.job_id).path
        return path.read_text() if path.exists() else ""

    def ends(self, job: Job) -> Job:
        """Sweeping, as the server does, until the job is over."""

        def over() -> bool:
            self.queue.sweep()
            return self.job(job.job_id).status in OVER

        eventually(over, f"{job.job_id} did not end: {self.log(job)}")
        return self.job(job.job_id)
