"""A job as it is shown: its record, and what its process says about itself right now."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.records import Job
from nexus.operator.jobs.registry import JobRegistry
from nexus.operator.jobs.results import result_of
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
    job: Job  # its record, with what its process says now
    queue_position: int | None
    progress: Progress | None


def view_job(registry: JobRegistry, job_id: str) -> JobView:
    return view_jobs(registry, [registry.job(job_id)])[0]


def view_jobs(registry: JobRegistry, jobs: Iterable[Job]) -> list[JobView]:
    positions = registry.positions()
    return [_view(registry.corpus, job, positions.get(job.job_id)) for job in jobs]


def _view(corpus: CorpusDirectory, job: Job, queue_position: int | None) -> JobView:
    """There may be a thousand of them: files are read only for a job that runs."""
    shown: dict[str, object] = {
        "argv_summary": job.argv_summary or "[]",
        "log_relpath": corpus.log_relpath(job.job_id),
        "last_progress_at": job.ended_at,
    }
    if job.status != "running":
        return JobView(job.model_copy(update=shown), queue_position, None)
    started = JobFiles(corpus.job_dir(job.job_id)).started()
    shown |= {
        "pid": started.pid if started else job.pid,
        "last_progress_at": corpus.log(job.job_id).modified_at(),
        "result": result_of(corpus, job.job_id),
    }
    return JobView(job.model_copy(update=shown), queue_position, _progress(corpus, job))


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
