"""Workers are killed while they load, apply and take back rows: the next one goes on, and no row is lost or doubled."""

from pathlib import Path

import httpx2
import psycopg
import pytest

from nexus.db.session import Database
from tests.imports.uploading import ImportWorker, again, all_rows, change, links, preview
from tests.processes import count_kills, script_environment

SCRIPT = Path(__file__).with_name("killed_steps.py")
ROWS = 45


@pytest.fixture
def environment(database: Database, data_of_process: Path) -> dict[str, str]:
    return script_environment(database, data_of_process)


def test_killed_at_many_lines(
    client: httpx2.Client, connection: psycopg.Connection, work: ImportWorker, environment: dict[str, str]
) -> None:
    made = preview(client, {"a.txt": links(ROWS)})
    change(client, made, "start")
    assert count_kills(SCRIPT, 199, environment=environment) > 4
    done = again(client, made)
    assert (done["status"], done["outcomes"]["added"], done["outcomes"]["waiting"]) == ("finished", ROWS, 0)
    assert [row["url"] for row in all_rows(client, made)] == links(ROWS).split()
    counted = "SELECT count(*), count(DISTINCT url_key), (SELECT count(*) FROM library_media) FROM items"
    assert connection.execute(counted).fetchone() == (ROWS, ROWS, ROWS)
    change(client, made, "undo")
    assert count_kills(SCRIPT, 233, environment=environment) > 1
    assert again(client, made)["status"] == "undone"
    left = "SELECT (SELECT count(*) FROM items), (SELECT count(*) FROM library_media)"
    assert connection.execute(left).fetchone() == (0, 0)


def test_rows_that_are_gone_or_damaged_end_it(
    client: httpx2.Client, work: ImportWorker, connection: psycopg.Connection, data_of_process: Path
) -> None:
    """The import fails with a sentence instead of being tried for ever."""
    gone, damaged = preview(client, {"a.txt": links(3)}), preview(client, {"a.txt": links(4)})
    for made in (gone, damaged):
        change(client, made, "start")
        row = connection.execute("SELECT rows_sha256 FROM imports WHERE id = %s", [made["id"]]).fetchone()
        assert row is not None
        name = row[0].hex()
        (blob,) = (data_of_process / "blobs").rglob(name)
        if made is gone:
            blob.unlink()
        else:
            blob.write_bytes(blob.read_bytes()[:-10])
    work.all()
    for made in (gone, damaged):
        ended = again(client, made)
        assert (ended["status"], ended["outcomes"]["waiting"]) == ("cancelled", ended["total"])
        assert ended["message"]


def test_two_workers_at_one_import(client: httpx2.Client, work: ImportWorker, other_work: ImportWorker) -> None:
    made = preview(client, {"a.txt": links(400)})
    change(client, made, "start", options={"fetch": False})
    while work.step() | other_work.step():
        pass
    done = again(client, made)
    assert (done["status"], done["outcomes"]["added"]) == ("finished", 400)


def test_a_row_that_breaks_our_code_fails_alone(
    client: httpx2.Client, work: ImportWorker, connection: psycopg.Connection
) -> None:
    """A row that breaks a constraint stands for any unexpected error."""
    connection.execute(
        "ALTER TABLE items ADD CONSTRAINT ck_broken CHECK (requested_url <> 'https://example.org/5') NOT VALID"
    )
    connection.commit()
    try:
        made = preview(client, {"a.txt": links(12)})
        change(client, made, "start")
        work.all()
    finally:
        connection.execute("ALTER TABLE items DROP CONSTRAINT ck_broken")
        connection.commit()
    done = again(client, made)
    assert (done["status"], done["outcomes"]["added"], done["outcomes"]["failed"]) == ("finished", 11, 1)
    (failed,) = all_rows(client, made, outcome="failed")
    assert (failed["url"], failed["code"]) == ("https://example.org/5", "internal_error")
    change(client, made, "retry-failed")
    work.all()
    assert again(client, made)["outcomes"]["added"] == 12
