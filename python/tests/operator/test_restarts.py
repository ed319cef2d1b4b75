"""A queue whose servers come and go: nothing is remembered but what is on disk."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.files import JobFiles, guarded_lock
from nexus.operator.jobs.processes import kill_runners_with
from tests.operator.scripts import (
    PYTHON_NEEDS,
    SLEEPS,
    QueueHarness,
    Script,
    exits_with,
    processes_of,
    sleeping,
    waits_for,
)
from tests.processes import eventually

STARTER = """
import os, sys
from pathlib import Path
from tests.operator.scripts import QueueHarness, Script

harness = QueueHarness(Path(sys.argv[1]))
job = harness.enqueue(Script(sys.argv[2]))
print(job.job_id, flush=True)
{then}
"""


def started_by_killed_process(root: Path, source: str, then: str = "os.kill(os.getpid(), 9)") -> str:
    """A job whose starter is killed right after the start; its id."""
    command = [sys.executable, "-c", STARTER.format(then=then), str(root), source]
    path = os.pathsep.join(sys.path)
    done = subprocess.run(command, env=PYTHON_NEEDS | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.stdout.strip()


def test_job_of_a_killed_server_goes_on_and_keeps_its_exit_code(harness: QueueHarness, tmp_path: Path) -> None:
    source = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.02)\nraise SystemExit(7)"
    job = harness.job(started_by_killed_process(tmp_path, source))
    harness.started(job)
    harness.queue.sweep()
    assert harness.job(job.job_id).status == "running"
    (tmp_path / "go").touch()
    done = harness.ends(job)
    assert (done.status, done.exit_code) == ("failed", 7)


def test_without_any_server_the_runner_itself_settles_and_promotes(harness: QueueHarness, tmp_path: Path) -> None:
    """Nothing sweeps here: the job's starter is dead, and the test only reads."""
    harness.programs.configure(tmp_path)
    first = started_by_killed_process(
        tmp_path, "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.02)"
    )
    second = harness.enqueue(exits_with(5))
    assert second.status == "queued"
    (tmp_path / "go").touch()
    eventually(lambda: harness.job(second.job_id).status == "failed", "the next job was not started")
    assert harness.job(first).status == "succeeded"
    assert harness.job(second.job_id).exit_code == 5


def test_starter_that_is_alive_but_does_not_listen_is_not_waited_for(harness: QueueHarness, tmp_path: Path) -> None:
    """As a command that is just exiting when the job it started ends."""
    exiting = STARTER.format(then="harness.listener.close(); sys.stdin.read()")
    command = [sys.executable, "-c", exiting, str(tmp_path), "raise SystemExit(6)"]
    environment = PYTHON_NEEDS | {"PYTHONPATH": os.pathsep.join(sys.path)}
    starter = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert starter.stdout
    job_id = starter.stdout.readline().strip()
    eventually(lambda: harness.job(job_id).status == "failed", "it was not settled")
    assert harness.job(job_id).exit_code == 6
    starter.communicate()


def test_starter_killed_before_the_launch_has_started_nothing(harness: QueueHarness, tmp_path: Path) -> None:
    """Killed between the record and the process: the job is still to be run, and runs once."""
    ran = "open('ran', 'a').write('x')"
    die = "import nexus.operator.jobs.queue as q; q.launch = lambda *_: os.kill(os.getpid(), 9)"
    command = [
        sys.executable,
        "-c",
        STARTER.format(then="").replace("harness =", f"{die}; harness ="),
        str(tmp_path),
        ran,
    ]
    environment = PYTHON_NEEDS | {"PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    (job,) = harness.queue.registry.jobs()
    assert job.status == "running"
    report = harness.queue.sweep()
    assert report.changes[0] == f"{job.job_id}: running → queued"
    assert harness.ends(job).status == "succeeded"
    assert (tmp_path / "ran").read_text() == "x"


def test_runner_that_cannot_start_is_given_up_after_three_starts(harness: QueueHarness) -> None:
    harness.restart(runner_environment=PYTHON_NEEDS | {"PYTHONHOME": "/nowhere"})
    done = harness.ends(harness.enqueue(exits_with(0)))
    assert done.status == "failed"
    assert done.error_reason
    assert done.error_reason.startswith("spawn_failed: the job runner died")
    assert done.starts == 3


def test_job_whose_directory_was_removed_is_not_run_again(harness: QueueHarness, tmp_path: Path) -> None:
    job = harness.enqueue(SLEEPS)
    runner, pipeline = harness.runner(job), psutil.Process(harness.started(job))
    directory = harness.queue.corpus.job_dir(job.job_id)
    directory.remove_tree()
    assert harness.ends(job).error_reason == "orphan_reconciled_dead_pid"
    eventually(lambda: not pipeline.is_running(), "the cookie did not find the pipeline")
    os.kill(runner, signal.SIGKILL)


def test_job_is_lost_with_a_power_failure(harness: QueueHarness) -> None:
    """After a boot no lock is held and another process may have the runner's pid."""
    job = harness.enqueue(SLEEPS)
    files = JobFiles(harness.queue.corpus.job_dir(job.job_id))
    os.kill(harness.runner(job), signal.SIGKILL)
    facts = json.loads(files.started_file.path.read_text()) | {
        "runner_pid": os.getpid(),
        "runner_identity": "other-boot:1",
    }
    files.started_file.path.write_text(json.dumps(facts))
    assert harness.ends(job).error_reason == "orphan_reconciled_dead_pid"


def test_two_servers_never_run_two_jobs_at_once(harness: QueueHarness, tmp_path: Path) -> None:
    counts = Script(
        """
        import fcntl, time
        with open("alone", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if another job is running
            time.sleep(0.1)
        """
    )
    other = QueueHarness(tmp_path)
    jobs = [each.enqueue(counts) for each in (harness, other) for _ in range(3)]

    def all_over() -> bool:
        harness.queue.sweep()
        other.queue.sweep()
        return not harness.queue.registry.active()

    eventually(all_over, "the queue did not become empty")
    assert {harness.job(job.job_id).status for job in jobs} == {"succeeded"}


def test_max_running_lets_jobs_run_at_once(harness: QueueHarness, tmp_path: Path) -> None:
    harness.restart(max_running=2)
    jobs = [harness.enqueue(waits_for(tmp_path / "go"), feed=f"{number:012}") for number in range(3)]
    assert [harness.job(job.job_id).status for job in jobs] == ["running", "running", "queued"]
    (tmp_path / "go").touch()
    assert {harness.ends(job).status for job in jobs} == {"succeeded"}


def test_thorough_sweep_removes_what_killed_processes_left(harness: QueueHarness, tmp_path: Path) -> None:
    done = harness.ends(harness.enqueue(exits_with(0)))
    harness.queue.corpus.job_dir(done.job_id).make_directory()
    with (
        sleeping(tmp_path, PIPELINE_JOB_ID=done.job_id) as stray,
        sleeping(tmp_path, PIPELINE_JOB_ID="another") as unrelated,
    ):
        report = harness.queue.sweep(thorough=True)
        assert report.changes == [f"killed process {stray.pid}, left over by a job that had ended"]
        assert stray.wait() == -signal.SIGKILL
        assert not harness.queue.corpus.job_dir(done.job_id).exists()
        assert unrelated.poll() is None
    eventually(lambda: not processes_of(tmp_path), "a process was left")


@pytest.mark.parametrize(
    ("module", "holds_lock", "killed"),
    [
        ("nexus.operator.jobs.runner", True, True),
        ("nexus.operator.job_runner", True, True),
        ("nexus.operator.other", True, False),
        ("nexus.operator.jobs.runner", False, False),
    ],
    ids=["runner", "runner of 0.1.0", "other module", "without the lock"],
)
def test_only_runners_that_hold_the_lock_are_killed(
    tmp_path: Path, module: str, holds_lock: bool, killed: bool
) -> None:
    path = GuardedPath(tmp_path, ("lock",))
    sleep = [sys.executable, "-c", "import time; time.sleep(600)", module]
    with guarded_lock(path) as lock:
        assert lock.acquire()
        process = psutil.Popen(sleep, pass_fds=[lock.fileno()] if holds_lock else [])
    try:
        eventually(process.cmdline, "no command line")  # set some moments after the exec that Popen waits for
        assert kill_runners_with(path) == ([process.pid] if killed else [])
    finally:
        process.kill()
        process.wait()
