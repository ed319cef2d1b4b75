"""Files of jobs that cannot be read, or that hold what cannot be written: each spoils only itself."""

import os
import signal
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from nexus.config import load_settings
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.command import Command
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.journal import Journal
from nexus.operator.jobs.records import MAX_RECORDED_STARTS, MAX_SEQUENCE, Job, parse_line
from nexus.operator.jobs.results import result_of
from nexus.operator.jobs.untrusted_json import parse_untrusted_json
from nexus.operator.service import Operator
from nexus.operator.sweeper import Sweeper
from tests.operator.conftest import EVERYTHING, OperatorServer
from tests.operator.scripts import SLEEPS, Programs, QueueHarness, exits_with, waits_for
from tests.operator.test_planted_files import plant, record
from tests.processes import eventually

DEEP = "[" * 60_000
HALF_A_PAIR = r'"\ud800"'


def append(corpus: Path, line: str) -> None:
    (corpus / ".viewer/jobs").mkdir(parents=True, exist_ok=True)
    with (corpus / ".viewer/jobs.jsonl").open("a") as file:
        file.write(line + "\n")


@pytest.mark.parametrize("line", [f'{{"argv":{DEEP}', f'{{"argv":[],"x":{DEEP}', DEEP, f'{{"job_id":{DEEP}'])
def test_a_nested_line_is_skipped_and_no_job_is_lost(harness: QueueHarness, line: str) -> None:
    harness.queue.pause()
    before = harness.enqueue(exits_with(0))
    append(harness.root, line)
    assert (harness.queue.registry.jobs(), harness.queue.registry.bad_lines) == ([before], 1)
    after = harness.enqueue(exits_with(0))
    assert (after.seq, harness.queue.registry.jobs()) == (before.seq + 1, [before, after])
    harness.restart()
    assert harness.queue.registry.jobs() == [before, after]


def test_lines_count_as_read_once_they_were_accepted(tmp_path: Path) -> None:
    journal = Journal(CorpusDirectory(tmp_path).journal)
    append(tmp_path, "{}")
    first, again = journal.read_new(), journal.read_new()
    assert (first.lines, again.lines) == ([b"{}"], [b"{}"])
    journal.accept(again)
    assert journal.read_new().lines == []


def test_a_nested_line_does_not_stop_the_sweeper(served: OperatorServer, tmp_path: Path) -> None:
    job = served.run(waits_for(tmp_path / "go"))
    append(served.corpus, f'{{"argv":{DEEP}')
    served.operator.wakeup.set()
    assert served.http.get("/api/jobs").json()["skipped_lines"] == 1
    (tmp_path / "go").touch()
    assert served.ends(job["job_id"])["status"] == "succeeded"


@pytest.mark.parametrize("name", ["started.json", "exit.json"])
@pytest.mark.parametrize("text", ["[" * 4096, '{"a":' * 800, '{"runner_identity":"\\ud800"}', "\udced\udca0\udc80"])
def test_a_nested_file_of_a_job_counts_as_missing(served: OperatorServer, tmp_path: Path, name: str, text: str) -> None:
    job = served.run(waits_for(tmp_path / "go"))
    directory = served.corpus / f".viewer/jobs/{job['job_id']}"
    eventually(lambda: served.job(job["job_id"])["pid"], "it did not start")
    (directory / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    status = served.corpus / f".pipeline_status/{job['job_id']}.json"
    status.parent.mkdir()
    for nested in ("[" * 65_536, '{"stage":' + "[" * 900 + "]" * 900 + "}", '{"stage":"\\ud800"}'):
        status.write_text(nested)
        response = served.http.get("/api/jobs")
        assert response.status_code == 200, response.text
    assert served.http.post("/api/jobs/reconcile").status_code == 200
    (tmp_path / "go").touch()
    assert served.ends(job["job_id"])["status"] == "succeeded"


@pytest.mark.parametrize("field", ["feed", "feed_title", "episode", "code", "reason"])
@pytest.mark.parametrize("value", [HALF_A_PAIR, "[" * 900 + "]" * 900, "7"])
def test_a_summary_that_holds_no_text_can_be_shown(tmp_path: Path, field: str, value: str) -> None:
    corpus, job_id = CorpusDirectory(tmp_path), str(uuid4())
    path = corpus.run_summary(job_id).path
    path.parent.mkdir()
    path.write_text(f'{{"counts":{{"feeds_failed":1,"failed":2}},"failures":[{{"{field}":{value}}}]}}')
    result = result_of(corpus, job_id)
    assert result is not None
    assert (result.feeds_failed, result.episodes_failed) == (1, 2)
    assert result.model_dump_json()


def test_half_a_surrogate_pair_in_an_outcome_is_replaced(harness: QueueHarness) -> None:
    job = harness.enqueue(SLEEPS)
    files = JobFiles(harness.queue.corpus.job_dir(job.job_id))
    os.kill(harness.runner(job), signal.SIGKILL)
    files.exit_file.path.write_text(f'{{"ended_at":"2026-01-01T00:00:00Z","spawn_error":{HALF_A_PAIR}}}')
    assert harness.ends(job).error_reason == "spawn_failed: ?"


def test_untrusted_json_keeps_whole_pairs_and_escaped_backslashes() -> None:
    assert parse_untrusted_json(rb'["\ud83d\ude00", "\\ud800", "\ud800"]') == ["\U0001f600", "\\ud800", "?"]
    with pytest.raises(ValueError, match="nested"):
        parse_untrusted_json(DEEP.encode())


def test_the_largest_sequence_number_stops_no_new_job(harness: QueueHarness) -> None:
    harness.queue.pause()
    plant(harness.root, record(seq=MAX_SEQUENCE, starts=MAX_RECORDED_STARTS))
    harness.programs.next = exits_with(0)
    (planted,) = harness.queue.registry.jobs()
    later = [harness.enqueue(exits_with(0)) for _ in range(2)]
    assert list(harness.queue.registry.positions()) == [job.job_id for job in (planted, *later)]
    harness.queue.resume()
    assert [harness.ends(job).status for job in (planted, *later)] == ["succeeded"] * 3
    assert harness.queue.registry.bad_lines == 0


def test_pages_show_every_job_with_equal_sequence_numbers(served: OperatorServer) -> None:
    served.http.post("/api/jobs/pause")
    ended: dict[str, Any] = {"status": "failed", "seq": MAX_SEQUENCE}
    plant(served.corpus, record(seq=0, status="failed"), *(record(**ended) for _ in range(3)))
    ids = {job["job_id"] for job in served.http.get("/api/jobs").json()["jobs"]} | {served.run(SLEEPS)["job_id"]}
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    while len(seen) <= len(ids):
        page = served.http.get("/api/jobs", params=cursor | {"limit": 2}).json()
        seen += [job["job_id"] for job in page["jobs"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert (len(seen), set(seen)) == (5, ids)


def test_a_record_that_could_not_be_read_back_is_not_written(harness: QueueHarness) -> None:
    harness.queue.pause()
    job = harness.enqueue(exits_with(0))
    with harness.queue.registry.locked() as writer, pytest.raises(ValueError, match="read back"):
        writer.put(job.changed(starts=MAX_RECORDED_STARTS + 1))
    assert (harness.job(job.job_id), harness.queue.registry.bad_lines) == (job, 0)
    assert parse_line(job.line()) == job


def test_a_corpus_that_cannot_be_swept_stops_neither_the_others_nor_the_schedules(tmp_path: Path) -> None:
    deeper = tmp_path / "deeper"
    bad, good = record(), record()
    plant(tmp_path, bad, {"schedule_mark": "often", "expression": "* * * * * UTC", "served_until": bad["created_at"]})
    plant(tmp_path, {"schedule_mark": "often", "expression": "* * * * * UTC", "served_until": "2026-01-01T00:00:00Z"})
    plant(deeper, good)
    (tmp_path / "viewer_operator.yaml").write_text("scheduled_jobs: [{name: often, cron: '* * * * *'}]\n")
    programs = Programs.beside(deeper)
    programs.next = exits_with(0)

    def build(corpus: CorpusDirectory, job: Job) -> Command:
        if job.job_id == bad["job_id"]:
            raise RuntimeError("a defect")
        return programs.build(corpus, job)

    operator = Operator(load_settings(output_dir=tmp_path, **EVERYTHING), build)
    with Sweeper(operator, seconds=0.2):
        other = operator.queue(CorpusDirectory(deeper)).registry
        eventually(lambda: other.job(good["job_id"]).status == "succeeded", "the other corpus was not looked after")
        here = operator.queue(CorpusDirectory(tmp_path)).registry
        eventually(lambda: any(job.schedule for job in here.jobs()), "the schedule was not served")


def test_the_sweeper_goes_on_after_a_defect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = Operator(load_settings(output_dir=tmp_path, **EVERYTHING))
    asked: list[object] = []

    def next_due(schedules: object) -> None:
        asked.append(schedules)
        if len(asked) == 1:
            raise RuntimeError("a defect")

    monkeypatch.setattr(operator, "next_due", next_due)
    with Sweeper(operator, seconds=0.05):
        eventually(lambda: len(asked) > 1, "it ended with the defect")
