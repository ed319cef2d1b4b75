"""Every status and every reason, reached by a real process."""

import logging
import os
import signal
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from nexus.db.supervisor_names import SUPERVISOR_LOCK, SUPERVISOR_MODULE
from nexus.errors import ConflictError, NotFoundError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.job_outcome import inspect_job
from nexus.operator.jobs.launch import launch
from nexus.operator.jobs.queue import startable, sweep_and_log
from nexus.operator.jobs.records import Job, JobOptions, JobStatus, now
from tests.operator.disks_and_pids import unrelated_process_with
from tests.operator.scripts import PYTHON_NEEDS, SLEEPS, Argv, QueueHarness, Script, exits_with, processes_of, waits_for
from tests.processes import eventually

FEEDS = {"a": "a" * 12, "b": "b" * 12, "c": "c" * 12}


def test_success(harness: QueueHarness) -> None:
    job = harness.enqueue(Script("print('hello')"))
    assert job.status == "running"
    done = harness.ends(job)
    assert (done.status, done.exit_code, done.error_reason) == ("succeeded", 0, None)
    assert harness.log(done) == "hello\n"
    assert done.started_at
    assert done.ended_at
    assert done.started_at <= done.ended_at
    assert done.pid
    assert not harness.queue.corpus.job_dir(job.job_id).exists()


@pytest.mark.parametrize("code", [1, 2, 130])
def test_failure_keeps_the_exit_code(harness: QueueHarness, code: int) -> None:
    done = harness.ends(harness.enqueue(exits_with(code)))
    assert (done.status, done.exit_code, done.error_reason) == ("failed", code, f"exit_code_{code}")


def test_killed_pipeline_fails_with_its_signal(harness: QueueHarness) -> None:
    job = harness.enqueue(SLEEPS)
    os.kill(harness.started(job), signal.SIGKILL)
    done = harness.ends(job)
    assert (done.status, done.exit_code, done.error_reason) == ("failed", -9, "exit_code_-9")


def test_missing_program(harness: QueueHarness) -> None:
    done = harness.ends(harness.enqueue(Argv(("no-such-program-at-all",))))
    assert done.status == "failed"
    assert done.error_reason == "spawn_failed: [Errno 2] No such file or directory: 'no-such-program-at-all'"
    assert "could not be started" in harness.log(done)


def test_pipeline_of_a_killed_runner_ends_and_the_next_job_starts(harness: QueueHarness) -> None:
    first, second = harness.enqueue(SLEEPS), harness.enqueue(exits_with(0))
    pipeline = psutil.Process(harness.started(first))
    os.kill(harness.runner(first), signal.SIGKILL)
    done = harness.ends(first)
    assert (done.status, done.exit_code, done.error_reason) == ("failed", None, "orphan_reconciled_dead_pid")
    eventually(lambda: not pipeline.is_running(), "the pipeline outlived its runner")
    assert harness.ends(second).status == "succeeded"


def test_job_that_runs_too_long_is_stopped_as_stale(harness: QueueHarness) -> None:
    first, second = harness.enqueue(SLEEPS), harness.enqueue(exits_with(0))
    pipeline = psutil.Process(harness.started(first))
    harness.restart(stale_seconds=0.001)
    report = harness.queue.sweep()
    assert any("being stopped" in change for change in report.changes)
    harness.restart(stale_seconds=3600)
    done = harness.ends(first)
    assert (done.status, done.error_reason) == ("stale", "wall_clock_stale")
    assert not pipeline.is_running()
    assert harness.ends(second).status == "succeeded"


def test_what_a_sweep_changes_is_logged(harness: QueueHarness, caplog: pytest.LogCaptureFixture) -> None:
    job = harness.enqueue(exits_with(0))
    files = JobFiles(harness.queue.corpus.job_dir(job.job_id))
    eventually(lambda: inspect_job(files) == "ended", "it did not end")
    with caplog.at_level(logging.INFO):
        sweep_and_log(harness.queue)
    (line,) = [each for each in caplog.text.splitlines() if job.job_id in each]
    assert "job changed" in line
    assert "running → succeeded" in line


def test_stale_rule_can_be_turned_off(harness: QueueHarness, tmp_path: Path) -> None:
    job = harness.enqueue(waits_for(tmp_path / "go"))
    harness.restart(stale_seconds=0)
    assert harness.queue.sweep().changes == []
    (tmp_path / "go").touch()
    assert harness.ends(job).status == "succeeded"


def test_cancel_before_it_ran(harness: QueueHarness) -> None:
    first, second = harness.enqueue(SLEEPS), harness.enqueue(SLEEPS)
    assert second.status == "queued"
    done = harness.queue.cancel(second.job_id)
    assert (done.status, done.error_reason) == ("cancelled", "cancelled_before_start")
    assert done.ended_at
    assert harness.job(first.job_id).status == "running"


def test_cancel_while_the_runner_is_still_starting(harness: QueueHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    def launch_cancelled(corpus: CorpusDirectory, job: Job, *others: Any) -> Any:
        JobFiles(corpus.job_dir(job.job_id)).stop.replace_with(b"cancelled")
        return launch(corpus, job, *others)

    monkeypatch.setattr("nexus.operator.jobs.queue.launch", launch_cancelled)
    done = harness.ends(harness.enqueue(Script("print('ran')")))
    assert (done.status, done.error_reason) == ("cancelled", "cancelled_before_start")
    assert "ran" not in harness.log(done)


GRANDCHILDREN = Script(
    """
    import os, signal, subprocess, sys, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", stubborn])
    subprocess.Popen([sys.executable, "-c", stubborn], start_new_session=True)
    if os.fork() == 0:  # a daemon: a session of its own, and its parent is gone
        os.setsid()
        if os.fork():
            os._exit(0)
        os.execv(sys.executable, [sys.executable, "-c", stubborn])
    print("ready", flush=True)
    time.sleep(600)
    """
)


CLEANS_UP = Script(
    """
    import signal, sys, time
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("cleaned up"))
    print("ready", flush=True)
    time.sleep(600)
    """
)


def test_cancel_lets_the_pipeline_end_by_itself_within_the_grace(harness: QueueHarness) -> None:
    harness.restart(cancel_grace_seconds=3600)
    job = harness.enqueue(CLEANS_UP)
    eventually(lambda: "ready" in harness.log(job), "it did not start")
    harness.queue.cancel(job.job_id)
    done = harness.ends(job)
    assert (done.status, done.exit_code) == ("cancelled", 1)
    assert harness.log(done) == "ready\n[nexus: stopping: cancelled]\ncleaned up\n"


def test_cancel_kills_every_process_that_ignores_sigterm(harness: QueueHarness, tmp_path: Path) -> None:
    job = harness.enqueue(GRANDCHILDREN)
    eventually(lambda: "ready" in harness.log(job), "the tree did not start")
    eventually(lambda: len(processes_of(tmp_path)) == 5, "runner, pipeline and three more")
    assert harness.queue.cancel(job.job_id).cancel_requested
    eventually(lambda: not processes_of(tmp_path), "a process survived")
    done = harness.ends(job)
    assert (done.status, done.error_reason, done.exit_code) == ("cancelled", "cancelled", -signal.SIGKILL)


def test_cancel_twice_and_after_the_end(harness: QueueHarness) -> None:
    job = harness.enqueue(SLEEPS)
    harness.started(job)
    assert harness.queue.cancel(job.job_id) == harness.queue.cancel(job.job_id)
    done = harness.ends(job)
    assert harness.queue.cancel(job.job_id) == done
    assert done.status == "cancelled"


def test_cancel_after_the_exit_does_not_hide_a_success(harness: QueueHarness) -> None:
    job = harness.enqueue(exits_with(0))
    eventually(JobFiles(harness.queue.corpus.job_dir(job.job_id)).exit_file.exists, "did not end")
    harness.queue.cancel(job.job_id)
    assert harness.ends(job).status == "succeeded"


def test_what_a_finished_job_left_running_is_ended(harness: QueueHarness, tmp_path: Path) -> None:
    daemon = Script("import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)")
    done = harness.ends(harness.enqueue(daemon))
    assert done.status == "succeeded"
    eventually(lambda: not processes_of(tmp_path), "the daemon was left")


def test_supervisor_in_name_only_is_ended_with_its_job(harness: QueueHarness, tmp_path: Path) -> None:
    """That of the embedded database is spared for the lock that it holds, not for its command line."""
    lock = tmp_path / "data" / SUPERVISOR_LOCK
    lock.parent.mkdir()
    lock.touch()
    harness.restart(environment=PYTHON_NEEDS | {"NEXUS_DATA_DIR": str(lock.parent)})
    pretender = Script(
        """
        import subprocess, sys
        command = [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[1]]
        subprocess.Popen(command, env={}, start_new_session=True)
        """,
        (SUPERVISOR_MODULE,),
    )
    assert harness.ends(harness.enqueue(pretender)).status == "succeeded"
    eventually(lambda: not processes_of(tmp_path), "it was left")


def test_daemon_of_a_killed_runner_is_found_by_its_cookie(harness: QueueHarness, tmp_path: Path) -> None:
    job = harness.enqueue(GRANDCHILDREN)
    eventually(lambda: "ready" in harness.log(job), "the tree did not start")
    os.kill(harness.runner(job), signal.SIGKILL)
    assert harness.ends(job).error_reason == "orphan_reconciled_dead_pid"
    eventually(lambda: not processes_of(tmp_path), "a process survived")


def test_frozen_runner_is_killed_after_a_cancel(harness: QueueHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nexus.operator.jobs.queue.OVERDUE_SECONDS", 0)
    harness.restart(cancel_grace_seconds=0.1)
    job = harness.enqueue(SLEEPS)
    os.kill(harness.runner(job), signal.SIGSTOP)
    harness.queue.cancel(job.job_id)
    assert harness.ends(job).status == "cancelled"


def test_reused_pid_is_never_signalled(harness: QueueHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst case: another process has the runner's pid, and yet the job's lock is held."""
    monkeypatch.setattr("nexus.operator.jobs.queue.OVERDUE_SECONDS", 0)
    harness.restart(cancel_grace_seconds=0)
    job = harness.enqueue(SLEEPS)
    runner, files = harness.runner(job), JobFiles(harness.queue.corpus.job_dir(job.job_id))
    killed = psutil.Process(runner)
    killed.kill()
    eventually(lambda: not killed.is_running(), "the runner did not end")
    unrelated = unrelated_process_with(runner, files)
    try:
        with files.lock as lock:
            lock.acquire(wait=True)
            harness.queue.cancel(job.job_id)
            assert harness.queue.sweep().changes == []
            assert harness.queue.sweep(thorough=True).changes == []
            harness.restart(stale_seconds=0.001).sweep()
            assert unrelated.poll() is None
        assert harness.ends(job).status == "cancelled"
        assert unrelated.poll() is None
    finally:
        unrelated.kill()
        unrelated.wait()


def test_only_jobs_that_are_over_can_be_removed(harness: QueueHarness) -> None:
    job = harness.enqueue(SLEEPS)
    with pytest.raises(ConflictError):
        harness.queue.remove(job.job_id)
    harness.queue.cancel(job.job_id)
    harness.ends(job)
    harness.queue.remove(job.job_id)
    assert not harness.queue.corpus.log(job.job_id).exists()
    with pytest.raises(NotFoundError):
        harness.job(job.job_id)
    with pytest.raises(NotFoundError):
        harness.restart().registry.job(job.job_id)


def test_pause_only_stops_new_starts(harness: QueueHarness, tmp_path: Path) -> None:
    first = harness.enqueue(waits_for(tmp_path / "go"))
    harness.queue.pause()
    second = harness.enqueue(exits_with(0))
    (tmp_path / "go").touch()
    assert harness.ends(first).status == "succeeded"
    assert harness.job(second.job_id).status == "queued"
    harness.queue.resume()
    assert harness.ends(second).status == "succeeded"


def jobs_of(words: str) -> list[Job]:
    """``A`` is a run of feed a that goes on, ``a`` one that waits, ``*`` and ``+`` are runs of all feeds."""
    return [_job(seq, word) for seq, word in enumerate(words.split(), 1)]


def _job(seq: int, word: str) -> Job:
    status: JobStatus = "running" if word.isupper() or word == "*" else "queued"
    options = JobOptions(feed=FEEDS.get(word.lower()))
    return Job(job_id=str(uuid4()), seq=seq, status=status, created_at=now(), options=options)


@pytest.mark.parametrize(
    ("active", "room", "starts"),
    [
        ("a b", 2, [1, 2]),
        ("a b c", 2, [1, 2]),
        ("A b", 2, [2]),
        ("A a b", 2, [3]),
        ("A a", 2, []),
        ("+ a", 2, [1]),
        ("* a", 2, []),
        ("A +", 2, []),
        ("A + b", 3, []),  # b would keep the run of all feeds waiting
        ("A a a b", 4, [4]),
        ("a", 0, []),
        ("A B c", 2, []),
        ("", 2, []),
    ],
)
def test_which_jobs_may_start(active: str, room: int, starts: list[int]) -> None:
    assert [job.seq for job in startable(jobs_of(active), room)] == starts
