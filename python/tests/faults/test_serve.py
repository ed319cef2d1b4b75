"""`nexus serve`: started, stopped, killed, started again."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx2
import psutil
import pytest

from nexus.config import load_settings
from nexus.db import embedded
from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import head_revision, upgrade
from nexus.db.session import Database
from tests.api.test_errors import problem
from tests.conftest import running_app, settings_for
from tests.processes import TRUSTS_NOBODY, Nexus, ServerProcess, eventually, kill

ROOT = Path(__file__).parents[3]


def library_of(server: ServerProcess) -> str:
    library: str = server.get("/api/me").json()["default_library_id"]
    return library


def test_first_start_is_ready_and_a_stop_leaves_nothing_running(nexus: Nexus) -> None:
    server = nexus.serve(WORKER_RENDER="auto")
    eventually(lambda: server.get("/ready").json() == ready("running"), "the worker did not start")
    assert server.terminate() == 0
    assert nexus.gone()


def test_data_survives_a_restart_and_a_kill_of_everything(nexus: Nexus) -> None:
    server = nexus.serve("--no-worker")
    library = library_of(server)
    server.terminate()

    server = nexus.serve("--no-worker")
    assert library_of(server) == library
    kill(psutil.Process(server.process.pid), nexus.postmaster())
    server.process.wait()

    server = nexus.serve("--no-worker")
    assert library_of(server) == library


def test_postgres_killed_under_a_running_server_comes_back(nexus: Nexus) -> None:
    server = nexus.serve("--no-worker")
    library = library_of(server)
    for find_process in (nexus.postmaster, nexus.supervisor):
        before = nexus.postmaster().pid
        find_process().kill()
        # Another one: that of a killed supervisor still answers while it shuts down.
        back = partial(is_ready_on_another_postmaster, server, nexus, before)
        eventually(back, "the database did not come back")
        assert library_of(server) == library


def test_lost_database_is_told_and_found_again(nexus: Nexus, data_dir: Path) -> None:
    """A PostgreSQL of the operator's: no server of ours starts it again."""
    postgres = EmbeddedServer(data_dir / "elsewhere")
    postgres.start()
    try:
        nexus.environment["DATABASE_URL"] = settings_for(postgres, "nexus").database_url or ""
        assert nexus.invoke("db", "upgrade").returncode == 0
        server = nexus.serve("--no-worker")
        assert server.get("/ready").status_code == 200
        with lost_database(nexus):
            for path in ("/ready", "/api/me"):
                problem(server.get(path), 503, "database_unavailable")
            assert server.get("/health").status_code == 200
            assert "nexus_database_up 0.0" in server.get("/metrics").text
        eventually(lambda: server.get("/ready").status_code == 200, "the database was not found again")
        assert server.terminate() == 0
    finally:
        postgres.stop()


def test_embedded_database_that_stays_away_is_told(nexus: Nexus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request waits for it to be started again, here for a shorter time."""
    monkeypatch.setattr(embedded, "RESTART_WAIT_SECONDS", 0.5)
    settings = load_settings(data_dir=nexus.data_dir)
    with Database(settings) as database:
        upgrade(database.engine)
        with running_app(settings, database) as url, httpx2.Client(base_url=url, timeout=60) as http:
            assert http.get("/ready").status_code == 200
            with lost_database(nexus):
                problem(http.get("/ready"), 503, "database_unavailable")
            eventually(lambda: http.get("/ready").status_code == 200, "the database was not found again")


@contextmanager
def lost_database(nexus: Nexus) -> Iterator[None]:
    """Killed with all its connections, and not started again within the block."""
    supervisor = nexus.supervisor()
    supervisor.suspend()
    try:
        assert nexus.matching("postgres:")
        nexus.postmaster().kill()
        eventually(lambda: not nexus.matching("postgres:"), "PostgreSQL outlived its postmaster")
        yield
    finally:
        supervisor.resume()


def is_ready_on_another_postmaster(server: ServerProcess, nexus: Nexus, before: int) -> bool:
    running = {process.pid for process in nexus.matching("/postgres -D")}
    return bool(running) and before not in running and server.get("/ready").status_code == 200


def test_killed_worker_is_visible_and_started_again(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    server = nexus.serve()
    eventually(lambda: server.get("/ready").json()["worker"] == "running", "no worker")
    first = nexus.worker()
    eventually(lambda: absence_is_visible(server, nexus), "its absence was not visible")
    eventually(lambda: server.get("/ready").json()["worker"] == "running", "no new worker")
    assert nexus.worker().pid != first.pid
    assert not first.is_running()
    assert "the worker ended and is started again" in server.log.read_text()


def absence_is_visible(server: ServerProcess, nexus: Nexus) -> bool:
    """Kill it as often as it comes back: each time it stays away longer, at last longer than a poll takes."""
    kill(*nexus.matching("--stop-with-parent"))
    away = server.get("/ready").json()["worker"] == "restarting"
    return away and "nexus_worker_up 0.0" in server.get("/metrics").text


def test_killed_server_takes_worker_and_database_with_it(nexus: Nexus) -> None:
    server = nexus.serve(WORKER_RENDER="auto")
    eventually(lambda: server.get("/ready").json()["worker"] == "running", "no worker")
    server.kill()
    eventually(nexus.gone, "something outlived a killed server")


def test_port_in_use_is_one_clear_line(nexus: Nexus) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        response = nexus("serve", "--port", port)
    assert response.returncode == 2
    assert response.stderr.splitlines()[-1].startswith(
        f"nexus: Cannot listen on 127.0.0.1 port {port}: Address already in use"
    )
    assert not (nexus.data_dir / "postgres").exists()


def test_dev_mode_is_not_served_to_the_network_by_accident(nexus: Nexus) -> None:
    response = nexus.invoke("serve", "--host", "0.0.0.0", "--port", "0")
    assert response.returncode == 2
    assert "NEXUS_AUTH=token" in response.stderr
    assert "--allow-dev-auth" in response.stderr


def test_dev_mode_is_served_beyond_when_asked_and_tokens_always(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    for options, environment in ((["--allow-dev-auth"], {}), ([], {"NEXUS_AUTH": "token"})):
        server = nexus.serve("--host", "0.0.0.0", "--no-worker", *options, **environment)
        port = server.url.rpartition(":")[2]
        assert httpx2.get(f"http://127.0.0.1:{port}/ready", timeout=60, verify=TRUSTS_NOBODY).json() == ready(
            "elsewhere"
        )
        server.terminate()


def test_listens_on_ipv6(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    server = nexus.serve("--host", "::1", "--no-worker")
    assert server.url.startswith("http://[::1]:")
    assert server.get("/health").status_code == 200


def test_logs_are_json_lines_with_the_request_id_and_no_secrets(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    server = nexus.serve("--no-worker", NEXUS_LOG_FORMAT="json", NEXUS_AUTH="token", NEXUS_AUHT="oops")
    secret = "nxs_" + "s" * 43
    # Twice: with a parameter, which no route takes, and with a token that nobody has.
    for number, path in enumerate(("/api/me?token=hunter2", "/api/me")):
        server.get(path, headers={"Authorization": f"Bearer {secret}", "X-Request-Id": f"request-{number}"})
    server.terminate()
    text = server.log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    answered = {line["request_id"]: (line["path"], line["status"]) for line in lines if line["event"] == "request"}
    assert answered == {"request-0": ("/api/me", 422), "request-1": ("/api/me", 401)}
    assert secret not in text
    assert "hunter2" not in text
    assert any("did you mean NEXUS_AUTH?" in line["event"] for line in lines)


def test_application_for_other_servers(nexus_on_copy: Nexus) -> None:
    """apps/api/main.py, the way uvicorn and gunicorn load it, on a database that somebody else serves."""
    script = "from apps.api.main import app; print(app.title)"
    environment = {"DATABASE_URL": nexus_on_copy.environment["DATABASE_URL"]}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("Nexus\n", 0), done.stderr


def ready(worker: str) -> dict[str, str]:
    return {"status": "ready", "schema_revision": head_revision(), "worker": worker}
