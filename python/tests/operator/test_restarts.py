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
from tests.operator.scripts import PYTHON_NEEDS, SLEEPS, Bench, Script, exits_with, processes_of, waits_for
from tests.processes import eventually

STARTER = """
import os, sys
from pathlib import Path
from tests.operator.scripts import Bench, Script

bench = Bench(Path(sys.argv[1]))
job = bench.enqueue(Script(sys.argv[2]))
print(job.job_id, flush=True)
{then}
"""


def started_elsewhere(root: Path, source: str, then: str = "os.kill(os.getpid(), 9)") -> str:
    """A job whose starter is killed right after the start; its id."""
    command = [sys.executable, "-c", STARTER.format(then=then), str(root), source]
    path = os.pathsep.join(sys.path)
    done = subprocess.run(command, env=PYTHON_NEEDS | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.stdout.strip()


def test_job_of_a_killed_server_goes_on_and_its_true_exit_code_is_learned(bench: Bench, tmp_path: Path) -> None:
    source = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.02)\nraise SystemExit(7)"
    job = bench.job(started_elsewhere(tmp_path, source))
    bench.started(job)
    bench.queue.sweep()
    assert bench.job(job.job_id).status == "running"
    (tmp_path / "go").touch()
    done = bench.ends(job)
    assert (done.status, done.exit_code) == ("failed", 7)


def test_without_any_server_the_runner_itself_settles_and_promotes(bench: Bench, tmp_path: Path) -> None:
    """Nobody sweeps here: the job's starter is dead, and the test only reads."""
    bench.programs.configure(tmp_path)
    first = started_elsewhere(tmp_path, "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.02)")
    second = bench.enqueue(exits_with(5))
    assert second.status == "queued"
    (tmp_path / "go").touch()
    eventually(lambda: bench.job(second.job_id).status == "failed", "nobody promoted the next job")
    assert bench.job(first).status == "succeeded"
    assert bench.job(second.job_id).exit_code == 5


def test_starter_that_lives_but_does_not_listen_is_not_waited_for(bench: Bench, tmp_path: Path) -> None:
    """As a command does that is just leaving when the job it started ends."""
    leaving = STARTER.format(then="bench.listener.close(); sys.stdin.read()")
    command = [sys.executable, "-c", leaving, str(tmp_path), "raise SystemExit(6)"]
    environment = PYTHON_NEEDS | {"PYTHONPATH": os.pathsep.join(sys.path)}
    starter = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert starter.stdout
    job_id = starter.stdout.readline().strip()
    eventually(lambda: bench.job(job_id).status == "failed", "nobody settled it")
    assert bench.job(job_id).exit_code == 6
    starter.communicate()


def test_starter_killed_before_it_gave_its_orders_has_started_nothing(bench: Bench, tmp_path: Path) -> None:
    """Killed between the record and the process: the job is still to be run, and runs once."""
    ran = "open('ran', 'a').write('x')"
    die = "import nexus.operator.jobs.queue as q; q.launch = lambda *_: os.kill(os.getpid(), 9)"
    command = [sys.executable, "-c", STARTER.format(then="").replace("bench =", f"{die}; bench ="), str(tmp_path), ran]
    environment = PYTHON_NEEDS | {"PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    (job,) = bench.queue.registry.jobs()
    assert job.status == "running"
    report = bench.queue.sweep()
    assert report.changes[0] == f"{job.job_id}: running → queued"
    assert bench.ends(job).status == "succeeded"
    assert (tmp_path / "ran").read_text() == "x"


def test_runner_that_never_gets_going_is_given_up_after_three_starts(bench: Bench) -> None:
    bench.restart(runner_environment=PYTHON_NEEDS | {"PYTHONHOME": "/nowhere"})
    done = bench.ends(bench.enqueue(exits_with(0)))
    assert done.status == "failed"
    assert done.error_reason
    assert done.error_reason.startswith("spawn_failed: the job runner died")
    assert done.starts == 3


def test_directory_that_somebody_removed_is_not_run_again(bench: Bench, tmp_path: Path) -> None:
    job = bench.enqueue(SLEEPS)
    runner, pid = bench.runner(job), bench.started(job)
    directory = bench.queue.corpus.job_dir(job.job_id)
    directory.remove_tree()
    assert bench.ends(job).error_reason == "orphan_reconciled_dead_pid"
    eventually(lambda: not psutil.pid_exists(pid), "the cookie did not find the pipeline")
    os.kill(runner, signal.SIGKILL)


def test_machine_that_was_switched_off(bench: Bench) -> None:
    """After a boot no lock is held and another process may have the runner's pid."""
    job = bench.enqueue(SLEEPS)
    files = JobFiles(bench.queue.corpus.job_dir(job.job_id))
    os.kill(bench.runner(job), signal.SIGKILL)
    facts = json.loads(files.started_file.path.read_text()) | {
        "runner_pid": os.getpid(),
        "runner_identity": "other-boot:1",
    }
    files.started_file.path.write_text(json.dumps(facts))
    assert bench.ends(job).error_reason == "orphan_reconciled_dead_pid"


def test_two_servers_never_run_two_jobs_at_once(bench: Bench, tmp_path: Path) -> None:
    counts = Script(
        """
        import fcntl, time
        with open("alone", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if another job is running
            time.sleep(0.1)
        """
    )
    other = Bench(tmp_path)
    jobs = [each.enqueue(counts) for each in (bench, other) for _ in range(3)]

    def all_over() -> bool:
        bench.queue.sweep()
        other.queue.sweep()
        return not bench.queue.registry.active()

    eventually(all_over, "the queue did not become empty")
    assert {bench.job(job.job_id).status for job in jobs} == {"succeeded"}


def test_more_may_run_at_once_where_the_operator_says_so(bench: Bench, tmp_path: Path) -> None:
    bench.restart(max_running=2)
    jobs = [bench.enqueue(waits_for(tmp_path / "go"), feed=f"{number:012}") for number in range(3)]
    assert [bench.job(job.job_id).status for job in jobs] == ["running", "running", "queued"]
    (tmp_path / "go").touch()
    assert {bench.ends(job).status for job in jobs} == {"succeeded"}


def test_reconcile_removes_what_killed_processes_left(bench: Bench, tmp_path: Path) -> None:
    done = bench.ends(bench.enqueue(exits_with(0)))
    bench.queue.corpus.job_dir(done.job_id).make_directory()
    stray = subprocess.Popen(["sleep", "600"], cwd=tmp_path, env=PYTHON_NEEDS | {"PIPELINE_JOB_ID": done.job_id})
    stranger = subprocess.Popen(["sleep", "600"], cwd=tmp_path, env=PYTHON_NEEDS | {"PIPELINE_JOB_ID": "somebody-else"})
    report = bench.queue.sweep(thorough=True)
    assert report.changes == [f"killed process {stray.pid}, left over by a job that had ended"]
    assert stray.wait() == -signal.SIGKILL
    assert not bench.queue.corpus.job_dir(done.job_id).exists()
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()
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
        assert kill_runners_with(path) == ([process.pid] if killed else [])
    finally:
        process.kill()
        process.wait()
