"""A job as the registry keeps it.

The registry is a file in the corpus, which the pipeline's container can write. So a line is data and never a command
or a path: ids are UUIDs, every field has a type and a bound, and what a job runs is built from its options when it
starts.
"""

import json
import re
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from nexus.operator.jobs.results import RunResult
from nexus.operator.jobs.untrusted_json import parse_untrusted_json

JobStatus = Literal["queued", "running", "succeeded", "failed", "cancelled", "stale"]
StopReason = Literal["cancelled", "wall_clock_stale"]
ExecMode = Literal["subprocess", "docker"]

COMMAND_TYPE = "full_incremental_pipeline"
ACTIVE: frozenset[JobStatus] = frozenset({"queued", "running"})
MAX_REASON = 1000
MAX_LINE = 128 * 1024
OLD_ARGV_FIELD = b'"argv":'
MAX_SEQUENCE = 2**53
MAX_RECORDED_STARTS = 1000

JOB_ID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
JobId = Annotated[str, Field(pattern=f"^{JOB_ID.pattern}$")]
FeedKey = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
ScheduleName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\w .:-]+$")]
Timestamp = Annotated[
    AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC), le=datetime(9000, 1, 1, tzinfo=UTC))
]  # fmt: skip


class JobOptions(BaseModel):
    """Options of a run beside the operator's configuration; each is a flag of the pipeline's command."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    feed: FeedKey | None = None
    max_episodes: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    skip_existing: bool = False
    dry_run: bool = False


class ScheduleMark(BaseModel):
    """Up to when a schedule's runs are queued; in the file of the jobs, so that one write records both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schedule_mark: ScheduleName
    expression: Annotated[str, Field(max_length=400)]
    served_until: Timestamp | None

    def line(self) -> bytes:
        return self.model_dump_json().encode()


class Job(BaseModel):
    """One line of the registry: always the whole record, so that no line needs another to be understood."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    job_id: JobId
    seq: Annotated[int, Field(ge=0, le=MAX_SEQUENCE)]
    status: JobStatus
    created_at: Timestamp
    options: JobOptions = JobOptions()
    schedule: ScheduleName | None = None
    mark: ScheduleMark | None = None  # only on a job's first line: a later one would set the schedule back
    started_at: Timestamp | None = None
    ended_at: Timestamp | None = None
    exit_code: Annotated[int, Field(ge=-255, le=255)] | None = None
    error_reason: Annotated[str, Field(max_length=MAX_REASON)] | None = None
    cancel_requested: bool = False
    stop: StopReason | None = None
    stop_at: Timestamp | None = None
    starts: Annotated[int, Field(ge=0, le=MAX_RECORDED_STARTS)] = 0
    exec_mode: ExecMode | None = None
    result: RunResult | None = None
    # For reading only: nothing is run, opened or signalled because of them.
    argv_summary: Annotated[str, Field(max_length=32_768)] | None = None
    log_relpath: Annotated[str, Field(max_length=200)] | None = None
    pid: Annotated[int, Field(ge=1, le=2**31)] | None = None
    last_progress_at: Timestamp | None = None

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

    removed: JobId

    def line(self) -> bytes:
        return self.model_dump_json().encode()


def parse_line(line: bytes) -> "Job | Tombstone | ScheduleMark | None":
    """None: it is not a record."""
    if len(line) > MAX_LINE:
        return None
    if OLD_ARGV_FIELD in line:
        line = _from_earlier_version(line)
    for kind in (Job, Tombstone, ScheduleMark):
        try:
            return kind.model_validate_json(line, strict=True)
        except (ValidationError, RecursionError):
            continue
    return None


def _from_earlier_version(line: bytes) -> bytes:
    """Records used to hold the command itself; it is shown, and no longer run."""
    try:
        found = parse_untrusted_json(line)
        if not isinstance(found, dict) or not isinstance(found.get("argv"), list):
            return line
        found.setdefault("argv_summary", json.dumps(found["argv"]))
        found.setdefault("exec_mode", "docker" if found.get("cleanup") else None)
        return json.dumps(found).encode()
    except (ValueError, RecursionError):
        return line


def is_job_id(text: str) -> bool:
    return JOB_ID.fullmatch(text) is not None


def now() -> datetime:
    return datetime.now(UTC)
