"""Jobs as they are shown: their records, and what their processes say about themselves right now."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.files import JobFiles
from nexus.operator.jobs.records import Job, JobStatus, is_job_id
from nexus.operator.jobs.registry import JobRegistry
from nexus.operator.jobs.results import result_of
from nexus.operator.jobs.untrusted_json import parse_untrusted_json
from nexus.services.cursors import refusal

MAX_STATUS = 64 * 1024
MAX_STAGE = 100
MAX_NUMBER = 2**53


@dataclass(frozen=True)
class JobProgress:
    stage: str
    episode_idx: int | None
    episode_total: int | None


@dataclass(frozen=True)
class JobView:
    job: Job  # its record, with what its process says now
    queue_position: int | None
    progress: JobProgress | None


@dataclass(frozen=True)
class JobPage:
    jobs: list[JobView]
    next_cursor: str | None
    counts: Counter[JobStatus]  # of all jobs, whatever the filter


def view_job(registry: JobRegistry, job_id: str) -> JobView:
    return view_jobs(registry, [registry.job(job_id)])[0]


def view_jobs(registry: JobRegistry, jobs: Iterable[Job]) -> list[JobView]:
    positions = registry.positions()
    return [_view(registry.corpus, job, positions.get(job.job_id)) for job in jobs]


def list_jobs(
    registry: JobRegistry, statuses: Collection[JobStatus] = (), *, limit: int, cursor: str | None = None
) -> JobPage:
    """Newest first; only those with one of these statuses, where any is given."""
    before = _parse_cursor(cursor)
    jobs = sorted(registry.jobs(), key=_cursor_key)
    older = (job for job in reversed(jobs) if before is None or _cursor_key(job) < before)
    matching = (job for job in older if not statuses or job.status in statuses)
    page = list(islice(matching, limit))
    is_last = next(matching, None) is None
    next_cursor = None if is_last else "_".join(map(str, _cursor_key(page[-1])))
    return JobPage(view_jobs(registry, page), next_cursor, Counter(job.status for job in jobs))


def _cursor_key(job: Job) -> tuple[int, str]:
    """Numbers are read from a file that others may write: two jobs can have the same one."""
    return job.seq, job.job_id


def _parse_cursor(cursor: str | None) -> tuple[int, str] | None:
    if cursor is None:
        return None
    number, _, job_id = cursor.partition("_")
    if not number.isascii() or not number.isdigit() or not is_job_id(job_id):
        raise refusal()
    return int(number), job_id


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


def _progress(corpus: CorpusDirectory, job: Job) -> JobProgress | None:
    """What this very run says about itself."""
    try:
        found = parse_untrusted_json(corpus.run_status(job.job_id).read_bytes(MAX_STATUS))
    except (OSError, ValueError):
        return None  # being replaced, or not ours
    if not isinstance(found, dict) or not isinstance(stage := found.get("stage"), str):
        return None
    return JobProgress(stage[:MAX_STAGE], _number(found.get("episode_idx")), _number(found.get("episode_total")))


def _number(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER
    return value if is_count else None
