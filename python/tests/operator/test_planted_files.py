"""A corpus that others write too: what they put below .viewer is data, never a command, a path or a pid to trust."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
import pytest

from nexus.config import load_settings
from nexus.errors import CorpusWriteError, NexusError
from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.processes import identity
from nexus.operator.jobs.queue import sweep_and_log
from nexus.operator.jobs.records import JobOptions, now
from nexus.operator.service import Operator
from tests.operator.conftest import EVERYTHING, OperatorServer
from tests.operator.scripts import SLEEPS, QueueHarness, exits_with, sleeping, waits_for
from tests.processes import eventually, has_ended


def record(**values: object) -> dict[str, Any]:
    return {"job_id": str(uuid4()), "seq": 1, "status": "queued", "created_at": now().isoformat()} | values


def plant(corpus: Path, *records: object) -> None:
    (corpus / ".viewer/jobs").mkdir(parents=True, exist_ok=True)
    with (corpus / ".viewer/jobs.jsonl").open("a") as file:
        file.writelines(json.dumps(each) + "\n" for each in records)


def test_argv_of_a_line_is_never_run(served: OperatorServer, tmp_path: Path) -> None:
    proof, job_id = tmp_path / "proof", str(uuid4())
    command = ["touch", str(proof)]
    plant(
        served.corpus, record(job_id=job_id, argv=command, cleanup=command, cwd="/", argv_summary=json.dumps(command))
    )
    served.programs.next = exits_with(0)
    assert served.http.post("/api/jobs/reconcile").status_code == 200
    assert served.ends(job_id)["status"] == "succeeded"
    assert not proof.exists()
    assert "touch" not in served.job(job_id)["argv_summary"]


def test_cleanup_of_a_lost_line_is_never_run(served: OperatorServer, tmp_path: Path) -> None:
    proof, job_id = tmp_path / "proof", str(uuid4())
    plant(served.corpus, record(job_id=job_id, status="running", cleanup=["touch", str(proof)], argv=["x"]))
    served.http.post("/api/jobs/reconcile")
    assert served.ends(job_id)["error_reason"] == "orphan_reconciled_dead_pid"
    assert not proof.exists()


@pytest.mark.parametrize(
    "values",
    [
        {"job_id": "../../../victim"},
        {"job_id": "/etc"},
        {"job_id": "."},
        {"job_id": str(uuid4()).upper()},
        {"job_id": 7},
        {"job_id": str(uuid4()) + "\n"},
        {"pid": "1; rm"},
        {"pid": -1},
        {"seq": 10**30},
        {"seq": True},
        {"status": "other"},
        {"created_at": "0001-01-01T00:00:00+14:00"},
        {"started_at": "2026-01-01T00:00:00"},
        {"options": {"feed": "--output-dir=/"}},
        {"options": {"max_episodes": "3"}},
        {"options": {"max_episodes": -1}},
        {"options": {"argv": ["touch"]}},
        {"schedule": "../x"},
        {"error_reason": "x" * 100_000},
        {"starts": "many"},
        {"cancel_requested": "yes"},
    ],
)
def test_line_that_is_no_record_is_skipped_and_counted(harness: QueueHarness, values: dict[str, object]) -> None:
    plant(harness.root, record(status="running") | values)
    harness.queue.sweep(thorough=True)
    assert (harness.queue.registry.jobs(), harness.queue.registry.bad_lines) == ([], 1)


def test_server_goes_on_and_reports_skipped_lines(
    served: OperatorServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").touch()
    plant(served.corpus, record(status="running", job_id="../../../victim"))
    response = served.http.post("/api/jobs/reconcile")
    assert (response.status_code, response.json()["skipped_lines"]) == (200, 1)
    listed = served.http.get("/api/jobs").json()
    assert (listed["jobs"], listed["skipped_lines"]) == ([], 1)
    assert "nexus_job_registry_skipped_lines 1.0" in served.http.get("/metrics").text
    assert "were skipped" in caplog.text
    assert (victim / "file").exists()
    assert served.ends(served.run(exits_with(0))["job_id"])["status"] == "succeeded"


def test_tombstone_of_a_path_is_skipped(harness: QueueHarness) -> None:
    plant(harness.root, {"removed": "../../etc"}, {"schedule_mark": "../x", "expression": "x", "served_until": None})
    assert harness.queue.registry.bad_lines == 2


def test_mark_from_the_future_does_not_delay_a_schedule(served: OperatorServer) -> None:
    (served.corpus / "viewer_operator.yaml").write_text("scheduled_jobs: [{name: often, cron: '* * * * *'}]\n")
    mark = {"schedule_mark": "often", "expression": "* * * * * UTC", "served_until": "2999-01-01T00:00:00Z"}
    plant(served.corpus, mark)
    (entry,) = served.http.get("/api/scheduled-jobs").json()["scheduled_jobs"]
    assert entry["next_run_at"] < "2999"


def link(place: Path, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def test_thorough_sweep_removes_only_directories_of_jobs(harness: QueueHarness, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    kept = outside / str(uuid4()) / "kept"
    kept.mkdir(parents=True)
    jobs = tmp_path / ".viewer/jobs"
    (jobs / "notes").mkdir(parents=True)
    over = jobs / str(uuid4())
    over.mkdir()
    link(over / "link", outside)
    link(jobs / str(uuid4()), outside)
    harness.queue.sweep(thorough=True)
    assert (jobs / "notes").is_dir()
    assert not over.exists()
    assert kept.is_dir()


@pytest.mark.parametrize("place", [".viewer", ".viewer/jobs"])
def test_directory_that_is_a_link_is_refused(
    harness: QueueHarness, tmp_path: Path, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    outside = tmp_path / "outside"
    victim = outside / str(uuid4())
    victim.mkdir(parents=True)
    link(tmp_path / place, outside)
    with pytest.raises(NexusError):
        harness.enqueue(exits_with(0))
    with pytest.raises(NexusError):
        harness.queue.sweep(thorough=True)
    sweep_and_log(harness.queue, thorough=True)  # says so, and goes on with the other corpora
    assert "the jobs could not be swept" in caplog.text
    assert list(outside.iterdir()) == [victim]
    (tmp_path / place).unlink()


@pytest.mark.parametrize("make", [link, lambda path, _: os.mkfifo(path)])
def test_registry_that_is_a_link_or_a_pipe_is_refused(
    served: OperatorServer, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(json.dumps(record(error_reason="hunter2", status="failed")) + "\n")
    (served.corpus / ".viewer").mkdir()
    make(served.corpus / ".viewer/jobs.jsonl", secret)
    response = served.http.get("/api/jobs")
    assert (response.status_code, response.json()["detail"]["error"]) == (409, "unreadable_job_registry")
    assert "hunter2" not in response.text
    assert served.http.post("/api/jobs").status_code in {409, 503}
    assert "hunter2" in secret.read_text()
    (served.corpus / ".viewer/jobs.jsonl").unlink()
    assert served.ends(served.run(exits_with(0))["job_id"])["status"] == "succeeded"


def test_log_that_is_a_link_is_neither_read_nor_written(served: OperatorServer, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2\n")
    job_id = served.ends(served.run(exits_with(0))["job_id"])["job_id"]
    log = served.corpus / f".viewer/jobs/{job_id}.log"
    log.unlink()
    link(log, secret)
    for name in ("log", "log-tail"):
        response = served.http.get(f"/api/jobs/{job_id}/{name}")
        assert (response.status_code, "hunter2" in response.text) == (404, False)
    events = served.http.get(f"/api/jobs/{job_id}/events")
    assert "hunter2" not in events.text
    served.http.post("/api/jobs/pause")
    queued = served.run(exits_with(3))["job_id"]
    link(served.corpus / f".viewer/jobs/{queued}.log", secret)
    served.http.post("/api/jobs/resume")
    assert secret.read_text() == "hunter2\n"
    (served.corpus / f".viewer/jobs/{queued}.log").unlink()
    assert served.ends(queued)["error_reason"] == "exit_code_3"


def test_pause_and_lock_files_that_are_links_are_not_followed(harness: QueueHarness, tmp_path: Path) -> None:
    link(tmp_path / ".viewer/jobs.paused", tmp_path / "made-by-pause")
    link(tmp_path / ".viewer/jobs.jsonl.lock", tmp_path / "made-by-lock")
    with pytest.raises(CorpusWriteError):
        harness.queue.pause()
    with pytest.raises(CorpusWriteError):
        harness.enqueue(exits_with(0))
    assert not (tmp_path / "made-by-pause").exists()
    assert not (tmp_path / "made-by-lock").exists()
    (tmp_path / ".viewer/jobs.jsonl.lock").unlink()


def test_status_file_that_is_a_pipe_or_nonsense_is_no_progress(served: OperatorServer, tmp_path: Path) -> None:
    job = served.run(waits_for(tmp_path / "go"))
    status = served.corpus / f".pipeline_status/{job['job_id']}.json"
    status.parent.mkdir()
    os.mkfifo(status)
    assert served.job(job["job_id"])["progress"] is None
    status.unlink()
    status.write_text(json.dumps({"stage": ["x"] * 5000, "episode_idx": 10**40, "episode_total": -1}))
    progress = served.job(job["job_id"])["progress"]
    assert progress is None or (progress["episode_idx"], progress["episode_total"]) == (None, None)
    (tmp_path / "go").touch()
    served.ends(job["job_id"])


@pytest.mark.parametrize(
    "text",
    [
        '{"ended_at": 7}', '{"ended_at": "yesterday"}', '{"ended_at": "2026-01-01T00:00:00"}', "[1]", "7",
        '{"ended_at": "0001-01-01T00:00:00+00:00"}', '{"ended_at": "2026-01-01T00:00:00Z", "exit_code": "0"}',
        '{"ended_at": "2026-01-01T00:00:00Z", "spawn_error": ["x"]}', '{"other": 1}',
    ],
)  # fmt: skip
def test_malformed_exit_file_does_not_count(harness: QueueHarness, text: str) -> None:
    job = harness.enqueue(SLEEPS)
    files = JobFiles(harness.queue.corpus.job_dir(job.job_id))
    os.kill(harness.runner(job), signal.SIGKILL)
    files.exit_file.path.write_text(text)
    assert harness.ends(job).error_reason == "orphan_reconciled_dead_pid"


def test_pid_in_a_file_is_never_signalled(harness: QueueHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even with the true identity of that process, which is no secret."""
    monkeypatch.setattr("nexus.operator.jobs.queue.OVERDUE_SECONDS", 0)
    harness.restart(cancel_grace_seconds=0.1)
    job = harness.enqueue(SLEEPS)
    runner = psutil.Process(harness.runner(job))
    files = JobFiles(harness.queue.corpus.job_dir(job.job_id))
    with sleeping(Path("/")) as victim:
        facts = {"runner_pid": victim.pid, "runner_identity": identity(victim.pid), "pid": victim.pid}
        files.started_file.path.write_text(json.dumps(facts))
        runner.suspend()
        harness.queue.cancel(job.job_id)
        assert harness.ends(job).status == "cancelled"  # the frozen runner was found without the file
        assert victim.poll() is None
        eventually(lambda: not runner.is_running() or has_ended(runner.pid), "the runner did not end")


def test_line_of_an_earlier_version_is_shown_and_its_command_rebuilt(harness: QueueHarness) -> None:
    job_id = str(uuid4())
    plant(
        harness.root, record(job_id=job_id, argv=["/old/python", "-m", "nexus.cli"], cwd="/", options={"dry_run": True})
    )
    (job,) = harness.queue.registry.jobs()
    assert (job.argv_summary, job.options.dry_run) == ('["/old/python", "-m", "nexus.cli"]', True)
    harness.programs.next = exits_with(0)
    assert harness.ends(job).status == "succeeded"


def test_replacing_a_planted_link_leaves_its_target(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    link(tmp_path / "file", target)
    guarded = GuardedPath(tmp_path, ("file",))
    with pytest.raises(OSError, match="symbolic"):
        guarded.read_bytes(10)
    guarded.replace_with(b"new")
    assert (target.read_text(), guarded.read_bytes(10)) == ("old", b"new")


def test_command_is_built_when_the_job_starts(tmp_path: Path) -> None:
    operator = Operator(load_settings(output_dir=tmp_path, **EVERYTHING))
    queue = operator.queue(operator.corpus(None))
    queue.pause()
    job = operator.enqueue(queue.corpus, JobOptions(dry_run=True))
    assert "--config" not in json.loads(job.argv_summary or "")
    (tmp_path / "viewer_operator.yaml").write_text("nonsense_key: 1\n")
    queue.resume()

    def over() -> bool:
        queue.sweep()
        return not queue.registry.job(job.job_id).is_active

    eventually(over, "it did not end")
    ended = queue.registry.job(job.job_id)
    assert "--config" in json.loads(ended.argv_summary or "")
    assert ended.error_reason == "exit_code_2"
