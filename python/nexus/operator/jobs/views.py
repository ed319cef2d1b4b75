"""A job as it is shown: its record, and what its process says about itself right now."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nexus.operator.corpus import Corpus
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.records import Job


@dataclass(frozen=True)
class Progress:
    stage: str
    episode_idx: int | None
    episode_total: int | None


@dataclass(frozen=True)
class JobView:
    job: Job
    pid: int | None
    log_relpath: str
    queue_position: int | None
    progress: Progress | None
    last_progress_at: datetime | None


def view(corpus: Corpus, job: Job, positions: dict[str, int]) -> JobView:
    """For each of a thousand rows: only a job that runs is worth a look at the disk."""
    running = job.status == "running"
    started = JobFiles(corpus.job_dir(job.job_id)).started() if running else None
    return JobView(
        job=job,
        pid=started.pid if started else job.pid,
        log_relpath=corpus.log_relpath(job.job_id),
        queue_position=positions.get(job.job_id),
        progress=_progress(corpus, job) if running else None,
        last_progress_at=_changed_at(corpus.log(job.job_id)) if running else job.ended_at,
    )


def _progress(corpus: Corpus, job: Job) -> Progress | None:
    """The pipeline's own status file, if this very run wrote it."""
    changed = _changed_at(corpus.pipeline_status)
    if changed is None or job.started_at is None or changed < job.started_at:
        return None
    try:
        found = json.loads(corpus.pipeline_status.read_bytes())
        return Progress(str(found["stage"]), _number(found.get("episode_idx")), _number(found.get("episode_total")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # being replaced, or not ours


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _changed_at(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None
