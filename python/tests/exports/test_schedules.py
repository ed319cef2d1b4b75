"""Exports that are made regularly, by a worker and on the database's clock."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from nexus.services.exports import schedules
from tests.api.saving import ALICE, BOB, as_user, save
from tests.api.test_errors import problem
from tests.exports.exporting import Exports
from tests.lifecycle_steps import LifecycleSteps

DAILY = {"format": "bookmarks", "every": "daily"}


@pytest.fixture
def folder(exports: Exports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """NEXUS_EXPORT_DIR of the server and of the worker."""
    exports.folder = tmp_path / "exports"
    exports.folder.mkdir()
    return exports.folder


def create(exports: Exports, **values: Any) -> dict[str, Any]:
    response = exports.http.post("/api/export-schedules", json=DAILY | values)
    assert response.status_code == 201, response.text
    made: dict[str, Any] = response.json()
    return made


def only(exports: Exports) -> dict[str, Any]:
    (found,) = exports.http.get("/api/export-schedules").json()["schedules"]
    assert isinstance(found, dict)
    return found


def listed(exports: Exports) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = exports.http.get("/api/exports").json()["exports"]
    return found


def make_due(steps: LifecycleSteps, ago: str = "0") -> None:
    steps.row(
        "UPDATE export_schedules SET starts_at = now() - CAST(:p0 AS interval), next_at = now() - CAST(:p0 AS interval)"
        " RETURNING 1",
        ago,
    )


def into_folder(steps: LifecycleSteps) -> None:
    """The server of these tests has no folder, so its schedule is changed in its row."""
    steps.row("UPDATE export_schedules SET destination = 'folder' RETURNING 1")


def test_the_first_is_made_at_once_and_the_next_a_day_later(exports: Exports, steps: LifecycleSteps) -> None:
    save(exports.http, url="https://example.org/a")
    made = create(exports)
    assert (made["keep"], made["destination"], made["last_export_id"], made["last_error"]) == (5, "store", None, None)
    exports.work()
    exports.work()
    (export,) = listed(exports)
    assert (export["status"], export["schedule_id"], export["expires_at"]) == ("finished", made["id"], None)
    found = only(exports)
    assert found["last_export_id"] == export["id"]
    later = datetime.fromisoformat(found["next_at"]) - datetime.fromisoformat(made["next_at"])
    assert later == timedelta(days=1)
    assert exports.download(export["id"]).is_success


def test_those_that_were_missed_are_made_once(exports: Exports, steps: LifecycleSteps) -> None:
    create(exports)
    make_due(steps, "3 days 5 hours")
    exports.work()
    exports.work()
    assert len(listed(exports)) == 1
    until = datetime.fromisoformat(only(exports)["next_at"]) - datetime.now(UTC)
    assert timedelta(hours=18, minutes=30) < until < timedelta(hours=19, minutes=30), "the time of day stays"


@pytest.mark.parametrize("every", ["weekly", "monthly"])
@pytest.mark.parametrize("ago", ["40 days", "365 days", "1000 days", "1 second"])
def test_the_next_time_is_counted_from_the_first(exports: Exports, steps: LifecycleSteps, every: str, ago: str) -> None:
    create(exports, every=every)
    make_due(steps, ago)
    exports.work()
    expected = (
        "SELECT next_at = (SELECT min(at) FROM generate_series(0, 200) AS n, LATERAL"
        " (SELECT starts_at + n * CAST(:p0 AS interval) AS at) AS times WHERE at > now()), next_at > now()"
        " FROM export_schedules"
    )
    assert steps.row(expected, "1 week" if every == "weekly" else "1 month") == (True, True)


def test_only_so_many_files_are_kept(exports: Exports, steps: LifecycleSteps) -> None:
    made = create(exports, keep=2)
    other = exports.ask("bookmarks")
    for _ in range(4):
        make_due(steps)
        exports.work()
    of_schedule = [each["id"] for each in listed(exports) if each["schedule_id"] == made["id"]]
    assert len(of_schedule) == 2
    assert only(exports)["last_export_id"] == of_schedule[0]
    assert exports.get(other)["status"] == "finished"


def test_a_failure_is_shown_until_it_works_again(exports: Exports, steps: LifecycleSteps) -> None:
    made = create(exports, query="zebra")
    exports.work()
    found = only(exports)
    assert found["last_error"] == "Nothing in your library matches this, so there is nothing to export."
    assert found["next_at"] > made["next_at"]
    assert listed(exports) == []
    steps.succeed_item(save(exports.http), "A zebra")
    only(exports)  # the index learns of it
    make_due(steps)
    exports.work()
    assert [each["status"] for each in listed(exports)] == ["finished"]
    assert only(exports)["last_error"] is None
    changed = exports.http.patch(f"/api/export-schedules/{made['id']}", json={"format": "epub", "query": None})
    assert (changed.json()["format"], changed.json()["query"]) == ("epub", None)
    steps.row("DELETE FROM library_media RETURNING 1")
    make_due(steps)
    exports.work()
    assert only(exports)["last_error"] == "None of these has a text to read yet, so there is nothing to export."


def test_one_that_still_runs_is_not_made_twice(exports: Exports, steps: LifecycleSteps) -> None:
    create(exports)
    exports.work(formats={})  # an export that this worker cannot write waits
    assert [each["status"] for each in listed(exports)] == ["queued"]
    make_due(steps)
    exports.work(formats={})
    assert len(listed(exports)) == 1


def test_files_go_into_the_folder_of_their_user(exports: Exports, steps: LifecycleSteps, folder: Path) -> None:
    create(exports, keep=1)
    into_folder(steps)
    exports.work()
    (first,) = listed(exports)
    assert first["status"] == "finished"
    problem(exports.download(first["id"]), 409, "export_folder_unavailable")
    path = folder / str(ALICE) / first["filename"]
    assert path.read_bytes().startswith(b"<!DOCTYPE NETSCAPE")
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    (path.parent / "mine.zip").write_text("a file of the user's own")
    make_due(steps)
    exports.work()
    (second,) = listed(exports)
    names = {second["filename"], "mine.zip"}
    assert {each.name for each in path.parent.iterdir()} == names


def test_a_file_that_somebody_changed_stays(exports: Exports, steps: LifecycleSteps, folder: Path) -> None:
    create(exports, keep=1)
    into_folder(steps)
    exports.work()
    (first,) = listed(exports)
    path = folder / str(ALICE) / first["filename"]
    os.utime(path, ns=(1, 1))
    make_due(steps)
    exports.work()
    assert path.exists()
    assert len(list(path.parent.iterdir())) == 2
    assert len(listed(exports)) == 1


def test_a_folder_that_is_away_is_not_made(exports: Exports, steps: LifecycleSteps, folder: Path) -> None:
    create(exports)
    into_folder(steps)
    folder.rmdir()
    exports.work()
    (found,) = listed(exports)
    assert (found["status"], found["message"]) == ("queued", f"The export folder {folder} does not exist.")
    assert not folder.exists()
    folder.mkdir()
    steps.row("UPDATE exports SET due_at = now() RETURNING 1")
    exports.work()
    assert [each["status"] for each in listed(exports)] == ["finished"]


def test_what_a_killed_worker_left_in_the_folder_is_removed(
    exports: Exports, steps: LifecycleSteps, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(exports)
    into_folder(steps)
    with monkeypatch.context() as killing:
        killing.setattr("os.rename", killed)
        killing.setattr("os.unlink", killed)
        exports.work()
    assert [each.suffix for each in (folder / str(ALICE)).iterdir()] == [".tmp"]
    steps.row("UPDATE exports SET due_at = now() RETURNING 1")
    exports.work()
    assert [each.suffix for each in (folder / str(ALICE)).iterdir()] == [".html"]


def killed(*_: object, **__: object) -> None:
    raise OSError(5, "as if the process ended here")


def test_deleting_a_schedule_leaves_its_files(exports: Exports) -> None:
    made = create(exports)
    exports.work()
    assert exports.http.delete(f"/api/export-schedules/{made['id']}").status_code == 204
    assert exports.http.get("/api/export-schedules").json() == {"schedules": []}
    (export,) = listed(exports)
    assert (export["schedule_id"], export["status"]) == (None, "finished")
    assert export["expires_at"] is not None


def test_files_in_the_folder_stay_until_they_are_removed(exports: Exports, steps: LifecycleSteps, folder: Path) -> None:
    """Files of a deleted schedule are listed and count, too."""
    made = create(exports)
    into_folder(steps)
    exports.work()
    assert exports.http.delete(f"/api/export-schedules/{made['id']}").status_code == 204
    (export,) = listed(exports)
    assert (export["schedule_id"], export["expires_at"]) == (None, None)
    path = folder / str(ALICE) / export["filename"]
    create(exports)
    into_folder(steps)
    exports.work(bytes_per_user=path.stat().st_size + 10)
    assert "Remove earlier exports" in only(exports)["last_error"]
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    assert exports.http.delete(f"/api/exports/{export['id']}").status_code == 204
    assert export["id"] not in {each["id"] for each in listed(exports)}
    elsewhere, exports.folder = exports.folder, None
    exports.work()
    assert path.exists(), "a worker without the folder leaves it to another one"
    exports.folder = elsewhere
    exports.work()
    assert not path.exists()
    assert steps.row("SELECT count(*) FROM exports WHERE id = :p0", export["id"]) == (0,)


def test_a_file_that_got_its_name_as_its_worker_was_killed(
    exports: Exports, steps: LifecycleSteps, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its export was then cancelled: no row in the database names the file."""
    create(exports)
    into_folder(steps)
    with monkeypatch.context() as killing:
        killing.setattr("nexus.worker.exporter.Exporter._finish", killed)
        exports.work()
    assert len(list((folder / str(ALICE)).iterdir())) == 1
    (export,) = listed(exports)
    assert export["status"] == "running"
    (mine := folder / str(ALICE) / "mine.html").write_text("a file of the user's own")
    assert exports.http.delete(f"/api/exports/{export['id']}").status_code == 204
    exports.work()
    assert list((folder / str(ALICE)).iterdir()) == [mine]


def test_nobody_sees_the_schedules_of_another(exports: Exports) -> None:
    made = create(exports)
    for schedule_id in (made["id"], str(uuid4())):
        path = f"/api/export-schedules/{schedule_id}"
        for response in (
            exports.http.patch(path, json={"keep": 1}, headers=as_user(BOB)),
            exports.http.delete(path, headers=as_user(BOB)),
        ):
            detail = problem(response, 404, "not_found")
            assert detail["message"] == "You have no such schedule."
    assert exports.http.get("/api/export-schedules", headers=as_user(BOB)).json() == {"schedules": []}
    assert only(exports) == made


def test_a_whole_number_may_be_written_with_a_point(exports: Exports) -> None:
    made = create(exports, keep=7.0)
    assert made["keep"] == 7
    changed = exports.http.patch(f"/api/export-schedules/{made['id']}", json={"keep": 9.0})
    assert (changed.status_code, only(exports)["keep"]) == (200, 9)


def test_what_a_schedule_cannot_be_is_refused(exports: Exports, monkeypatch: pytest.MonkeyPatch) -> None:
    def post(**values: Any) -> Any:
        return exports.http.post("/api/export-schedules", json=DAILY | values)

    problem(post(destination="folder"), 409, "export_folder_unavailable")
    problem(post(every="hourly"), 422, "invalid_request")
    for keep in (0, 1.5, "1", True):
        problem(post(keep=keep), 422, "invalid_request")
    problem(post(query=" "), 422, "invalid_request")
    problem(post(next_at="0001-01-01T00:00:00+14:00"), 422, "invalid_request")
    monkeypatch.setattr(schedules, "MAX_SCHEDULES", 1)
    made = create(exports, next_at="2100-01-01T03:00:00Z")
    assert made["next_at"] == "2100-01-01T03:00:00Z"
    problem(post(), 409, "too_many_exports")
    exports.work()
    assert listed(exports) == []
    changed = exports.http.patch(f"/api/export-schedules/{made['id']}", json={"every": "weekly"}).json()
    assert (changed["every"], changed["next_at"]) == ("weekly", made["next_at"]), "the first time is still to come"
