"""What a job really runs: the pipeline here, or a container; exactly what an operator could type."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx2
import psutil
import pytest

from nexus.app import create_app
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.operator.jobs.lost_containers import remove_lost_containers
from nexus.operator.jobs.records import Job, now
from nexus.operator.service import Operator
from nexus.operator.sweeper import Sweeper
from tests.conftest import serving, settings_for
from tests.operator.conftest import EVERYTHING
from tests.operator.scripts import OVER, processes_of
from tests.processes import TRUSTS_NOBODY, WAIT_SECONDS, eventually

OpenServer = Callable[..., AbstractContextManager[httpx2.Client]]


@pytest.fixture
def serve_operator(tmp_path: Path, postgres: EmbeddedServer, database: Database, database_name: str) -> OpenServer:
    @contextmanager
    def opened(**values: object) -> Iterator[httpx2.Client]:
        """A server whose jobs are the real ones."""
        settings = settings_for(postgres, database_name, output_dir=tmp_path, **(EVERYTHING | values))
        operator = Operator(settings)
        with Sweeper(operator, seconds=1), serving(create_app(settings, database, operator=operator)) as url:
            with httpx2.Client(base_url=url, timeout=60, verify=TRUSTS_NOBODY) as http:
                yield http
            eventually(lambda: not processes_of(tmp_path), "a process was left")

    return opened


def status(http: httpx2.Client, job_id: str) -> str:
    found: str = http.get(f"/api/jobs/{job_id}").json()["status"]
    return found


def test_real_command_is_what_an_operator_could_type(serve_operator: OpenServer, tmp_path: Path) -> None:
    with serve_operator() as http:
        http.post("/api/jobs/pause")
        feeds = ["https://example.com/private?token=hunter2", "https://example.org/b"]
        http.put("/api/feeds", json={"feeds": feeds})
        http.put("/api/operator-config", json={"content": "timeout: 20\n"})
        options: dict[str, str | int | bool] = {"feed": feeds[0], "max_episodes": 3, "skip_existing": True}
        job = http.post("/api/jobs", params=options | {"dry_run": True}).json()
        argv = json.loads(http.get(f"/api/jobs/{job['job_id']}").json()["argv_summary"])
        unknown = http.post("/api/jobs", params={"feed": "https://example.net/no"})
    assert argv[1:12] == [
        "-m", "nexus.cli", "podcast", "--output-dir", str(tmp_path), "--config", str(tmp_path / "viewer_operator.yaml"),
        "--feeds-spec", str(tmp_path / "feeds.spec.yaml"), "--feed", argv[11],
    ]  # fmt: skip
    assert argv[12:] == ["--max-episodes", "3", "--skip-existing", "--dry-run", "--run-id", job["job_id"]]
    assert "hunter2" not in (tmp_path / ".viewer/jobs.jsonl").read_text()
    assert (unknown.status_code, unknown.json()["detail"]["error"]) == (404, "not_found")


FAKE_DOCKER = """#!/bin/sh
env > "{record}.environment"
printf '%s\\n' "$@" "--end--" >> "{record}"
case "$1" in rm) while [ -e "{record}.hold" ]; do sleep 0.05; done;; esac
case "$1" in rm) if [ -e "{record}.error" ]; then cat "{record}.error" >&2; exit 1; fi;; esac
case "$1" in compose) echo ran; exec sleep 600;; esac
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of this name that records its arguments. No other one is found: this machine may have a real docker."""
    folder = tmp_path / "bin"
    folder.mkdir()
    record = folder / "argv"
    (folder / "docker").write_text(FAKE_DOCKER.format(record=record))
    (folder / "docker").chmod(0o755)
    for name in ("cat", "env", "sleep"):
        (folder / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(folder))
    return record


def test_docker_mode(serve_operator: OpenServer, docker: Path, tmp_path: Path) -> None:
    where = {"docker_project_dir": "/srv/nexus", "docker_compose_files": "a.yml, b.yml", "job_cancel_grace_seconds": 1}
    with serve_operator(pipeline_exec_mode="docker", **where) as http:
        refused = http.post("/api/jobs")
        assert (refused.status_code, refused.json()["detail"]["error"]) == (400, "pipeline_install_extras_required")
        for extras, service in (("ml", "pipeline"), ("llm", "pipeline-llm")):
            (tmp_path / "viewer_operator.yaml").write_text(f"pipeline_install_extras: {extras}\n")
            job = http.post("/api/jobs").json()
            name = f"nexus-job-{job['job_id']}"
            eventually(lambda: docker.exists() and "--end--" in docker.read_text(), "docker was not called")
            assert docker.read_text().splitlines() == [
                "compose", "--project-directory", "/srv/nexus", "--file", "a.yml", "--file", "b.yml", "run", "--rm",
                "--no-TTY", "--name", name, service, "nexus", "podcast", "--output-dir", str(tmp_path),
                "--config", str(tmp_path / "viewer_operator.yaml"), "--run-id", job["job_id"], "--end--",
            ]  # fmt: skip
            docker.unlink()
            http.post(f"/api/jobs/{job['job_id']}/cancel")
            eventually(lambda job=job: status(http, job["job_id"]) in OVER, "it was not settled")  # type: ignore[misc]
            assert status(http, job["job_id"]) == "cancelled"
            assert docker.read_text().splitlines() == ["rm", "--force", name, "--end--"]
            docker.unlink()


@dataclass
class ContainerJob:
    """A job that runs in a container, by the requests and files that an operator has of it."""

    http: httpx2.Client
    id: str
    pid: int  # of docker compose
    runner_pid: int

    def settled(self) -> str | None:
        """Why it ended."""
        eventually(lambda: status(self.http, self.id) in OVER, "it was not settled")
        reason: str | None = self.http.get(f"/api/jobs/{self.id}").json()["error_reason"]
        return reason

    @property
    def removal(self) -> list[str]:
        """What docker is called with to remove the container."""
        return ["rm", "--force", f"nexus-job-{self.id}", "--end--"]


@pytest.fixture
def container_job(serve_operator: OpenServer, docker: Path, tmp_path: Path) -> Iterator[ContainerJob]:
    (tmp_path / "viewer_operator.yaml").write_text("pipeline_install_extras: ml\n")
    with serve_operator(pipeline_exec_mode="docker") as http:
        job_id = http.post("/api/jobs").json()["job_id"]
        started = tmp_path / f".viewer/jobs/{job_id}/started.json"
        eventually(lambda: started.exists() and json.loads(started.read_text())["pid"], "it did not start")
        eventually(docker.exists, "docker was not called")
        process = json.loads(started.read_text())
        yield ContainerJob(http, job_id, process["pid"], process["runner_pid"])


def test_container_whose_docker_compose_died_is_removed(container_job: ContainerJob, docker: Path) -> None:
    psutil.Process(container_job.pid).kill()
    assert container_job.settled() == "exit_code_-9"
    assert docker.read_text().splitlines()[-4:] == container_job.removal


def test_container_of_a_lost_job_is_removed(container_job: ContainerJob, docker: Path) -> None:
    psutil.Process(container_job.runner_pid).kill()
    assert container_job.settled() == "orphan_reconciled_dead_pid"
    assert docker.read_text().splitlines()[-4:] == container_job.removal


CANNOT_CONNECT = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"


@pytest.mark.parametrize("defect", ["it refuses", "it does not answer"])
def test_lost_job_is_settled_once_its_container_is_removed(
    container_job: ContainerJob,
    docker: Path,
    defect: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    hold, error = Path(f"{docker}.hold"), Path(f"{docker}.error")
    if defect == "it does not answer":
        monkeypatch.setattr("nexus.operator.jobs.processes.CLEANUP_SECONDS", 0.2)
        hold.touch()
    else:
        error.write_text(CANNOT_CONNECT)
    psutil.Process(container_job.runner_pid).kill()
    eventually(lambda: "cannot be removed; trying again" in caplog.text, "nobody is told")
    container_job.http.post("/api/jobs/reconcile")
    assert status(container_job.http, container_job.id) == "running"
    monkeypatch.setattr("nexus.operator.jobs.processes.CLEANUP_SECONDS", WAIT_SECONDS)  # for a docker that answers
    hold.unlink(missing_ok=True)
    error.unlink(missing_ok=True)
    assert container_job.settled() == "orphan_reconciled_dead_pid"
    assert docker.read_text().splitlines()[-4:] == container_job.removal


def test_lost_job_whose_container_is_gone_is_settled(container_job: ContainerJob, docker: Path) -> None:
    Path(f"{docker}.error").write_text(f"Error response from daemon: No such container: nexus-job-{container_job.id}")
    psutil.Process(container_job.runner_pid).kill()
    assert container_job.settled() == "orphan_reconciled_dead_pid"


def test_lost_job_whose_container_cannot_be_removed_is_settled_when_it_is_cancelled(
    container_job: ContainerJob, docker: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Or a Docker that is never repaired would block the queue forever."""
    Path(f"{docker}.error").write_text(CANNOT_CONNECT)
    psutil.Process(container_job.runner_pid).kill()
    eventually(lambda: "cannot be removed; trying again" in caplog.text, "nobody is told")
    container_job.http.post(f"/api/jobs/{container_job.id}/cancel")
    assert container_job.settled() == "cancelled"
    assert "cannot be removed; its job was cancelled" in caplog.text


def lost_job(*, cancel_requested: bool = False) -> Job:
    return Job(
        job_id=str(uuid4()), seq=1, status="running", created_at=now(), exec_mode="docker",
        cancel_requested=cancel_requested,
    )  # fmt: skip


def test_container_that_cannot_be_removed_delays_no_other_job(docker: Path) -> None:
    stuck, other = lost_job(), lost_job()
    (docker.parent / "docker").write_text(
        f"#!/bin/sh\ncase $3 in nexus-job-{stuck.job_id}) echo 'device or resource busy' >&2; exit 1;; esac\n"
    )
    assert remove_lost_containers([stuck, other], {"PATH": str(docker.parent)}) == {other.job_id}


def test_cancelled_job_is_settled_behind_one_whose_docker_does_not_respond(
    docker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Docker is not called again for it, since that would take another minute."""
    monkeypatch.setattr("nexus.operator.jobs.processes.CLEANUP_SECONDS", 0.2)
    Path(f"{docker}.hold").touch()
    waiting, cancelled = lost_job(), lost_job(cancel_requested=True)
    assert remove_lost_containers([waiting, cancelled], {"PATH": str(docker.parent)}) == {cancelled.job_id}
    assert not docker.exists() or docker.read_text().count("--end--") == 1


def test_lost_job_is_settled_where_docker_is_gone(
    container_job: ContainerJob, docker: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It would block the queue until somebody installs it again; that its container may still run is logged."""
    (docker.parent / "docker").unlink()
    psutil.Process(container_job.runner_pid).kill()
    container_job.settled()
    assert "there is no docker command" in caplog.text


def test_job_whose_container_stays_says_so_in_its_log(container_job: ContainerJob, docker: Path) -> None:
    Path(f"{docker}.error").write_text(CANNOT_CONNECT)
    psutil.Process(container_job.pid).kill()
    container_job.settled()
    said = container_job.http.get(f"/api/jobs/{container_job.id}/log").text
    assert f"the container could not be removed and may still run: {CANNOT_CONNECT}" in said


def test_container_gets_what_the_compose_file_and_the_pipeline_need(
    serve_operator: OpenServer, docker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what was given as a flag and not as a variable; by name, so that no value is in the command."""
    given = {"PODCAST_USER_ID": "00000000-0000-0000-0000-00000000000a", "NEXUS_PODCAST_MAX_EPISODES": "3"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PODCAST_SERVE_OUTPUT_DIR", raising=False)
    (tmp_path / "viewer_operator.yaml").write_text("pipeline_install_extras: ml\n")
    with serve_operator(pipeline_exec_mode="docker", job_cancel_grace_seconds=1) as http:
        job = http.post("/api/jobs").json()
        eventually(lambda: docker.exists() and "--end--" in docker.read_text(), "docker was not called")
        words = docker.read_text().splitlines()
        environment = dict(
            line.split("=", 1) for line in Path(f"{docker}.environment").read_text().splitlines() if "=" in line
        )
        http.post(f"/api/jobs/{job['job_id']}/cancel")
        eventually(lambda: status(http, job["job_id"]) in OVER, "it was not settled")
    assert environment["PODCAST_SERVE_OUTPUT_DIR"] == str(tmp_path)
    for name, value in given.items():
        assert words[words.index(name) - 1] == "--env"
        assert environment[name] == value
    assert words.index("NEXUS_PODCAST_MAX_EPISODES") < words.index("pipeline")


def test_slow_removal_of_a_container_does_not_block_the_registry(
    serve_operator: OpenServer, docker: Path, tmp_path: Path
) -> None:
    (tmp_path / "viewer_operator.yaml").write_text("pipeline_install_extras: ml\n")
    hold = Path(f"{docker}.hold")
    hold.touch()
    with serve_operator(pipeline_exec_mode="docker", job_cancel_grace_seconds=1) as http:
        lost = http.post("/api/jobs").json()["job_id"]
        started = tmp_path / f".viewer/jobs/{lost}/started.json"
        eventually(lambda: started.exists() and json.loads(started.read_text())["pid"], "it did not start")
        psutil.Process(json.loads(started.read_text())["runner_pid"]).kill()
        eventually(lambda: docker.exists() and "rm" in docker.read_text().splitlines(), "its container is not removed")
        accepted = http.post("/api/jobs")  # would be 503 after half a minute if the registry were held
        assert (accepted.status_code, status(http, lost)) == (202, "running")
        assert http.post(f"/api/jobs/{accepted.json()['job_id']}/cancel").json()["status"] == "cancelled"
        hold.unlink()
        eventually(lambda: status(http, lost) in OVER, "it was not settled")
        assert http.get(f"/api/jobs/{lost}").json()["error_reason"] == "orphan_reconciled_dead_pid"
