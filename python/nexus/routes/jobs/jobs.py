"""Runs of the pipeline: start, watch, cancel."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from fastapi.responses import StreamingResponse

from nexus.http.corpus import CorpusDep, OperatorServiceDep, QueueDep
from nexus.operator.jobs import views
from nexus.operator.jobs.log_reader import log_chunks, read_tail
from nexus.operator.jobs.records import COMMAND_TYPE, JobOptions, JobStatus
from nexus.operator.jobs.views import JobView, view_job
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.jobs import (
    JobAccepted,
    JobList,
    JobRecord,
    LogTail,
    Paused,
    Reconciliation,
)

router = api_router("/api/jobs", tag="jobs")

NO_RESULT: dict[str, Any] = {"feeds_failed": None, "episodes_failed": None, "failures": []}
READS = problems(401, 403, 404, 409, 422, 503)
TailBytes = Annotated[int, Query(ge=4096, le=512_000)]
CHANGES = problems(401, 403, 404, 409, 413, 422, 503, 507)


@router.post("", status_code=202, responses=CHANGES)
def create_job(
    operator: OperatorServiceDep,
    corpus: CorpusDep,
    feed: Annotated[str | None, Query(max_length=4096, description="Only this feed: its address or its key.")] = None,
    max_episodes: Annotated[
        int | None, Query(ge=1, le=1_000_000, description="Maximum number of episodes of each feed.")
    ] = None,
    skip_existing: bool = False,
    dry_run: bool = False,
) -> JobAccepted:
    """Put a run into the queue; it starts at once if there is room."""
    options = JobOptions(max_episodes=max_episodes, skip_existing=skip_existing, dry_run=dry_run)
    job = operator.enqueue(corpus, options, feed)
    view = view_job(operator.queue(corpus).registry, job.job_id)
    return JobAccepted(
        job_id=UUID(job.job_id),
        status=view.job.status,
        corpus_path=str(corpus.root),
        queue_position=view.queue_position,
    )


@router.get("", responses=READS)
def list_jobs(
    queue: QueueDep,
    status: Annotated[list[JobStatus] | None, Query(description="Only jobs with one of these statuses.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(max_length=60, description="next_cursor of the page before.")] = None,
) -> JobList:
    """The jobs of this corpus, newest first."""
    page = views.list_jobs(queue.registry, status or (), limit=limit, cursor=cursor)
    return JobList(
        path=str(queue.corpus.root),
        jobs=[job_record(view) for view in page.jobs],
        next_cursor=page.next_cursor,
        counts=page.counts,
        paused=queue.is_paused,
        skipped_lines=queue.registry.bad_lines,
    )


@router.post("/reconcile", responses=CHANGES)
def reconcile(queue: QueueDep) -> Reconciliation:
    """Check every job's process now: record what ended, end orphans, start what may start."""
    done = queue.sweep(thorough=True)
    return Reconciliation(
        path=str(queue.corpus.root),
        updated=len(done.changes),
        details=done.changes,
        skipped_lines=queue.registry.bad_lines,
    )


@router.post("/pause", responses=CHANGES)
def pause(queue: QueueDep) -> Paused:
    """Start no more jobs; those that run go on."""
    queue.pause()
    return Paused(path=str(queue.corpus.root), paused=True)


@router.post("/resume", responses=CHANGES)
def resume(queue: QueueDep) -> Paused:
    """Start queued jobs again, after a pause."""
    queue.resume()
    return Paused(path=str(queue.corpus.root), paused=False)


@router.get(
    "/subprocess-log", response_class=StreamingResponse, responses=READS | {200: {"content": {"text/plain": {}}}}
)
def get_subprocess_log(queue: QueueDep, job_id: UUID) -> StreamingResponse:
    """Another name of `/api/jobs/{job_id}/log`."""
    return get_log(queue, job_id)


@router.get("/subprocess-log-tail", responses=READS)
def get_subprocess_log_tail(queue: QueueDep, job_id: UUID, max_bytes: TailBytes = 96_000) -> LogTail:
    """Another name of `/api/jobs/{job_id}/log-tail`."""
    return get_log_tail(queue, job_id, max_bytes)


@router.get("/{job_id:uuid}", responses=READS)
def get_job(queue: QueueDep, job_id: UUID) -> JobRecord:
    """One job."""
    return job_record(view_job(queue.registry, str(job_id)))


@router.delete("/{job_id:uuid}", status_code=204, responses=CHANGES)
def delete_job(queue: QueueDep, job_id: UUID) -> None:
    """Delete the record and the log of a job that is over."""
    queue.remove(str(job_id))


@router.post("/{job_id:uuid}/cancel", responses=CHANGES)
def cancel_job(queue: QueueDep, job_id: UUID) -> JobRecord:
    """Cancel a job: a queued one at once; a running one gets SIGTERM, then SIGKILL. Can be repeated."""
    queue.cancel(str(job_id))
    return job_record(view_job(queue.registry, str(job_id)))


@router.get(
    "/{job_id:uuid}/log", response_class=StreamingResponse, responses=READS | {200: {"content": {"text/plain": {}}}}
)
def get_log(queue: QueueDep, job_id: UUID) -> StreamingResponse:
    """What the pipeline printed so far."""
    queue.registry.job(str(job_id))
    chunks = log_chunks(queue.corpus.log(str(job_id)))
    return StreamingResponse(chunks, media_type="text/plain; charset=utf-8")


@router.get("/{job_id:uuid}/log-tail", responses=READS)
def get_log_tail(queue: QueueDep, job_id: UUID, max_bytes: TailBytes = 96_000) -> LogTail:
    """The end of the log, beginning with a whole line."""
    queue.registry.job(str(job_id))
    tail = read_tail(queue.corpus.log(str(job_id)), max_bytes)
    return LogTail(text=tail.text, truncated=tail.truncated)


def job_record(view: JobView) -> JobRecord:
    result = vars(view.job.result) if view.job.result else NO_RESULT
    live = {"queue_position": view.queue_position, "progress": view.progress}
    return JobRecord.model_validate(vars(view.job) | result | live | {"command_type": COMMAND_TYPE})
