"""The operator's side of a server that is really killed, and what it must never tell."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from nexus.operator.corpus import Corpus
from nexus.operator.jobs.queue import JobQueue
from tests.operator.drill import Drill
from tests.operator.scripts import OVER, Script, processes_of, rules
from tests.processes import Nexus, Running, eventually

ALL = ("--no-worker", "--enable-feeds-api", "--enable-operator-config-api", "--enable-jobs-api", "--output-dir")


@pytest.fixture
def corpus(nexus_on_copy: Nexus) -> Path:
    folder = nexus_on_copy.data_dir / "corpus"
    folder.mkdir()
    return folder


def ends(server: Running, job_id: str) -> dict[str, Any]:
    path = f"/api/jobs/{job_id}"
    eventually(lambda: server.get(path).json()["status"] in OVER, "the job was not settled")
    record: dict[str, Any] = server.get(path).json()
    return record


def test_hygiene_drill(nexus_on_copy: Nexus, corpus: Path) -> None:
    drill = Drill(
        corpus,
        lambda: nexus_on_copy.serve(*ALL, str(corpus), PODCAST_JOB_CANCEL_GRACE_SECONDS="1"),
        jobs=12,
        server_kills=2,
        seed=7,
    )
    try:
        drill.run()
    finally:
        drill.stop()
    drill.check()


def test_next_server_adopts_the_job_of_a_killed_one(nexus_on_copy: Nexus, corpus: Path) -> None:
    first = nexus_on_copy.serve(*ALL, str(corpus))
    queue = JobQueue(Corpus(corpus), rules(max_running=0))
    waits = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.02)\nraise SystemExit(9)"
    job, queued = queue.enqueue(Script(waits)), queue.enqueue(Script("print('second')"))
    httpx2.post(f"{first.url}/api/jobs/resume")
    eventually(lambda: processes_of(corpus), "it did not start")
    first.kill()
    second = nexus_on_copy.serve(*ALL, str(corpus))
    assert second.get(f"/api/jobs/{job.job_id}").json()["status"] == "running"
    (corpus / "go").touch()
    for wanted, outcome in ((job, ("failed", 9)), (queued, ("succeeded", 0))):
        record = ends(second, wanted.job_id)
        assert (record["status"], record["exit_code"]) == outcome
    second.terminate()
    eventually(lambda: not processes_of(corpus), "a process was left")


def test_server_killed_while_files_are_being_written_leaves_whole_files(nexus_on_copy: Nexus, corpus: Path) -> None:
    texts = {f"timeout: {n}\n" + f"# {n}\n" * 20_000 for n in range(1, 4)}
    for _ in range(2):
        server = nexus_on_copy.serve(*ALL, str(corpus))
        busy = threading.Event()

        def put(text: str, url: str = server.url, busy: threading.Event = busy) -> None:
            with httpx2.Client(base_url=url, timeout=60) as http:
                try:
                    while http.put("/api/operator-config", json={"content": text}).status_code == 200:
                        busy.set()
                except httpx2.HTTPError:
                    return

        threads = [threading.Thread(target=put, args=(text,)) for text in texts]
        for thread in threads:
            thread.start()
        assert busy.wait(60)
        server.kill()
        for thread in threads:
            thread.join()
        assert (corpus / "viewer_operator.yaml").read_text() in texts
    after = nexus_on_copy.serve(*ALL, str(corpus))
    assert httpx2.put(f"{after.url}/api/operator-config", json={"content": "profile: dev\n"}).status_code == 200
    assert [path.name for path in corpus.glob(".*.tmp")] == []


CANARY = "canary-5e2f1c0b9d"


def test_secrets_of_the_environment_stay_there(nexus_on_copy: Nexus, corpus: Path) -> None:
    """One secret the pipeline needs and prints, one it must not even get."""
    needed, foreign = f"needed-{CANARY}", f"foreign-{CANARY}"
    environment = {"OPENAI_API_KEY": needed, "AWS_SECRET_ACCESS_KEY": foreign, "GITHUB_TOKEN": foreign}
    server = nexus_on_copy.serve(*ALL, str(corpus), **environment)
    queue = JobQueue(Corpus(corpus), rules(max_running=0))
    prints = "import os, time\nprint(dict(os.environ), flush=True)\nwhile not os.path.exists('go'): time.sleep(0.02)"
    job = queue.enqueue(Script(prints))
    httpx2.post(f"{server.url}/api/jobs/resume")
    eventually(lambda: server.get(f"/api/jobs/{job.job_id}/log").text.endswith("}\n"), "it printed nothing")
    seen = {process.pid: process.environ() for process in processes_of(corpus)}
    (pipeline,) = [environ for environ in seen.values() if environ.get("PIPELINE_JOB_ID") == job.job_id]
    assert pipeline["OPENAI_API_KEY"] == needed
    assert [environ for environ in seen.values() if CANARY in str(environ)] == [pipeline]
    assert foreign not in str(pipeline)
    assert all(CANARY not in str(process.cmdline()) for process in processes_of(corpus))
    (corpus / "go").touch()
    ends(server, job.job_id)
    log = server.get(f"/api/jobs/{job.job_id}/log").text
    assert "'OPENAI_API_KEY': '[hidden]'" in log
    answers = [
        server.get(path).text
        for path in ("/api/jobs", f"/api/jobs/{job.job_id}", f"/api/jobs/{job.job_id}/log-tail", "/api/feeds",
                     "/api/operator-config", "/api/health", "/metrics", "/api/scheduled-jobs")
    ]  # fmt: skip
    server.terminate()
    files = [path.read_text(errors="replace") for path in corpus.rglob("*") if path.is_file()]
    password = (nexus_on_copy.environment["DATABASE_URL"].split("://")[1].split("@")[0]).split(":")[1]
    for text in (*answers, *files, server.log.read_text()):
        assert CANARY not in text
        assert password not in text


def test_real_command_is_what_an_operator_could_type(nexus_on_copy: Nexus, corpus: Path) -> None:
    server = nexus_on_copy.serve(*ALL, str(corpus))
    httpx2.post(f"{server.url}/api/jobs/pause")
    feeds = ["https://example.com/private?token=hunter2", "https://example.org/b"]
    httpx2.put(f"{server.url}/api/feeds", json={"feeds": feeds})
    server.get("/api/operator-config")
    options: dict[str, str | int | bool] = {"feed": feeds[0], "max_episodes": 3, "skip_existing": True, "dry_run": True}
    job = httpx2.post(f"{server.url}/api/jobs", params=options).json()
    argv = json.loads(server.get(f"/api/jobs/{job['job_id']}").json()["argv_summary"])
    assert argv[1:12] == [
        "-m", "nexus.cli", "podcast", "--output-dir", str(corpus), "--config", str(corpus / "viewer_operator.yaml"),
        "--feeds-spec", str(corpus / "feeds.spec.yaml"), "--feed", argv[11],
    ]  # fmt: skip
    assert argv[12:] == ["--max-episodes", "3", "--skip-existing", "--dry-run"]
    assert "hunter2" not in (corpus / ".viewer/jobs.jsonl").read_text()
    unknown = httpx2.post(f"{server.url}/api/jobs", params={"feed": "https://example.net/no"})
    assert (unknown.status_code, unknown.json()["detail"]["error"]) == (404, "not_found")


FAKE_DOCKER = """#!/bin/sh
printf '%s\\n' "$@" "--end--" >> "{record}"
case "$1" in compose) echo ran; exec sleep {seconds};; esac
"""


def fake_docker(folder: Path, seconds: float) -> Path:
    folder.mkdir()
    record = folder / "argv"
    (folder / "docker").write_text(FAKE_DOCKER.format(record=record, seconds=seconds))
    (folder / "docker").chmod(0o755)
    return record


def test_docker_mode(nexus_on_copy: Nexus, corpus: Path) -> None:
    record = fake_docker(nexus_on_copy.data_dir / "bin", 600)
    path = f"{record.parent}:{os.environ['PATH']}"
    docker = {"PODCAST_PIPELINE_EXEC_MODE": "docker", "PODCAST_DOCKER_PROJECT_DIR": "/srv/nexus"}
    docker |= {"PODCAST_DOCKER_COMPOSE_FILES": "a.yml, b.yml", "PODCAST_JOB_CANCEL_GRACE_SECONDS": "1"}
    server = nexus_on_copy.serve(*ALL, str(corpus), PATH=path, **docker)
    refused = httpx2.post(f"{server.url}/api/jobs")
    assert (refused.status_code, refused.json()["detail"]["error"]) == (400, "pipeline_install_extras_required")
    for extras, service in (("ml", "pipeline"), ("llm", "pipeline-llm")):
        (corpus / "viewer_operator.yaml").write_text(f"pipeline_install_extras: {extras}\n")
        job = httpx2.post(f"{server.url}/api/jobs").json()
        name = f"nexus-job-{job['job_id']}"
        eventually(lambda: record.exists() and "--end--" in record.read_text(), "docker was not called")
        words = record.read_text().splitlines()
        assert words == [
            "compose", "--project-directory", "/srv/nexus", "--file", "a.yml", "--file", "b.yml", "run", "--rm",
            "--no-TTY", "--name", name, service, "nexus", "podcast", "--output-dir", str(corpus),
            "--config", str(corpus / "viewer_operator.yaml"), "--end--",
        ]  # fmt: skip
        record.unlink()
        httpx2.post(f"{server.url}/api/jobs/{job['job_id']}/cancel")
        assert ends(server, job["job_id"])["status"] == "cancelled"
        assert record.read_text().splitlines() == ["rm", "--force", name, "--end--"]
        record.unlink()


def test_container_of_a_lost_job_is_removed(nexus_on_copy: Nexus, corpus: Path) -> None:
    record = fake_docker(nexus_on_copy.data_dir / "bin", 600)
    path = f"{record.parent}:{os.environ['PATH']}"
    (corpus / "viewer_operator.yaml").write_text("pipeline_install_extras: ml\n")
    server = nexus_on_copy.serve(*ALL, str(corpus), PATH=path, PODCAST_PIPELINE_EXEC_MODE="docker")
    job = httpx2.post(f"{server.url}/api/jobs").json()
    started = corpus / f".viewer/jobs/{job['job_id']}/started.json"
    eventually(lambda: started.exists() and json.loads(started.read_text())["pid"], "it did not start")
    psutil.Process(json.loads(started.read_text())["runner_pid"]).kill()
    assert ends(server, job["job_id"])["error_reason"] == "orphan_reconciled_dead_pid"
    assert record.read_text().splitlines()[-4:] == ["rm", "--force", f"nexus-job-{job['job_id']}", "--end--"]


def test_corpus_that_is_not_there_costs_nothing(nexus_on_copy: Nexus) -> None:
    missing = nexus_on_copy("serve", "--port", "0", "--enable-jobs-api", "--output-dir", "/no/such/corpus")
    assert (missing.returncode, missing.stderr.splitlines()[-1]) == (
        2, "nexus: There is no directory /no/such/corpus: --output-dir must exist.",
    )  # fmt: skip
    unnamed = nexus_on_copy("serve", "--port", "0", "--enable-feeds-api")
    assert unnamed.returncode == 2
    assert "--output-dir" in unnamed.stderr
