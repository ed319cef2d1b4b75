"""``scheduled_jobs`` of the operator's file: when a run is due. Missed runs are caught up with one run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from nexus.errors import PodcastConfigError
from nexus.errors.messages import reason_of
from nexus.operator.jobs.records import ScheduleMark, ScheduleName

DEFAULT_TIMEZONE = "UTC"


def _cron(expression: str) -> str:
    try:
        CronSim(expression, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ValueError(f"it is not a cron expression such as '0 3 * * *' ({error})") from None
    return expression


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("it is not a time zone such as Europe/Berlin") from None
    return name


class ScheduledJob(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: ScheduleName
    cron: Annotated[str, Field(max_length=200), AfterValidator(_cron)]
    enabled: bool = True
    timezone: Annotated[str, AfterValidator(_timezone)] = DEFAULT_TIMEZONE

    @property
    def expression(self) -> str:
        return f"{self.cron} {self.timezone}"

    def next_after(self, moment: datetime) -> datetime | None:
        """None: never again, such as 30 February."""
        found = next(CronSim(self.cron, moment.astimezone(ZoneInfo(self.timezone))), None)
        return found.astimezone(UTC) if found else None


@dataclass(frozen=True)
class ListedSchedule:
    """As it is in the file, with its runs: those that were due up to `served_until` have been put into the queue."""

    name: str
    cron: str
    timezone: str
    enabled: bool
    next_run_at: datetime | None
    served_until: datetime | None


_schedules = TypeAdapter(list[ScheduledJob])


def parse_schedules(value: Any) -> list[ScheduledJob]:
    try:
        schedules = _schedules.validate_python(value or [])
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in ("scheduled_jobs", *problem["loc"]))
        raise PodcastConfigError(f"{where}: {reason_of(problem)}.", key="scheduled_jobs") from None
    names = [schedule.name for schedule in schedules]
    if len(set(names)) < len(names):
        raise PodcastConfigError("scheduled_jobs: each needs a name of its own.", key="scheduled_jobs")
    return schedules


def list_schedules(
    schedules: Iterable[ScheduledJob], marks: Mapping[str, ScheduleMark], now: datetime
) -> list[ListedSchedule]:
    return [
        ListedSchedule(
            **schedule.model_dump(),
            next_run_at=schedule.next_after(now) if schedule.enabled else None,
            served_until=marks[schedule.name].served_until if schedule.name in marks else None,
        )
        for schedule in schedules
    ]


@dataclass(frozen=True)
class Plan:
    """The runs that are due now, by the schedules in the file and the marks in the registry."""

    due: list[tuple[ScheduledJob, ScheduleMark]]
    marks: list[ScheduleMark]  # to be written without a run: a schedule seen for the first time, or gone


def plan(schedules: Iterable[ScheduledJob], marks: dict[str, ScheduleMark], now: datetime) -> Plan:
    due, new_marks = [], []
    enabled = {schedule.name: schedule for schedule in schedules if schedule.enabled}
    for name, schedule in enabled.items():
        mark = marks.get(name)
        served = ScheduleMark(schedule_mark=name, expression=schedule.expression, served_until=now)
        if mark is None or mark.served_until is None or mark.expression != schedule.expression:
            new_marks.append(served)  # what is new is not late
        elif (moment := schedule.next_after(min(mark.served_until, now))) and moment <= now:
            due.append((schedule, served))
    for name, mark in marks.items():
        if name not in enabled and mark.served_until is not None:
            new_marks.append(mark.model_copy(update={"served_until": None}))
    return Plan(due, new_marks)
