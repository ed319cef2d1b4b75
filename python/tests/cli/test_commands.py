"""The `nexus` command as people and scripts use it."""

import json
import os
import stat
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest
from typer.testing import CliRunner

from nexus.cli import COMMANDS, build_app
from nexus.config import load_settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import head_revision
from nexus.db.session import Database
from nexus.services.tokens import open_session
from tests.conftest import settings_for
from tests.processes import WAIT_SECONDS, Nexus, eventually

USER = "11111111-1111-1111-1111-111111111111"


def test_version(nexus: Nexus) -> None:
    assert nexus("--version").stdout == f"nexus {version('nexus')}\n"


def test_garbage_collector_leaves_alone_what_a_command_imports() -> None:
    """Otherwise each collection, one at the end included, costs a server 0.2 s for objects that stay."""
    command = "import gc; from nexus.cli import build_app; build_app(['jobs'])"
    script = f"{command}; print(gc.get_freeze_count(), len(gc.get_objects()))"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    frozen, watched = map(int, done.stdout.split())
    assert frozen > 10 * watched


@pytest.mark.parametrize(
    "command", ["", *COMMANDS, "db upgrade", "db status", "db backup", "db restore", "db url",
                "token create", "token list", "token revoke",
                "token sessions", "token end-session"],
)  # fmt: skip
def test_every_command_explains_itself(command: str) -> None:
    response = CliRunner().invoke(build_app(), [*command.split(), "--help"], prog_name="nexus")
    assert response.exit_code == 0
    assert "Usage: nexus" in response.stdout


def test_bad_setting_is_one_line_and_exit_2(nexus: Nexus) -> None:
    response = nexus.invoke("serve", NEXUS_PORT="eighty")
    assert (response.returncode, response.stdout) == (2, "")
    assert response.stderr.startswith("nexus: NEXUS_PORT is not valid: it should be a valid integer")
    assert len(response.stderr.splitlines()) == 1


def test_unreachable_database_is_one_line(nexus: Nexus) -> None:
    response = nexus.invoke("db", "status", DATABASE_URL="postgresql://nobody:hunter2@127.0.0.1:1/none")
    assert response.returncode == 1
    assert len(response.stderr.splitlines()) == 1
    assert response.stderr.startswith("nexus: Cannot reach the database of DATABASE_URL")
    assert "hunter2" not in response.stderr


def test_database_by_hand(nexus: Nexus) -> None:
    before = nexus("db", "status", "--json")
    assert before.returncode == 1
    assert json.loads(before.stdout)["up_to_date"] is False
    assert nexus("db", "upgrade").stdout == f"The schema is up to date ({head_revision()}).\n"
    after = nexus("db", "status", "--json")
    facts = json.loads(after.stdout)
    assert (after.returncode, facts["database"], facts["schema"]) == (0, "embedded", head_revision())
    assert str(nexus.data_dir) in nexus("db", "status").stdout


def test_backup_and_restore(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    copy = nexus.data_dir / "copy.dump"
    first = json.loads(nexus.invoke("token", "create", "--user", USER, "--json").stdout)
    assert nexus.invoke("db", "backup", str(copy)).returncode == 0
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    nexus.invoke("token", "create", "--user", USER)

    refused = nexus.invoke("db", "restore", str(copy))
    assert refused.returncode == 1
    assert "--replace" in refused.stderr
    assert len(tokens(nexus)) == 2

    assert nexus.invoke("db", "restore", "--replace", str(copy)).returncode == 0
    assert [token["id"] for token in tokens(nexus)] == [first["id"]]


def test_embedded_database_is_backed_up_with_its_own_programs(nexus: Nexus) -> None:
    nexus("db", "upgrade")
    copy = nexus.data_dir / "copy.dump"
    assert nexus("db", "backup", str(copy)).returncode == 0
    assert nexus("db", "restore", str(copy)).stdout == f"Restored {copy}.\n"


def test_backup_follows_no_link_that_somebody_put_there(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    copy, victim = nexus.data_dir / "copy.backup", nexus.data_dir / "victim"
    victim.write_text("mine")
    (nexus.data_dir / "copy.backup.part").symlink_to(victim)
    copy.symlink_to(victim)
    abandoned = nexus.data_dir / ".copy.backup.abcd.part"
    abandoned.touch()
    os.utime(abandoned, (0, 0))
    assert nexus.invoke("db", "backup", str(copy)).returncode == 0
    assert (victim.read_text(), copy.is_symlink(), abandoned.exists()) == ("mine", False, False)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert copy.read_bytes().startswith(b"PGDMP")
    assert list(nexus.data_dir.glob(".copy.backup.*")) == []


def test_torn_backup_changes_nothing(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    copy = nexus.data_dir / "copy.dump"
    nexus.invoke("token", "create", "--user", USER)
    nexus.invoke("db", "backup", str(copy))
    copy.write_bytes(copy.read_bytes()[:-3000])
    response = nexus.invoke("db", "restore", "--replace", str(copy))
    assert response.returncode == 1
    assert response.stderr.startswith("nexus: pg_restore failed")
    assert len(tokens(nexus)) == 1
    assert nexus.invoke("db", "restore", str(nexus.data_dir / "missing")).stderr.startswith("nexus: There is no file")


def test_backup_into_nowhere_is_one_line(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    response = nexus.invoke("db", "backup", str(nexus.data_dir / "no" / "folder"))
    assert (response.returncode, len(response.stderr.splitlines())) == (1, 1)


def test_url_is_for_psql(nexus: Nexus) -> None:
    server = nexus.serve("--no-worker")
    url = nexus("db", "url").stdout.strip()
    status = nexus.invoke("db", "status", "--json", DATABASE_URL=url)
    assert json.loads(status.stdout)["database"] == "DATABASE_URL"
    assert server.get("/ready").status_code == 200


def test_schema_of_somebody_elses_server_is_only_checked(
    nexus: Nexus, empty_database: str, postgres: EmbeddedServer
) -> None:
    url = settings_for(postgres, empty_database).database_url or ""
    refused = nexus("worker", "--once", DATABASE_URL=url)
    assert refused.returncode == 1
    assert "run 'nexus db upgrade' first" in refused.stderr

    server = nexus.serve("--no-worker", DATABASE_URL=url)
    assert server.get("/ready").json()["detail"]["error"] == "schema_outdated"
    assert nexus.invoke("db", "upgrade", DATABASE_URL=url).returncode == 0
    assert server.get("/ready").status_code == 200
    assert nexus("worker", "--once", DATABASE_URL=url).returncode == 0


def test_tokens_are_shown_once_listed_and_revoked(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    made = nexus.invoke("token", "create", "--user", USER, "--operator", "--label", "laptop")
    secret = made.stdout.strip()
    assert secret.startswith("nxs_")
    listed = nexus.invoke("token", "list")
    assert "laptop" in listed.stdout
    assert secret not in listed.stdout
    (token,) = tokens(nexus)
    assert (token["operator"], token["revoked_at"]) == (True, None)
    assert nexus.invoke("token", "revoke", token["id"]).returncode == 0
    first = tokens(nexus)[0]["revoked_at"]
    assert first is not None
    assert nexus.invoke("token", "revoke", token["id"]).returncode == 0
    assert tokens(nexus)[0]["revoked_at"] == first


def test_sessions_are_listed_and_ended_one_by_one(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    assert "No browser is signed in" in nexus.invoke("token", "sessions").stdout
    made = json.loads(nexus.invoke("token", "create", "--user", USER, "--json").stdout)
    with Database(load_settings(database_url=nexus.environment["DATABASE_URL"])) as database:
        with database.transaction() as session:
            secrets = [open_session(session, made["token"])[1] for _ in range(2)]
        listed = nexus.invoke("token", "sessions", "--json").stdout
        first, second = json.loads(listed)
        assert {first["user"], second["user"], first["token"]} == {USER, made["id"]}
        assert not any(secret in listed for secret in secrets)
        assert nexus.invoke("token", "end-session", first["id"]).returncode == 0
        assert second["id"] in nexus.invoke("token", "sessions").stdout
        assert first["id"] not in nexus.invoke("token", "sessions").stdout
    nexus.invoke("token", "revoke", made["id"])
    assert json.loads(nexus.invoke("token", "sessions", "--json").stdout) == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["token", "create", "--user", "me"], 2, "a valid UUID"),
        (["token", "create", "--user", USER, "--label", "x" * 101], 2, "at most 100 characters"),
        (["token", "revoke", USER], 1, "There is no token"),
        (["token", "end-session", USER], 1, "There is no session"),
        (["serve", "--port", "http"], 2, "a valid integer"),
        (["nonsense"], 2, "No such command"),
    ],
)
def test_wrong_arguments_are_answered_in_words(nexus: Nexus, arguments: list[str], code: int, said: str) -> None:
    response = nexus.invoke(*arguments)
    assert response.returncode == code
    assert said in response.stderr
    assert response.stderr.startswith("nexus: ")
    assert len(response.stderr.splitlines()) == 1


def test_worker_under_its_old_name(nexus: Nexus) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.worker", "--once", "--data-dir", str(nexus.data_dir)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_worker_stops_on_sigterm_with_exit_0(nexus_on_copy: Nexus) -> None:
    nexus = nexus_on_copy
    worker = nexus.start("worker")
    log = nexus.data_dir / "process.log"
    eventually(lambda: "worker started" in log.read_text(), "the worker did not start")
    worker.terminate()
    assert worker.wait(WAIT_SECONDS) == 0
    assert "worker stopped" in log.read_text()


def tokens(nexus: Nexus) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(nexus.invoke("token", "list", "--json").stdout)
    return listed
