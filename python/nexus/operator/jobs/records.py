"""A job as the registry keeps it."""

from datetime import UTC, datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

Status = Literal["queued", "running", "succeeded", "failed", "cancelled", "stale"]
StopReason = Literal["cancelled", "wall_clock_stale"]

COMMAND_TYPE = "full_incremental_pipeline"
ACTIVE: frozenset[Status] = frozenset({"queued", "running"})


class JobOptions(BaseModel):
    """What a run may be asked beside the operator's configuration; each is a flag of the pipeline's command."""

    model_config = ConfigDict(frozen=True)

    feed: str | None = None
    max_episodes: int | None = None
    skip_existing: bool = False
    dry_run: bool = False


class ScheduleMark(BaseModel):
    """How far a schedule has been served; in the same file as the jobs, so that one write is both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schedule_mark: str
    expression: str
    served_until: AwareDatetime | None

    def line(self) -> bytes:
        return self.model_dump_json().encode()


class Job(BaseModel):
    """One line of the registry: always the whole record, so that no line needs another to be understood."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    job_id: str
    seq: int
    status: Status
    created_at: AwareDatetime
    argv: tuple[str, ...]
    cleanup: tuple[str, ...] = ()
    cwd: str | None = None
    options: JobOptions = JobOptions()
    schedule: str | None = None
    mark: ScheduleMark | None = None  # only on a job's first line: later ones must not turn the clock back
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    pid: int | None = None
    exit_code: int | None = None
    error_reason: str | None = None
    cancel_requested: bool = False
    stop: StopReason | None = None
    stop_at: AwareDatetime | None = None
    starts: int = 0

    @property
    def is_active(self) -> bool:
        return self.status in ACTIVE

    def changed(self, **values: object) -> "Job":
        return self.model_copy(update={"mark": None} | values)

    def line(self) -> bytes:
        return self.model_dump_json(exclude_defaults=True).encode()


class Tombstone(BaseModel):
    """An operator removed this job."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    removed: str

    def line(self) -> bytes:
        return self.model_dump_json().encode()


def now() -> datetime:
    return datetime.now(UTC)
