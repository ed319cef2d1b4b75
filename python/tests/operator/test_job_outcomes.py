"""Every status and every reason, reached by a real process."""

import os
import signal
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from nexus.errors import ConflictError, NotFoundError
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.queue import startable
from nexus.operator.jobs.records import Job, JobOptions, Status, now
from tests.operator.disks_and_pids import stranger_with
from tests.operator.scripts import SLEEPS, Argv, Bench, Script, exits_with, processes_of, waits_for
from tests.processes import eventually

FEEDS = {"a": "a" * 12, "b": "b" * 12, "c": "c" * 12}


def test_success(bench: Bench) -> None:
    job = bench.enqueue(Script("print('hello')"))
    assert job.status == "running"
    done = bench.ends(job)
    assert (done.status, done.exit_code, done.error_reason) == ("succeeded", 0, None)
    assert bench.log(done) == "hello\n"
    assert done.started_at
    assert done.ended_at
    assert done.started_at <= done.ended_at
    assert done.pid
    assert not bench.queue.corpus.job_dir(job.job_id).exists()


@pytest.mark.parametrize("code", [1, 2, 130])
def test_failure_keeps_the_exit_code(bench: Bench, code: int) -> None:
    done = bench.ends(bench.enqueue(exits_with(code)))
    assert (done.status, done.exit_code, done.error_reason) == ("failed", code, f"exit_code_{code}")


def test_killed_pipeline_fails_with_its_signal(bench: Bench) -> None:
    job = bench.enqueue(SLEEPS)
    os.kill(bench.started(job), signal.SIGKILL)
    done = bench.ends(job)
    assert (done.status, done.exit_code, done.error_reason) == ("failed", -9, "exit_code_-9")


def test_program_that_is_not_there(bench: Bench) -> None:
    done = bench.ends(bench.enqueue(Argv(("no-such-program-at-all",))))
    assert done.status == "failed"
    assert done.error_reason == "spawn_failed: [Errno 2] No such file or directory: 'no-such-program-at-all'"
    assert "could not be started" in bench.log(done)


def test_killed_runner_takes_the_pipeline_along_and_the_queue_moves_on(bench: Bench) -> None:
    first, second = bench.enqueue(SLEEPS), bench.enqueue(exits_with(0))
    pipeline = psutil.Process(bench.started(first))
    os.kill(bench.runner(first), signal.SIGKILL)
    done = bench.ends(first)
    assert (done.status, done.exit_code, done.error_reason) == ("failed", None, "orphan_reconciled_dead_pid")
    eventually(lambda: not pipeline.is_running(), "the pipeline outlived its runner")
    assert bench.ends(second).status == "succeeded"


def test_too_long_is_stopped_and_stale(bench: Bench) -> None:
    first, second = bench.enqueue(SLEEPS), bench.enqueue(exits_with(0))
    pid = bench.started(first)
    bench.restart(stale_seconds=0.001)
    report = bench.queue.sweep()
    assert any("being stopped" in change for change in report.changes)
    bench.restart(stale_seconds=3600)
    done = bench.ends(first)
    assert (done.status, done.error_reason) == ("stale", "wall_clock_stale")
    assert not psutil.pid_exists(pid)
    assert bench.ends(second).status == "succeeded"


def test_stale_rule_can_be_turned_off(bench: Bench, tmp_path: Path) -> None:
    job = bench.enqueue(waits_for(tmp_path / "go"))
    bench.restart(stale_seconds=0)
    assert bench.queue.sweep().changes == []
    (tmp_path / "go").touch()
    assert bench.ends(job).status == "succeeded"


def test_cancel_before_it_ran(bench: Bench) -> None:
    first, second = bench.enqueue(SLEEPS), bench.enqueue(SLEEPS)
    assert second.status == "queued"
    done = bench.queue.cancel(second.job_id)
    assert (done.status, done.error_reason) == ("cancelled", "cancelled_before_start")
    assert done.ended_at
    assert bench.job(first.job_id).status == "running"


def test_cancel_while_the_runner_is_still_starting(bench: Bench) -> None:
    job = bench.enqueue(Script("print('ran')"))
    bench.queue.cancel(job.job_id)
    done = bench.ends(job)
    if done.error_reason == "cancelled_before_start":
        assert "ran" not in bench.log(done)
    assert done.status in {"cancelled", "succeeded"}


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


def test_cancel_lets_the_pipeline_end_by_itself_within_the_grace(bench: Bench) -> None:
    bench.restart(cancel_grace_seconds=3600)
    job = bench.enqueue(CLEANS_UP)
    eventually(lambda: "ready" in bench.log(job), "it did not start")
    bench.queue.cancel(job.job_id)
    done = bench.ends(job)
    assert (done.status, done.exit_code) == ("cancelled", 1)
    assert bench.log(done) == "ready\n[nexus: stopping: cancelled]\ncleaned up\n"


def test_cancel_kills_every_process_that_ignores_sigterm(bench: Bench, tmp_path: Path) -> None:
    job = bench.enqueue(GRANDCHILDREN)
    eventually(lambda: "ready" in bench.log(job), "the tree did not start")
    eventually(lambda: len(processes_of(tmp_path)) == 5, "runner, pipeline and three more")
    assert bench.queue.cancel(job.job_id).cancel_requested
    eventually(lambda: not processes_of(tmp_path), "a process survived")
    done = bench.ends(job)
    assert (done.status, done.error_reason, done.exit_code) == ("cancelled", "cancelled", -signal.SIGKILL)


def test_cancel_twice_and_after_the_end(bench: Bench) -> None:
    job = bench.enqueue(SLEEPS)
    bench.started(job)
    assert bench.queue.cancel(job.job_id) == bench.queue.cancel(job.job_id)
    done = bench.ends(job)
    assert bench.queue.cancel(job.job_id) == done
    assert done.status == "cancelled"


def test_cancel_that_comes_too_late_does_not_hide_a_success(bench: Bench) -> None:
    job = bench.enqueue(exits_with(0))
    eventually(JobFiles(bench.queue.corpus.job_dir(job.job_id)).exit_file.exists, "did not end")
    bench.queue.cancel(job.job_id)
    assert bench.ends(job).status == "succeeded"


def test_what_a_finished_job_left_running_is_ended(bench: Bench, tmp_path: Path) -> None:
    daemon = Script("import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True)")
    done = bench.ends(bench.enqueue(daemon))
    assert done.status == "succeeded"
    eventually(lambda: not processes_of(tmp_path), "the daemon was left")


def test_daemon_of_a_killed_runner_is_found_by_its_cookie(bench: Bench, tmp_path: Path) -> None:
    job = bench.enqueue(GRANDCHILDREN)
    eventually(lambda: "ready" in bench.log(job), "the tree did not start")
    os.kill(bench.runner(job), signal.SIGKILL)
    assert bench.ends(job).error_reason == "orphan_reconciled_dead_pid"
    eventually(lambda: not processes_of(tmp_path), "somebody survived")


def test_frozen_runner_is_killed_after_a_cancel(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nexus.operator.jobs.queue.OVERDUE_SECONDS", 0)
    bench.restart(cancel_grace_seconds=0.1)
    job = bench.enqueue(SLEEPS)
    os.kill(bench.runner(job), signal.SIGSTOP)
    bench.queue.cancel(job.job_id)
    assert bench.ends(job).status == "cancelled"


def test_pid_of_somebody_else_is_never_signalled(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst case: a stranger has got the runner's pid, and yet the job's lock says that it goes on."""
    monkeypatch.setattr("nexus.operator.jobs.queue.OVERDUE_SECONDS", 0)
    bench.restart(cancel_grace_seconds=0)
    job = bench.enqueue(SLEEPS)
    runner, files = bench.runner(job), JobFiles(bench.queue.corpus.job_dir(job.job_id))
    os.kill(runner, signal.SIGKILL)
    eventually(lambda: not psutil.pid_exists(runner), "the runner is not gone")
    stranger = stranger_with(runner, files)
    with files.lock as lock:
        lock.acquire(wait=True)
        bench.queue.cancel(job.job_id)
        assert bench.queue.sweep().changes == []
        assert bench.queue.sweep(thorough=True).changes == []
        bench.restart(stale_seconds=0.001).sweep()
        assert stranger.poll() is None
    assert bench.ends(job).status == "cancelled"
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_only_jobs_that_are_over_can_be_removed(bench: Bench) -> None:
    job = bench.enqueue(SLEEPS)
    with pytest.raises(ConflictError):
        bench.queue.remove(job.job_id)
    bench.queue.cancel(job.job_id)
    bench.ends(job)
    bench.queue.remove(job.job_id)
    assert not bench.queue.corpus.log(job.job_id).exists()
    with pytest.raises(NotFoundError):
        bench.job(job.job_id)
    with pytest.raises(NotFoundError):
        bench.restart().registry.job(job.job_id)


def test_pausing_stops_promotion_and_nothing_else(bench: Bench, tmp_path: Path) -> None:
    first = bench.enqueue(waits_for(tmp_path / "go"))
    bench.queue.pause()
    second = bench.enqueue(exits_with(0))
    (tmp_path / "go").touch()
    assert bench.ends(first).status == "succeeded"
    assert bench.job(second.job_id).status == "queued"
    bench.queue.resume()
    assert bench.ends(second).status == "succeeded"


def jobs_of(words: str) -> list[Job]:
    """``A`` is a run of feed a that goes on, ``a`` one that waits, ``*`` and ``+`` are runs of all feeds."""
    return [_job(seq, word) for seq, word in enumerate(words.split(), 1)]


def _job(seq: int, word: str) -> Job:
    status: Status = "running" if word.isupper() or word == "*" else "queued"
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
def test_who_may_start(active: str, room: int, starts: list[int]) -> None:
    assert [job.seq for job in startable(jobs_of(active), room)] == starts
