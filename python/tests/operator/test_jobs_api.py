"""Jobs over HTTP, as an operator's browser meets them."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from tests.operator.conftest import OperatorServer
from tests.operator.scripts import SLEEPS, Script, exits_with, waits_for
from tests.processes import eventually

FIELDS = {
    "job_id", "command_type", "status", "created_at", "started_at", "ended_at", "pid", "argv_summary", "exit_code",
    "log_relpath", "error_reason", "cancel_requested", "queue_position", "progress", "last_progress_at", "schedule",
    "feeds_failed", "episodes_failed", "failures",
}  # fmt: skip


STUBBORN = Script(
    """
    import signal, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print(1, flush=True)
    time.sleep(600)
    """
)


def test_a_run_from_the_beginning_to_the_end(served: OperatorServer) -> None:
    accepted = served.run(Script("print('hello')"))
    assert accepted == {
        "job_id": accepted["job_id"],
        "status": "running",
        "corpus_path": str(served.corpus),
        "queue_position": None,
    }
    done = served.ends(accepted["job_id"])
    assert set(done) == FIELDS
    assert (done["status"], done["exit_code"], done["error_reason"]) == ("succeeded", 0, None)
    assert done["command_type"] == "full_incremental_pipeline"
    assert done["log_relpath"] == f".viewer/jobs/{done['job_id']}.log"
    assert (served.corpus / done["log_relpath"]).read_text() == "hello\n"
    assert json.loads(done["argv_summary"])[1:] == ["-c", "print('hello')"]
    assert served.http.get(f"/api/jobs/{done['job_id']}/log").text == "hello\n"
    assert served.http.get(f"/api/jobs/{done['job_id']}/log-tail").json() == {"text": "hello\n", "truncated": False}


def test_queue_positions_and_order(served: OperatorServer) -> None:
    go = served.corpus / "go"
    first = served.run(waits_for(go))
    second, third = served.run(exits_with(0)), served.run(exits_with(3))
    assert [job["queue_position"] for job in (first, second, third)] == [None, 1, 2]
    listed = served.http.get("/api/jobs").json()
    assert [job["queue_position"] for job in listed["jobs"]] == [2, 1, None]
    assert listed["counts"] == {"running": 1, "queued": 2}
    served.http.post(f"/api/jobs/{second['job_id']}/cancel")
    assert served.job(third["job_id"])["queue_position"] == 1
    go.touch()
    assert served.ends(third["job_id"])["error_reason"] == "exit_code_3"
    assert served.job(first["job_id"])["status"] == "succeeded"
    assert served.job(second["job_id"])["error_reason"] == "cancelled_before_start"


def test_pages_and_filters(served: OperatorServer) -> None:
    served.http.post("/api/jobs/pause")
    ids = [served.run(exits_with(0))["job_id"] for _ in range(5)]
    served.http.post(f"/api/jobs/{ids[1]}/cancel")
    seen: list[str] = []
    cursor = None
    while True:
        page = served.http.get("/api/jobs", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        seen += [job["job_id"] for job in page["jobs"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]
    only = served.http.get("/api/jobs", params={"status": ["cancelled", "failed"]}).json()["jobs"]
    assert [job["job_id"] for job in only] == [ids[1]]
    bad = served.http.get("/api/jobs", params={"cursor": "x"})
    assert (bad.status_code, bad.json()["detail"]["error"]) == (400, "invalid_cursor")


def test_pause_and_resume(served: OperatorServer) -> None:
    assert served.http.post("/api/jobs/pause").json() == {"path": str(served.corpus), "paused": True}
    assert (served.corpus / ".viewer/jobs.paused").exists()
    job = served.run(exits_with(0))
    assert job["status"] == "queued"
    assert served.http.get("/api/jobs").json()["paused"] is True
    assert served.http.post("/api/jobs/resume").json()["paused"] is False
    assert served.ends(job["job_id"])["status"] == "succeeded"


def test_cancel_is_pending_until_the_process_has_ended(served: OperatorServer) -> None:
    job = served.run(STUBBORN)
    path = f"/api/jobs/{job['job_id']}"
    eventually(lambda: served.http.get(f"{path}/log").text == "1\n", "it did not start")
    pending = served.http.post(f"{path}/cancel").json()
    assert (pending["status"], pending["cancel_requested"]) == ("running", True)
    assert served.http.post(f"{path}/cancel").status_code == 200
    done = served.ends(job["job_id"])
    assert (done["status"], done["error_reason"]) == ("cancelled", "cancelled")
    assert served.http.post(f"{path}/cancel").json() == done


def test_only_what_is_over_can_be_deleted(served: OperatorServer) -> None:
    job = served.run(SLEEPS)
    path = f"/api/jobs/{job['job_id']}"
    assert served.http.delete(path).status_code == 409
    served.http.post(f"{path}/cancel")
    served.ends(job["job_id"])
    assert served.http.delete(path).status_code == 204
    assert served.http.delete(path).status_code == 404
    assert served.http.get(path).status_code == 404


def test_reconcile_reports_what_it_did(served: OperatorServer) -> None:
    journal = served.corpus / ".viewer/jobs.jsonl"
    done = served.ends(served.run(exits_with(0))["job_id"])
    with journal.open("a") as file:
        file.write("garbage\n")
    response = served.http.post("/api/jobs/reconcile").json()
    assert response == {"path": str(served.corpus), "updated": 0, "details": [], "skipped_lines": 1}
    assert served.job(done["job_id"])["status"] == "succeeded"


@pytest.mark.parametrize("path", ["", "/log", "/log-tail", "/events"])
def test_unknown_job(served: OperatorServer, path: str) -> None:
    response = served.http.get(f"/api/jobs/{uuid4()}{path}")
    assert (response.status_code, response.json()["detail"]["error"]) == (404, "not_found")
    assert served.http.get(f"/api/jobs/not-an-id{path}").status_code == 404


def test_missing_log_is_reported(served: OperatorServer) -> None:
    served.http.post("/api/jobs/pause")
    job = served.run(exits_with(0))
    for name in ("log", "log-tail"):
        response = served.http.get(f"/api/jobs/{job['job_id']}/{name}")
        assert (response.status_code, response.json()["detail"]["message"]) == (404, "This job has no log yet.")


def test_tail_of_a_long_log_begins_with_a_whole_line(served: OperatorServer) -> None:
    done = served.ends(served.run(Script("for n in range(3000): print('line', n)"))["job_id"])
    path = f"/api/jobs/{done['job_id']}/log-tail"
    tail = served.http.get(path, params={"max_bytes": 4096}).json()
    assert tail["truncated"] is True
    assert tail["text"].startswith("line ")
    assert tail["text"].endswith("line 2999\n")
    assert len(tail["text"]) <= 4096
    for wrong in (4095, 512_001):
        assert served.http.get(path, params={"max_bytes": wrong}).status_code == 422


def test_progress_is_that_of_the_same_run(served: OperatorServer) -> None:
    (served.corpus / ".pipeline_status").mkdir()
    (served.corpus / ".pipeline_status/another.json").write_text(json.dumps({"stage": "of another run"}))
    writes = Script(
        """
        import json, os, pathlib, sys, time
        status = {"pid": 1, "stage": "media_download", "episode_idx": 3, "episode_total": 9}
        pathlib.Path(f".pipeline_status/{os.environ['PIPELINE_JOB_ID']}.json").write_text(json.dumps(status))
        while not pathlib.Path("go").exists():
            time.sleep(0.02)
        """
    )
    job = served.run(writes)
    expected = {"stage": "media_download", "episode_idx": 3, "episode_total": 9}
    eventually(lambda: served.job(job["job_id"])["progress"] == expected, "no progress was shown")
    running = served.job(job["job_id"])
    assert running["pid"]
    assert running["last_progress_at"]
    (served.corpus / "go").touch()
    assert served.ends(job["job_id"])["progress"] is None


def test_other_corpora_below_the_servers_corpus(served: OperatorServer, tmp_path: Path) -> None:
    (served.corpus / "second").mkdir()
    job = served.run(exits_with(0), path="second")
    assert job["corpus_path"] == str(served.corpus / "second")
    assert served.http.get(f"/api/jobs/{job['job_id']}").status_code == 404
    response = served.http.get("/api/jobs", params={"path": "second"}).json()
    assert [found["job_id"] for found in response["jobs"]] == [job["job_id"]]
    (tmp_path / "outside").mkdir()
    (served.corpus / "link").symlink_to(tmp_path / "outside")
    for wrong in ("..", "/", "missing", "link", str(tmp_path), "second/../../outside", "a\0b", "x" * 4000):
        refused = served.http.get("/api/jobs", params={"path": wrong})
        assert (refused.status_code, refused.json()["detail"]["error"]) == (400, "invalid_corpus_path"), wrong


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/jobs"), ("GET", "/api/jobs"), ("POST", "/api/jobs/reconcile"), ("POST", "/api/jobs/pause"),
        ("GET", "/api/feeds"), ("GET", "/api/operator-config"), ("GET", "/api/scheduled-jobs"), ("GET", "/api/library"),
        ("GET", "/items"),
    ],
)  # fmt: skip
def test_unknown_parameters_are_refused_by_name(served: OperatorServer, method: str, path: str) -> None:
    response = served.http.request(method, path, params={"append": "true"})
    assert (response.status_code, response.json()["detail"]["error"]) == (422, "invalid_request"), response.text
    assert response.json()["detail"]["fields"][0]["where"] == "query.append"
    assert served.http.get("/api/jobs").json()["jobs"] == []
    assert served.http.get("/api/jobs").json()["paused"] is False


def test_other_names_of_logs_and_profiles(served: OperatorServer) -> None:
    done = served.ends(served.run(Script("print('hello')"))["job_id"])
    named = {"job_id": done["job_id"]}
    assert served.http.get("/api/jobs/subprocess-log", params=named).text == "hello\n"
    tail = served.http.get("/api/jobs/subprocess-log-tail", params=named | {"max_bytes": 4096}).json()
    assert tail == {"text": "hello\n", "truncated": False}
    assert served.http.get("/api/jobs/subprocess-log", params={"job_id": str(uuid4())}).status_code == 404
    assert served.http.get("/api/jobs/subprocess-log").status_code == 422
    profiles = served.http.get("/api/operator-config/profiles").json()["available_profiles"]
    assert profiles == served.http.get("/api/operator-config").json()["available_profiles"] != []


def test_record_on_disk_describes_a_running_job(served: OperatorServer) -> None:
    job = served.run(waits_for(served.corpus / "go"))

    def on_disk() -> dict[str, object]:
        lines = (served.corpus / ".viewer/jobs.jsonl").read_text().splitlines()[1:]
        found: dict[str, object] = json.loads(lines[-1])
        return found

    eventually(lambda: on_disk().get("pid"), "the pid was not written down")
    record = on_disk()
    assert (record["status"], record["pid"]) == ("running", served.job(job["job_id"])["pid"])
    assert record["argv_summary"] == served.job(job["job_id"])["argv_summary"]
    assert record["log_relpath"] == f".viewer/jobs/{job['job_id']}.log"
    assert record["last_progress_at"]
    (served.corpus / "go").touch()
    served.ends(job["job_id"])
