from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from nexus.operator.jobs.records import JobStatus


class JobProgress(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    stage: str
    episode_idx: int | None
    episode_total: int | None


class JobFailure(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    feed: str = Field(description="The feed's address; secrets in it are hidden.")
    feed_title: str | None
    episode: str | None = Field(description="Null: the feed itself could not be read.")
    code: str
    reason: str


class JobRecord(BaseModel):
    job_id: UUID
    command_type: str
    status: JobStatus
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    pid: int | None = Field(
        description="The pipeline's process id, as information; the server relies on a lock, never on a pid."
    )
    argv_summary: str = Field(description="The command as a JSON list: what an operator could type.")
    exit_code: int | None
    log_relpath: str
    error_reason: str | None
    cancel_requested: bool = Field(description="While it is still running: the cancel is pending.")
    queue_position: int | None = Field(description="1 is next; null unless it is queued.")
    progress: JobProgress | None
    last_progress_at: datetime | None
    schedule: str | None = Field(description="The name of the schedule that started it.")
    feeds_failed: int | None = Field(description="Null: the run left no summary, such as a dry run.")
    episodes_failed: int | None
    failures: list[JobFailure] = Field(description="The first 20; the run's summary in the corpus has them all.")


class JobAccepted(BaseModel):
    job_id: UUID
    status: JobStatus
    corpus_path: str
    queue_position: int | None


class JobList(BaseModel):
    path: str
    jobs: list[JobRecord] = Field(description="Newest first.")
    next_cursor: str | None
    counts: dict[JobStatus, int] = Field(description="Counts of all jobs of this corpus, whatever the filter.")
    paused: bool
    skipped_lines: int = Field(description="Lines of the registry that could not be read.")


class Reconciliation(BaseModel):
    path: str
    updated: int
    details: list[str]
    skipped_lines: int


class Paused(BaseModel):
    path: str
    paused: bool


class LogTail(BaseModel):
    text: str
    truncated: bool


class ScheduleEntry(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    cron: str
    timezone: str
    enabled: bool
    next_run_at: datetime | None
    served_until: datetime | None = Field(
        description="Every run that was due up to this time has been put into the queue."
    )


class ScheduleList(BaseModel):
    path: str
    scheduled_jobs: list[ScheduleEntry]
    jobs: list[ScheduleEntry] = Field(description="The same as scheduled_jobs.")
    timezone: str = Field(description="The time zone of schedules that name none.")
    scheduler_running: bool = Field(description="Whether this server is running the schedules.")
