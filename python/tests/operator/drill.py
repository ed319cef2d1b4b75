"""The job drill: servers, runners and pipelines are killed at random; afterwards no job or process is left over.

Used by a short, seeded test and by ``python -m bench.job_drill``, which runs it in full size.
"""

import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil
import pytest

from nexus.errors import DiskFullError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.files import JobFiles, JobStart
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.jobs.records import Job
from tests.operator.disks_and_pids import SmallDisk, unrelated_process_with
from tests.operator.scripts import Programs, Script, job_settings, processes_of
from tests.processes import ServerProcess, eventually

# Records its start and end, and an overlap with another job of the corpus.
WORKS = """
import fcntl, os, sys, time
notes = sys.argv[3]  # away from a disk that may be full
def say(word):
    fd = os.open(f"{notes}/trace", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, f"{word} {os.environ['PIPELINE_JOB_ID']}\\n".encode())
say("start")
alone = open(f"{notes}/alone", "w")
try:
    fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    say("overlap")
time.sleep(float(sys.argv[1]))
say("end")
sys.exit(int(sys.argv[2]))
"""


@dataclass
class Drill:
    disk: SmallDisk
    notes: Path
    start_server: Callable[[], ServerProcess]
    jobs: int
    server_kills: int
    seed: int
    programs: Programs
    log: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    killed: set[str] = field(default_factory=set)
    cancelled: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.root = self.disk.root
        corpora = [self.root, self.root / "second", self.root / "third"]
        for path in corpora:
            path.mkdir(exist_ok=True)
            self._notes(path).mkdir()
        # They only enqueue jobs; the servers start them.
        self.queues = [
            JobQueue(CorpusDirectory(path), job_settings(max_running=0), self.programs.build) for path in corpora
        ]
        self.unrelated: list[psutil.Popen] = []

    def run(self) -> None:
        self.servers = [self.start_server(), self.start_server()]
        actions = [
            self.kill_runner,
            self.kill_pipeline,
            self.cancel,
            self.append_torn_line,
            self.append_garbage,
            self.fill_the_disk,
        ]
        self.random.shuffle(actions)
        kill_after = {round((n + 1) * self.jobs / (self.server_kills + 1)) for n in range(self.server_kills)}
        for number in range(self.jobs):
            self.enqueue(self.random.choice(self.queues))
            if number % 2:
                actions[number // 2 % len(actions)]()
            if number in kill_after:
                self.kill_server()
        while len([line for line in self.log if line == "kill_server"]) < self.server_kills:
            self.kill_server()
        self.reuse_a_pid()
        eventually(lambda: not self.active(), "jobs are still active")

    def stop(self) -> None:
        self.unrelated_survived = all(unrelated.poll() is None for unrelated in self.unrelated)
        for server in self.servers:
            server.terminate()
        for unrelated in self.unrelated:
            unrelated.kill()
            unrelated.wait()

    def active(self) -> list[tuple[str, str]]:
        return [(job.job_id, job.status) for queue in self.queues for job in queue.registry.active()]

    def enqueue(self, queue: JobQueue, padding: str = "") -> None:
        code = self.random.choice([0, 0, 0, 1, 3])
        seconds = self.random.choice([0.05, 0.2, 0.6])
        self.add(queue, seconds, code, padding)

    def add(self, queue: JobQueue, seconds: float, code: int, padding: str = "") -> Job:
        arguments = (str(seconds), str(code), str(self._notes(queue.corpus.root)), padding)
        self.programs.next = Script(WORKS, arguments)
        job = queue.enqueue()
        self.codes[job.job_id] = code
        self.request_sweep(queue)
        return job

    def request_sweep(self, queue: JobQueue) -> None:
        """By itself a server sweeps every 30 seconds."""
        server = self.random.choice(self.servers)
        path = queue.corpus.root.relative_to(self.root)
        with suppress(httpx2.HTTPError):
            httpx2.post(f"{server.url}/api/jobs/reconcile", params={"path": str(path)}, timeout=60)

    def kill_server(self) -> None:
        self.log.append("kill_server")
        index = self.random.randrange(len(self.servers))
        self.servers[index].kill()
        self.servers[index] = self.start_server()

    def running_job(self) -> JobStart:
        """The processes of a job that would run for ten minutes."""
        queue = self.random.choice(self.queues)
        job = self.add(queue, seconds=600, code=0)
        self.killed.add(job.job_id)
        return self._runs(queue, job)

    def _runs(self, queue: JobQueue, job: Job) -> JobStart:
        files = JobFiles(queue.corpus.job_dir(job.job_id))

        def runs() -> bool:
            started = files.started()
            if not (started and started.pid):
                self.request_sweep(queue)
            return bool(started and started.pid)

        eventually(runs, "the job did not start")
        started = files.started()
        assert started
        return started

    def kill_runner(self) -> None:
        self.log.append("kill_runner")
        os.kill(self.running_job().runner_pid, signal.SIGKILL)

    def kill_pipeline(self) -> None:
        self.log.append("kill_pipeline")
        os.kill(self.running_job().pid or 0, signal.SIGKILL)

    def cancel(self) -> None:
        found = [(queue, job) for queue in self.queues for job in queue.registry.active()]
        if found:
            self.log.append("cancel")
            queue, job = self.random.choice(found)
            self.cancelled.add(job.job_id)
            queue.cancel(job.job_id)
            self.request_sweep(queue)

    def append_torn_line(self) -> None:
        """As if a writer had been killed in the middle of its line."""
        self.log.append("append_torn_line")
        self._write_raw(b'{"job_id":"torn')

    def append_garbage(self) -> None:
        self.log.append("append_garbage")
        self._write_raw(b"\x00garbage\xff\n")

    def _write_raw(self, data: bytes) -> None:
        queue = self.random.choice(self.queues)
        with queue.registry.locked(), queue.corpus.journal.path.open("ab") as file:
            file.write(data)

    def fill_the_disk(self) -> None:
        """A job that was refused must not exist; one accepted before waits, and its outcome is not lost."""
        self.log.append("fill_the_disk")
        queue = self.random.choice(self.queues)
        self.enqueue(queue)
        with self.disk.full(psutil.Process(), *(psutil.Process(server.process.pid) for server in self.servers)):
            with pytest.raises(DiskFullError):
                self.enqueue(queue, padding="x" * 5000)  # more than is left of the registry's last block
            self.request_sweep(queue)

    def reuse_a_pid(self) -> None:
        """All servers and then the runner are killed, and another process has its pid when the next servers start."""
        self.log.append("reuse_a_pid")
        queue = self.queues[0]
        job = self.add(queue, seconds=600, code=0)
        started = self._runs(queue, job)
        self.killed.add(job.job_id)
        for server in self.servers:
            server.kill()
        runner = psutil.Process(started.runner_pid)
        runner.kill()
        eventually(lambda: not runner.is_running(), "the runner did not end")
        self.unrelated.append(unrelated_process_with(started.runner_pid, JobFiles(queue.corpus.job_dir(job.job_id))))
        self.servers = [self.start_server(), self.start_server()]

    def check(self) -> dict[str, int]:
        """Returns how the jobs ended."""
        said = Counter(line for queue in self.queues for line in self._trace(queue))
        records = {job.job_id: job for queue in self.queues for job in queue.registry.jobs()}
        assert set(records) == set(self.codes), "a job was lost or invented"
        assert [line for line in said if line.startswith("overlap")] == [], "two jobs ran at once"
        assert [line for line, count in said.items() if count > 1] == [], "a job ran twice"
        for job_id, job in records.items():
            self._check_outcome(job, started=f"start {job_id}" in said, ended=f"end {job_id}" in said)
        assert self.unrelated_survived, "an unrelated process was killed"
        # A runner whose server was killed becomes the process that settles its job: that may end after the job.
        eventually(lambda: not processes_of(self.root), "a process was left")
        assert [path for queue in self.queues for path in queue.corpus.jobs.path.iterdir() if path.is_dir()] == []
        return dict(Counter(job.error_reason or job.status for job in records.values()))

    def _trace(self, queue: JobQueue) -> list[str]:
        path = self._notes(queue.corpus.root) / "trace"
        return path.read_text().splitlines() if path.exists() else []

    def _notes(self, corpus: Path) -> Path:
        return self.notes / f"notes-{corpus.name}"

    def _check_outcome(self, job: Job, *, started: bool, ended: bool) -> None:
        """Its own exit code, or what the kill or the cancel causes."""
        facts = (job.status, job.error_reason, started, ended)
        code = self.codes[job.job_id]
        own = (job.status, job.exit_code) == (("failed", code) if code else ("succeeded", 0))
        by_cancel = job.job_id in self.cancelled and job.status == "cancelled"
        by_kill = job.job_id in self.killed and job.error_reason in {"orphan_reconciled_dead_pid", "exit_code_-9"}
        assert own or by_cancel or by_kill, facts
        assert not own or (started and ended), facts
        assert job.ended_at, facts
        if job.error_reason == "cancelled_before_start":
            assert not started, facts
