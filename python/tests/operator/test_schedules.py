"""Runs that come by themselves: due, missed, changed, switched off."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from nexus.app import create_app
from nexus.config import load_settings
from nexus.db.embedded import EmbeddedServer
from nexus.db.session import Database
from nexus.errors import PodcastConfigError
from nexus.operator.jobs.records import ScheduleMark, now
from nexus.operator.jobs.schedules import ScheduledJob, parse_schedules, plan
from nexus.operator.service import Operator
from nexus.operator.sweeper import Sweeper
from tests.conftest import serving, settings_for
from tests.operator.conftest import EVERYTHING, OperatorServer
from tests.operator.scripts import Programs, exits_with
from tests.processes import eventually

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NIGHTLY = ScheduledJob(name="nightly", cron="0 3 * * *")


def mark(schedule: ScheduledJob, until: datetime | None) -> dict[str, ScheduleMark]:
    made = ScheduleMark(schedule_mark=schedule.name, expression=schedule.expression, served_until=until)
    return {schedule.name: made}


def test_new_schedule_is_not_due_at_once() -> None:
    found = plan([NIGHTLY], {}, NOON)
    assert (found.due, found.marks) == ([], [mark(NIGHTLY, NOON)["nightly"]])


def test_many_missed_runs_are_caught_up_with_one() -> None:
    found = plan([NIGHTLY], mark(NIGHTLY, NOON - timedelta(days=9)), NOON)
    assert [(schedule.name, served.served_until) for schedule, served in found.due] == [("nightly", NOON)]
    assert plan([NIGHTLY], mark(NIGHTLY, NOON), NOON + timedelta(hours=14)).due == []
    assert len(plan([NIGHTLY], mark(NIGHTLY, NOON), NOON + timedelta(hours=15)).due) == 1


def test_changed_expression_counts_from_now() -> None:
    changed = ScheduledJob(name="nightly", cron="0 11 * * *")
    found = plan([changed], mark(NIGHTLY, NOON - timedelta(days=1)), NOON)
    assert (found.due, len(found.marks)) == ([], 1)


@pytest.mark.parametrize("off", [[], [ScheduledJob(name="nightly", cron="0 3 * * *", enabled=False)]])
def test_runs_missed_while_disabled_are_not_caught_up(off: list[ScheduledJob]) -> None:
    (gone,) = plan(off, mark(NIGHTLY, NOON - timedelta(days=3)), NOON - timedelta(days=2)).marks
    assert gone.served_until is None
    assert plan(off, {"nightly": gone}, NOON).marks == []
    again = plan([NIGHTLY], {"nightly": gone}, NOON)
    assert (again.due, len(again.marks)) == ([], 1)


def test_time_zone_and_daylight_saving() -> None:
    berlin = ScheduledJob(name="a", cron="30 2 * * *", timezone="Europe/Berlin")
    winter, summer = datetime(2026, 1, 10, tzinfo=UTC), datetime(2026, 7, 10, tzinfo=UTC)
    assert berlin.next_after(winter) == datetime(2026, 1, 10, 1, 30, tzinfo=UTC)
    assert berlin.next_after(summer) == datetime(2026, 7, 10, 0, 30, tzinfo=UTC)
    night_without_half_past_two = datetime(2026, 3, 29, tzinfo=UTC)
    assert berlin.next_after(night_without_half_past_two) == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)
    assert ScheduledJob(name="a", cron="0 0 */30 2 MON#5").next_after(NOON) is None


@pytest.mark.parametrize("value", [{"name": "x"}, [{"name": ""}], [{"cron": "* * * * *"}], ["x"], 7])
def test_malformed_schedules_are_named(value: object) -> None:
    with pytest.raises(PodcastConfigError, match="scheduled_jobs"):
        parse_schedules(value)


def operator_on(corpus: Path) -> Operator:
    settings = load_settings(output_dir=corpus, **EVERYTHING)
    return Operator(settings, Programs.beside(corpus).build)


def test_missed_run_is_queued_once_by_two_servers(tmp_path: Path) -> None:
    (tmp_path / "viewer_operator.yaml").write_text("scheduled_jobs: [{name: often, cron: '* * * * *'}]\n")
    one, two = operator_on(tmp_path), operator_on(tmp_path)
    queue = one.queue(one.corpus(None))
    queue.pause()
    one.serve_schedules()
    assert queue.registry.jobs() == []
    late = ScheduleMark(schedule_mark="often", expression="* * * * * UTC", served_until=now() - timedelta(hours=1))
    with queue.registry.locked() as writer:
        writer.mark(late)
    for operator in (one, two, one):
        operator.serve_schedules()
    (job,) = queue.registry.jobs()
    assert (job.schedule, job.status) == ("often", "queued")
    with queue.registry.locked() as writer:
        writer.mark(late)
    two.serve_schedules()  # due again, but the first has not begun yet
    assert len(queue.registry.jobs()) == 1
    assert two.queue(two.corpus(None)).registry.marks()["often"].served_until != late.served_until


def test_running_server_queues_due_schedules_and_lists_them(served: OperatorServer) -> None:
    content = "scheduled_jobs:\n- {name: often, cron: '* * * * *'}\n- {name: off, cron: '0 3 * * *', enabled: false}\n"
    assert served.http.put("/api/operator-config", json={"content": content}).status_code == 200
    served.operator.wakeup.set()
    queue = served.operator.queue(served.operator.corpus(None))
    eventually(lambda: "often" in queue.registry.marks(), "the schedule was not seen")
    with queue.registry.locked() as writer:
        old = queue.registry.marks()["often"].model_copy(update={"served_until": now() - timedelta(minutes=5)})
        writer.mark(old)
    served.operator.wakeup.set()
    eventually(lambda: served.http.get("/api/jobs").json()["jobs"], "it was not run")
    job = served.http.get("/api/jobs").json()["jobs"][0]
    assert job["schedule"] == "often"
    often, off = served.http.get("/api/scheduled-jobs").json()["scheduled_jobs"]
    assert (often["name"], often["timezone"], off["next_run_at"], off["enabled"]) == ("often", "UTC", None, False)
    assert datetime.fromisoformat(often["next_run_at"]) > now() - timedelta(minutes=1)


def test_broken_file_is_reported_and_jobs_still_run(served: OperatorServer) -> None:
    (served.corpus / "viewer_operator.yaml").write_text("a: [")
    response = served.http.get("/api/scheduled-jobs")
    assert (response.status_code, response.json()["detail"]["error"]) == (409, "unreadable_operator_config")
    assert served.ends(served.run(exits_with(0))["job_id"])["status"] == "succeeded"


def test_edited_file_is_noticed_before_the_next_sweep(tmp_path: Path) -> None:
    operator = operator_on(tmp_path)
    registry = operator.queue(operator.corpus(None)).registry
    with Sweeper(operator, seconds=3600):
        eventually(lambda: not operator.wakeup.is_set(), "it did not begin to look")
        for number in range(2):
            (tmp_path / "viewer_operator.yaml").write_text(
                f"scheduled_jobs: [{{name: n{number}, cron: '0 3 * * *'}}]\n"
            )
            eventually(lambda number=number: f"n{number}" in registry.marks(), "the schedule was not seen")  # type: ignore[misc]


def test_change_over_http_wakes_the_sweeper(
    tmp_path: Path,
    postgres: EmbeddedServer,
    database: Database,
    database_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would look by itself only after the test."""
    monkeypatch.setattr("nexus.operator.sweeper.POLL_SECONDS", 3600)
    operator = operator_on(tmp_path)
    registry = operator.queue(operator.corpus(None)).registry
    app = create_app(
        settings_for(postgres, database_name, output_dir=tmp_path, **EVERYTHING), database, operator=operator
    )
    with Sweeper(operator, seconds=3600), serving(app) as url, httpx2.Client(base_url=url, timeout=60) as http:
        eventually(lambda: not operator.wakeup.is_set(), "it did not begin to look")
        for number in range(3):
            content = f"scheduled_jobs: [{{name: n{number}, cron: '0 3 * * *'}}]\n"
            assert http.put("/api/operator-config", json={"content": content}).status_code == 200
            eventually(lambda number=number: f"n{number}" in registry.marks(), "the schedule was not seen")  # type: ignore[misc]


def test_schedules_are_listed_under_both_names(served: OperatorServer) -> None:
    content = "scheduled_jobs: [{name: nightly, cron: '0 3 * * *'}]\n"
    served.http.put("/api/operator-config", json={"content": content})
    response = served.http.get("/api/scheduled-jobs").json()
    assert response["jobs"] == response["scheduled_jobs"] != []
    assert (response["timezone"], response["scheduler_running"]) == ("UTC", True)
