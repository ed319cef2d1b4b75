"""The outcome of a job that the registry lists as running, decided by its lock and its files alone."""

from datetime import datetime
from typing import Literal

from nexus.operator.jobs.files import JobEnd, JobFiles
from nexus.operator.jobs.records import Job, now
from nexus.operator.jobs.results import RunResult

MAX_START_ATTEMPTS = 3

ProcessState = Literal["running", "ended", "lost", "never_started"]


def inspect_job(files: JobFiles) -> ProcessState:
    """To be called under the registry's lock: without it, trying the job's lock could disturb a start."""
    if not files.directory.is_directory():
        return "lost"  # it was removed; whether the job ever ran is unknown, so it is not run again
    if not files.lock.is_free():
        return "running"
    if files.ended():
        return "ended"
    return "lost" if files.started_file.exists() else "never_started"


def outcome(job: Job, files: JobFiles, state: ProcessState, result: RunResult | None = None) -> Job:
    """The job's next record."""
    started = files.started()
    job = job.changed(pid=started.pid if started else None, ended_at=now(), result=result)
    ended = files.ended()
    if state == "ended" and ended:
        return _of_exit(job, ended)
    if state == "never_started":
        return _not_started(job)
    if job.stop:
        return job.changed(status="stale" if job.stop == "wall_clock_stale" else "cancelled", error_reason=job.stop)
    return job.changed(status="failed", error_reason="orphan_reconciled_dead_pid")


def _of_exit(job: Job, ended: JobEnd) -> Job:
    job = job.changed(ended_at=datetime.fromisoformat(ended.ended_at), exit_code=ended.exit_code)
    if ended.stopped == "wall_clock_stale":
        return job.changed(status="stale", error_reason=ended.stopped)
    if ended.before_start:
        return job.changed(status="cancelled", error_reason="cancelled_before_start")
    if ended.spawn_error:
        return job.changed(status="failed", error_reason=f"spawn_failed: {ended.spawn_error}")
    if ended.stopped == "cancelled":
        return job.changed(status="cancelled", error_reason=ended.stopped)
    if ended.exit_code == 0:
        return job.changed(status="succeeded", error_reason=None)
    return job.changed(status="failed", error_reason=f"exit_code_{ended.exit_code}")


def _not_started(job: Job) -> Job:
    """Nothing ran, so it can be started again."""
    if job.stop:
        return job.changed(status="cancelled", error_reason="cancelled_before_start")
    if job.starts >= MAX_START_ATTEMPTS:
        reason = "spawn_failed: the job runner died before it could start anything; see the log"
        return job.changed(status="failed", error_reason=reason)
    return job.changed(status="queued", started_at=None, ended_at=None)
