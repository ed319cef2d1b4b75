"""`nexus jobs` on a corpus, with no server around."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.operator.scripts import SLEEPS, QueueHarness, Script, exits_with, processes_of, waits_for
from tests.processes import WAIT_SECONDS, Nexus, eventually


@pytest.fixture
def corpus(nexus: Nexus) -> Path:
    folder = nexus.data_dir / "corpus"
    folder.mkdir()
    return folder


def waiting_jobs(nexus: Nexus, corpus: Path) -> QueueHarness:
    """A queue that starts no jobs itself: the commands start them, with programs in place of the pipeline."""
    harness = QueueHarness(corpus, values={"max_running": 0})
    harness.programs.configure(corpus)
    nexus.environment |= harness.programs.environment
    return harness


def jobs(nexus: Nexus, corpus: Path, *words: str) -> Any:
    response = nexus.invoke("jobs", *words, "--output-dir", str(corpus), "--json")
    assert response.returncode == 0, response.stderr
    return json.loads(response.stdout)


def test_jobs_by_hand(nexus: Nexus, corpus: Path) -> None:
    assert "No jobs yet" in nexus.invoke("jobs", "list", "--output-dir", str(corpus)).stdout
    harness = waiting_jobs(nexus, corpus)
    first, second = harness.enqueue(SLEEPS), harness.enqueue(Script("print('hello')\nraise SystemExit(3)"))
    assert jobs(nexus, corpus, "reconcile")["updated"] == 0  # the server starts them, with its own configuration
    assert [job["status"] for job in jobs(nexus, corpus, "list")] == ["queued", "queued"]
    done = jobs(nexus, corpus, "reconcile", "--start-queued")
    assert done == {"updated": 1, "details": [f"{first.job_id}: queued → running"], "skipped_lines": 0}
    listed = jobs(nexus, corpus, "list")
    assert [(job["status"], job["queue_position"]) for job in listed] == [("running", None), ("queued", 1)]
    assert jobs(nexus, corpus, "list", "--status", "queued")[0]["job_id"] == second.job_id
    assert jobs(nexus, corpus, "cancel", first.job_id[:8])["cancel_requested"] is True
    followed = nexus("jobs", "log", "-f", second.job_id, "--output-dir", str(corpus))
    assert (followed.returncode, followed.stdout) == (0, "hello\n")
    assert nexus.invoke("jobs", "log", second.job_id, "--output-dir", str(corpus)).stdout == "hello\n"
    shown = jobs(nexus, corpus, "show", second.job_id)
    assert (shown["status"], shown["exit_code"], shown["error_reason"]) == ("failed", 3, "exit_code_3")
    assert jobs(nexus, corpus, "show", first.job_id)["status"] == "cancelled"
    line = nexus.invoke("jobs", "show", second.job_id, "--output-dir", str(corpus)).stdout
    assert "exit_code_3" in line
    eventually(lambda: not processes_of(corpus), "a process was left")


def test_run_follows_the_real_command_to_its_end(nexus: Nexus, corpus: Path) -> None:
    (corpus / "viewer_operator.yaml").write_text("nonsense_key: 1\n")
    failed = nexus("jobs", "run", "--output-dir", str(corpus), "--dry-run")
    assert failed.returncode == 1
    assert "nonsense_key" in failed.stdout
    (job,) = jobs(nexus, corpus, "list")
    assert (job["status"], job["error_reason"]) == ("failed", "exit_code_2")
    assert job["argv"][1:4] == ["-m", "nexus.cli", "podcast"]
    assert job["argv"][-3:] == ["--dry-run", "--run-id", job["job_id"]]


def test_stopping_to_follow_does_not_stop_the_job(nexus: Nexus, corpus: Path) -> None:
    harness = waiting_jobs(nexus, corpus)
    go, queue = corpus / "go", harness.queue
    job, queued = harness.enqueue(waits_for(go)), harness.enqueue(exits_with(0))
    jobs(nexus, corpus, "reconcile", "--start-queued")
    follower = nexus.start("jobs", "log", "-f", job.job_id, "--output-dir", str(corpus))
    assert follower.stdout
    assert follower.stdout.readline() == "waiting\n"
    follower.send_signal(signal.SIGINT)
    assert follower.wait(WAIT_SECONDS) != 0
    assert queue.registry.job(job.job_id).status == "running"
    go.touch()
    eventually(lambda: queue.registry.job(queued.job_id).status == "succeeded", "nobody promoted the next one")
    eventually(lambda: not processes_of(corpus), "a process was left")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["list"], 2, "--output-dir"),
        (["list", "--output-dir", "/no/such/corpus"], 2, "There is no directory /no/such/corpus"),
        (["show", "nope", "--output-dir", "."], 1, "There is no such job"),
        (["run", "--output-dir", ".", "--feed", "https://example.com/x"], 1, "There is no such feed"),
        (["run", "--output-dir", ".", "--max-episodes", "0"], 2, "--max-episodes"),
    ],
)
def test_wrong_words_are_one_line(nexus: Nexus, words: list[str], code: int, said: str) -> None:
    response = nexus.invoke("jobs", *[str(nexus.data_dir) if word == "." else word for word in words])
    assert (response.returncode, len(response.stderr.splitlines())) == (code, 1), response.stderr
    assert said in response.stderr
