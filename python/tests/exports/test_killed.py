"""Workers that are really killed while they write an export: another one goes on, and nothing is left behind."""

from datetime import timedelta
from pathlib import Path

import pytest

from nexus.config import Settings
from nexus.db.session import Database
from nexus.store import open_store
from nexus.store.collect import collect
from tests.api.saving import ALICE, save
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps
from tests.processes import count_kills, eventually, plain_url, run_nexus, script_environment

SCRIPT = Path(__file__).with_name("killed_exports.py")
STEP = 29  # a child costs a connection and a few imports
NOW = timedelta(0)
KEPT = 3
WAITS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%fragments%'
"""


def environment_of(database: Database, settings: Settings) -> dict[str, str]:
    url = plain_url(database.url)
    return {"DATABASE_URL": url, "NEXUS_DATA_DIR": str(settings.data_dir), "NEXUS_ENV": "test"}


def test_a_killed_worker_leaves_nothing_and_another_goes_on(
    exports: Exports, steps: LifecycleSteps, settings: Settings, data_dir: Path
) -> None:
    for number in range(3):
        steps.succeed_item(save(exports.http, url=f"https://example.org/{number}"), title=f"Text {number}")
    made = exports.ask("markdown")
    # Texts cannot be read, so that the worker cannot be done before it is killed.
    steps.connection.execute("LOCK TABLE fragments IN ACCESS EXCLUSIVE MODE")
    with run_nexus(data_dir, **environment_of(exports.database, settings)) as nexus:
        worker = nexus.start("worker", WORKER_POLL_SECONDS="0.1", WORKER_LEASE_SECONDS="2")
        # More than one where a loaded machine was late with the lease and the export was begun again.
        eventually(lambda: steps.row(WAITS)[0] >= 1, "it is being written")
        worker.kill()
        worker.wait()
    steps.connection.rollback()
    assert exports.get(made)["status"] == "running"
    eventually(lambda: steps.row("SELECT lease_until <= now() FROM exports")[0], "its lease runs out")
    exports.work()
    found = exports.get(made)
    assert (found["status"], found["done"]) == ("finished", 3)
    assert steps.row("SELECT attempts FROM exports")[0] >= 2
    assert exports.download(made).content.startswith(b"PK")
    assert list(exports.scratch.iterdir()) == []


@pytest.mark.parametrize("destination", ["store", "folder"])
def test_killed_at_many_lines(
    exports: Exports, steps: LifecycleSteps, settings: Settings, tmp_path: Path, destination: str
) -> None:
    exports.folder = tmp_path
    save(exports.http, url="https://example.org/a")
    schedule = {"format": "bookmarks", "every": "daily", "keep": KEPT, "next_at": "2100-01-01T00:00:00Z"}
    assert exports.http.post("/api/export-schedules", json=schedule).is_success
    steps.row("UPDATE export_schedules SET destination = :p0 RETURNING 1", destination)
    environment = script_environment(exports.database, settings.data_dir)
    environment |= {"NEXUS_ENV": "test", "NEXUS_EXPORT_DIR": str(tmp_path)}
    assert count_kills(SCRIPT, STEP, environment=environment) > 4
    steps.row("UPDATE exports SET attempts = 0, lease_until = now() WHERE status = 'running' RETURNING 1")
    exports.work()
    finished = exports.http.get("/api/exports").json()["exports"]
    assert [each["status"] for each in finished] == ["finished"] * KEPT
    assert list(exports.scratch.iterdir()) == []
    store = open_store(settings, exports.database)
    collect(store, grace=NOW)
    stored = {found.sha256 for found in store.backend.list()}
    assert len(stored) == steps.row("SELECT count(DISTINCT sha256) FROM exports")[0]
    in_folder = {path.name for path in (tmp_path / str(ALICE)).iterdir()} if destination == "folder" else set()
    assert in_folder == {each["filename"] for each in finished if destination == "folder"}
