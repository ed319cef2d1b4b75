"""A disk that is really full: what is refused says so, what was accepted is kept, and jobs wait for room."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nexus.errors import DiskFullError
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.queue import quietly_sweep
from nexus.operator.jobs.records import Job
from nexus.operator.jobs.settle import look_at
from tests.operator.conftest import Served
from tests.operator.disks_and_pids import SmallDisk, small_disk
from tests.operator.scripts import Bench, Script, processes_of, waits_for
from tests.processes import eventually


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "corpus") as made:
        yield made
        eventually(lambda: not processes_of(made.root), "a process was left")


def accepted_until_it_is_full(bench: Bench) -> list[Job]:
    accepted = []
    for _ in range(200):  # the last block of the registry has room for some
        try:
            accepted.append(bench.enqueue(Script("pass", ("x" * 1500,))))
        except DiskFullError:
            return accepted
    raise AssertionError("the disk is not full")


def test_what_was_accepted_runs_once_there_is_room(disk: SmallDisk, tmp_path: Path) -> None:
    bench = Bench(disk.root)
    first = bench.enqueue(waits_for(tmp_path / "go"))
    bench.started(first)
    with disk.full(psutil.Process()):
        waiting = accepted_until_it_is_full(bench)
        (tmp_path / "go").touch()
        files = JobFiles(bench.queue.corpus.job_dir(first.job_id))
        eventually(lambda: look_at(files) == "ended", "its outcome found no room")
        for _ in range(5):
            quietly_sweep(bench.queue)
        assert {bench.job(job.job_id).status for job in waiting} <= {"queued"}
    assert [bench.ends(job).status for job in (first, *waiting)] == ["succeeded"] * (1 + len(waiting))
    assert [job.job_id for job in bench.restart().registry.jobs()] == [job.job_id for job in (first, *waiting)]
    assert {bench.job(job.job_id).starts for job in waiting} <= {1}


def test_over_http_it_is_507_and_nothing_changes(disk: SmallDisk, served: Served) -> None:
    feeds, config = "https://example.com/feed.xml", "profile: dev\n"
    assert served.http.put("/api/feeds", json={"feeds": [feeds]}).status_code == 200
    assert served.http.put("/api/operator-config", json={"content": config}).status_code == 200
    served.http.post("/api/jobs/pause")
    with disk.full(psutil.Process()):
        refused = served.http.post("/api/jobs")
        while refused.status_code == 202:
            refused = served.http.post("/api/jobs")
        more = {"feeds": [f"https://example.com/{n}" for n in range(300)]}
        for answer in (
            refused,
            served.http.put("/api/feeds", json=more),
            served.http.put("/api/operator-config", json={"content": config + "# \n" * 3000}),
        ):
            assert (answer.status_code, answer.json()["detail"]["error"]) == (507, "disk_full")
        assert served.http.get("/api/feeds").json()["feeds"] == [feeds]
        assert served.http.get("/api/operator-config").json()["content"] == config
        assert served.http.get("/api/jobs").status_code == 200
    assert served.http.put("/api/feeds", json=more).status_code == 200
    assert served.http.post("/api/jobs").status_code == 202
