from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.operator.service import Operator
from nexus.operator.sweeper import Sweeper
from tests.conftest import serving, settings_for
from tests.operator.scripts import OVER, Programs, QueueHarness, Script, processes_of
from tests.processes import TRUSTS_NOBODY, eventually

EVERYTHING = {"feeds_api": True, "operator_config_api": True, "jobs_api": True}


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[QueueHarness]:
    """A corpus and its queue; at the end no process of it may be left."""
    made = QueueHarness(tmp_path)
    yield made
    for job in made.queue.registry.active():
        made.queue.cancel(job.job_id)
    for job in made.queue.registry.active():
        made.ends(job)
    eventually(lambda: not processes_of(tmp_path), "a process was left")


@dataclass
class OperatorServer:
    """The operator's routes over HTTP, with a program of the test's choice in place of the pipeline."""

    http: httpx2.Client
    corpus: Path
    operator: Operator
    programs: Programs

    def run(self, program: Script, **options: Any) -> dict[str, Any]:
        self.programs.next = program
        response = self.http.post("/api/jobs", params=options)
        assert response.status_code == 202, response.text
        accepted: dict[str, Any] = response.json()
        return accepted

    def job(self, job_id: str) -> dict[str, Any]:
        record: dict[str, Any] = self.http.get(f"/api/jobs/{job_id}").json()
        return record

    def ends(self, job_id: str) -> dict[str, Any]:
        eventually(lambda: self.job(job_id)["status"] in OVER, f"{job_id} did not end")
        return self.job(job_id)


@pytest.fixture
def served(
    tmp_path: Path, postgres: EmbeddedServer, database: Database, database_name: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OperatorServer]:
    corpus = tmp_path / "corpus"
    corpus.mkdir(exist_ok=True)
    settings = settings_for(postgres, database_name, output_dir=corpus, job_cancel_grace_seconds=1, **EVERYTHING)
    programs = Programs.beside(corpus)
    monkeypatch.setenv("PATH", programs.environment["PATH"])  # a docker of this machine may have no daemon
    made = OperatorServer(
        httpx2.Client(timeout=60, verify=TRUSTS_NOBODY), corpus, Operator(settings, programs.build), programs
    )
    app = create_app(settings, database, operator=made.operator)
    with (
        Sweeper(made.operator, seconds=1),
        serving(app) as url,
        httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as http,
    ):
        made.http.close()
        made.http = http
        yield made
        for queue in made.operator.queues():
            for job in queue.registry.active():
                queue.cancel(job.job_id)
        eventually(
            lambda: not any(queue.registry.active() for queue in made.operator.queues()), "a job is still active"
        )
    eventually(lambda: not processes_of(corpus), "a process was left")
