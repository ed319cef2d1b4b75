"""The operator's routes when the server is really killed, and what they must never reveal."""

import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.operator.disks_and_pids import small_disk
from tests.operator.drill import Drill
from tests.operator.scripts import OVER, Programs, QueueHarness, Script, processes_of
from tests.processes import TRUSTS_NOBODY, Nexus, ServerProcess, eventually

ALL = ("--no-worker", "--enable-feeds-api", "--enable-operator-config-api", "--enable-jobs-api", "--output-dir")


@pytest.fixture
def corpus(nexus_on_copy: Nexus) -> Path:
    folder = nexus_on_copy.data_dir / "corpus"
    folder.mkdir()
    return folder


def ends(server: ServerProcess, job_id: str) -> dict[str, Any]:
    path = f"/api/jobs/{job_id}"
    eventually(lambda: server.get(path).json()["status"] in OVER, "the job was not settled")
    record: dict[str, Any] = server.get(path).json()
    return record


def test_job_drill(nexus_on_copy: Nexus, tmp_path: Path) -> None:
    """Each thing that can go wrong once; ``python -m bench.job_drill`` is the long one."""
    with small_disk(nexus_on_copy.data_dir / "corpus") as disk:
        serve, programs = (*ALL, str(disk.root)), Programs.beside(disk.root)
        programs.configure(disk.root)
        drill = Drill(
            disk,
            tmp_path,
            lambda: nexus_on_copy.serve(*serve, PODCAST_JOB_CANCEL_GRACE_SECONDS="1", **programs.environment),
            jobs=12,
            server_kills=1,
            seed=7,
            programs=programs,
        )
        try:
            drill.run()
        finally:
            drill.stop()
        drill.check()


def test_next_server_adopts_the_job_of_a_killed_one(nexus_on_copy: Nexus, corpus: Path) -> None:
    harness = QueueHarness(corpus, values={"max_running": 0})
    harness.programs.configure(corpus)
    first = nexus_on_copy.serve(*ALL, str(corpus), **harness.programs.environment)
    waits = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.02)\nraise SystemExit(9)"
    job, queued = harness.enqueue(Script(waits)), harness.enqueue(Script("print('second')"))
    httpx2.post(f"{first.url}/api/jobs/resume", timeout=60)
    eventually(lambda: processes_of(corpus), "it did not start")
    first.kill()
    second = nexus_on_copy.serve(*ALL, str(corpus), **harness.programs.environment)
    assert second.get(f"/api/jobs/{job.job_id}").json()["status"] == "running"
    (corpus / "go").touch()
    for wanted, outcome in ((job, ("failed", 9)), (queued, ("succeeded", 0))):
        record = ends(second, wanted.job_id)
        assert (record["status"], record["exit_code"]) == outcome
    second.terminate()
    eventually(lambda: not processes_of(corpus), "a process was left")


def test_server_killed_during_writes_leaves_whole_files(nexus_on_copy: Nexus, corpus: Path) -> None:
    texts = {f"timeout: {n}\n" + f"# {n}\n" * 5000 for n in range(1, 4)}
    for _ in range(2):
        server = nexus_on_copy.serve(*ALL, str(corpus))
        # Temporary files of the killed server stop no write, and the next write removes them.
        assert (
            httpx2.put(f"{server.url}/api/operator-config", json={"content": "profile: dev\n"}, timeout=60).status_code
            == 200
        )
        assert [path.name for path in corpus.glob(".*.tmp")] == []
        kill_while_writing(server, texts)
        assert (corpus / "viewer_operator.yaml").read_text() in texts


def kill_while_writing(server: ServerProcess, texts: set[str]) -> None:
    busy = threading.Event()

    def put(text: str) -> None:
        with httpx2.Client(base_url=server.url, timeout=60, verify=TRUSTS_NOBODY) as http:
            try:
                while http.put("/api/operator-config", json={"content": text}).status_code == 200:
                    busy.set()
            except httpx2.HTTPError:
                return

    threads = [threading.Thread(target=put, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    assert busy.wait(300)
    server.kill()
    for thread in threads:
        thread.join()


CANARY = "canary-5e2f1c0b9d"


def test_secrets_of_the_environment_are_never_written(nexus_on_copy: Nexus, corpus: Path) -> None:
    """One secret the pipeline needs and prints, one it must not even get."""
    needed, foreign = f"needed-{CANARY}", f"foreign-{CANARY}"
    environment = {"OPENAI_API_KEY": needed, "AWS_SECRET_ACCESS_KEY": foreign, "GITHUB_TOKEN": foreign}
    harness = QueueHarness(corpus, values={"max_running": 0})
    harness.programs.configure(corpus)
    server = nexus_on_copy.serve(*ALL, str(corpus), **environment, **harness.programs.environment)
    prints = "import os, time\nprint(dict(os.environ), flush=True)\nwhile not os.path.exists('go'): time.sleep(0.02)"
    job = harness.enqueue(Script(prints))
    httpx2.post(f"{server.url}/api/jobs/resume", timeout=60)
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
    responses = [
        server.get(path).text
        for path in ("/api/jobs", f"/api/jobs/{job.job_id}", f"/api/jobs/{job.job_id}/log-tail", "/api/feeds",
                     "/api/operator-config", "/api/health", "/metrics", "/api/scheduled-jobs")
    ]  # fmt: skip
    server.terminate()
    files = [path.read_text(errors="replace") for path in corpus.rglob("*") if path.is_file()]
    password = (nexus_on_copy.environment["DATABASE_URL"].split("://")[1].split("@")[0]).split(":")[1]
    for text in (*responses, *files, server.log.read_text()):
        assert CANARY not in text
        assert password not in text


def test_missing_corpus_is_refused(nexus_on_copy: Nexus) -> None:
    missing = nexus_on_copy("serve", "--port", "0", "--enable-jobs-api", "--output-dir", "/no/such/corpus")
    assert (missing.returncode, missing.stderr.splitlines()[-1]) == (
        2, "nexus: There is no directory /no/such/corpus: --output-dir must exist.",
    )  # fmt: skip
