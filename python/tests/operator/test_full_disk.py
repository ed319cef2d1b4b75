"""A disk that is really full: what is refused says so, what was accepted is kept, and jobs wait for room."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nexus.errors import DiskFullError
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.job_outcome import inspect_job
from nexus.operator.jobs.queue import sweep_and_log
from nexus.operator.jobs.records import Job
from tests.operator.conftest import OperatorServer
from tests.operator.disks_and_pids import SmallDisk, small_disk
from tests.operator.scripts import QueueHarness, Script, processes_of, waits_for
from tests.processes import eventually


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "corpus") as made:
        yield made
        eventually(lambda: not processes_of(made.root), "a process was left")


def accepted_until_it_is_full(harness: QueueHarness) -> list[Job]:
    accepted = []
    for _ in range(200):  # the last block of the registry has room for some
        try:
            accepted.append(harness.enqueue(Script("pass", ("x" * 1500,))))
        except DiskFullError:
            return accepted
    raise AssertionError("the disk is not full")


def test_what_was_accepted_runs_once_there_is_room(disk: SmallDisk, tmp_path: Path) -> None:
    harness = QueueHarness(disk.root)
    first = harness.enqueue(waits_for(tmp_path / "go"))
    harness.started(first)
    with disk.full(psutil.Process()):
        waiting = accepted_until_it_is_full(harness)
        (tmp_path / "go").touch()
        files = JobFiles(harness.queue.corpus.job_dir(first.job_id))
        eventually(lambda: inspect_job(files) == "ended", "its outcome found no room")
        for _ in range(5):
            sweep_and_log(harness.queue)
        assert {harness.job(job.job_id).status for job in waiting} <= {"queued"}
    assert [harness.ends(job).status for job in (first, *waiting)] == ["succeeded"] * (1 + len(waiting))
    assert [job.job_id for job in harness.restart().registry.jobs()] == [job.job_id for job in (first, *waiting)]
    assert {harness.job(job.job_id).starts for job in waiting} <= {1}


def test_over_http_it_is_507_and_nothing_changes(disk: SmallDisk, served: OperatorServer) -> None:
    feeds, config = "https://example.com/feed.xml", "profile: dev\n"
    assert served.http.put("/api/feeds", json={"feeds": [feeds]}).status_code == 200
    assert served.http.put("/api/operator-config", json={"content": config}).status_code == 200
    served.http.post("/api/jobs/pause")
    with disk.full(psutil.Process()):
        refused = served.http.post("/api/jobs")
        while refused.status_code == 202:
            refused = served.http.post("/api/jobs")
        more = {"feeds": [f"https://example.com/{n}" for n in range(300)]}
        for response in (
            refused,
            served.http.put("/api/feeds", json=more),
            served.http.put("/api/operator-config", json={"content": config + "# \n" * 3000}),
        ):
            assert (response.status_code, response.json()["detail"]["error"]) == (507, "disk_full")
        assert served.http.get("/api/feeds").json()["feeds"] == [feeds]
        assert served.http.get("/api/operator-config").json()["content"] == config
        assert served.http.get("/api/jobs").status_code == 200
    assert served.http.put("/api/feeds", json=more).status_code == 200
    assert served.http.post("/api/jobs").status_code == 202
