"""A job as it is shown: its record, and what its process says about itself right now."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.records import Job
from nexus.operator.jobs.results import RunResult, result_of
from nexus.operator.jobs.untrusted_json import parse_untrusted_json

MAX_STATUS = 64 * 1024
MAX_STAGE = 100
MAX_NUMBER = 2**53


@dataclass(frozen=True)
class Progress:
    stage: str
    episode_idx: int | None
    episode_total: int | None


@dataclass(frozen=True)
class JobView:
    job: Job
    pid: int | None
    argv_summary: str
    log_relpath: str
    queue_position: int | None
    progress: Progress | None
    last_progress_at: datetime | None
    result: RunResult | None


def view(corpus: CorpusDirectory, job: Job, positions: dict[str, int]) -> JobView:
    """For each of a thousand rows: only a job that runs is worth a look at the disk."""
    running = job.status == "running"
    started = JobFiles(corpus.job_dir(job.job_id)).started() if running else None
    return JobView(
        job=job,
        pid=started.pid if started else job.pid,
        argv_summary=job.argv_summary or "[]",
        log_relpath=corpus.log_relpath(job.job_id),
        queue_position=positions.get(job.job_id),
        progress=_progress(corpus, job) if running else None,
        last_progress_at=corpus.log(job.job_id).modified_at() if running else job.ended_at,
        result=result_of(corpus, job.job_id) if running else job.result,
    )


def _progress(corpus: CorpusDirectory, job: Job) -> Progress | None:
    """What this very run says about itself."""
    try:
        found = parse_untrusted_json(corpus.run_status(job.job_id).read_bytes(MAX_STATUS))
    except (OSError, ValueError):
        return None  # being replaced, or not ours
    if not isinstance(found, dict) or not isinstance(stage := found.get("stage"), str):
        return None
    return Progress(stage[:MAX_STAGE], _number(found.get("episode_idx")), _number(found.get("episode_total")))


def _number(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER
    return value if is_count else None
