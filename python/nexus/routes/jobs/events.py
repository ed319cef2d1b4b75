"""Server-sent events of a job."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from nexus.errors import NotFoundError
from nexus.http.corpus import QueueDep
from nexus.http.identity import RevalidateDep
from nexus.http.responses.event_stream import RETRY_MILLISECONDS, is_still_valid
from nexus.operator.jobs.log_reader import position_before_end, read_from
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.jobs.views import view_job
from nexus.routes.jobs.jobs import job_record
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.jobs import JobRecord

router = api_router("/api/jobs", tag="jobs")

POLL_SECONDS = 0.5
CHECK_SECONDS = 15
RECENT_BYTES = 96_000
MAX_BYTES = 2**53


class JobWatcher:
    """What one client has received so far."""

    def __init__(self, queue: JobQueue, job_id: str, position: int | None) -> None:
        self._registry = queue.registry
        self._job_id = job_id
        self._log = queue.corpus.log(job_id)
        self._position = position_before_end(self._log, RECENT_BYTES) if position is None else position
        self._sent: dict[str, Any] = {}

    def next_events(self) -> tuple[list[ServerSentEvent], bool]:
        """The events since the last call, and whether they are the last. The record is read before the log: a job
        that was over then has written its last line."""
        try:
            record = job_record(view_job(self._registry, self._job_id))
        except NotFoundError:
            return [ServerSentEvent(event="end", data={"status": "removed"})], True
        events = self._changes(record)
        chunk = read_from(self._log, self._position)
        if chunk.text:
            events.append(ServerSentEvent(event="log", id=str(chunk.position), data={"text": chunk.text}))
        self._position = chunk.position
        over = record.status not in {"queued", "running"} and not chunk.text
        if over:
            events.append(ServerSentEvent(event="end", data={"status": record.status}))
        return events, over

    def _changes(self, record: JobRecord) -> list[ServerSentEvent]:
        now = {
            "status": record.model_dump(mode="json", exclude={"progress", "last_progress_at"}),
            "progress": record.progress and record.progress.model_dump(),
        }
        changed = [name for name, value in now.items() if value != self._sent.get(name)]
        self._sent = now
        return [ServerSentEvent(event=name, data=now[name]) for name in changed]


def get_watcher(
    queue: QueueDep,
    job_id: UUID,
    position: Annotated[
        int | None, Query(ge=0, le=MAX_BYTES, description="Where to begin; default: 96 000 bytes ago.")
    ] = None,
    last_event_id: Annotated[str | None, Header(description="Sent by browsers that connect again.")] = None,
) -> JobWatcher:
    queue.registry.job(str(job_id))
    if last_event_id and last_event_id.isascii() and last_event_id.isdigit():
        position = min(int(last_event_id[:20]), MAX_BYTES)
    return JobWatcher(queue, str(job_id), position)


@router.get(
    "/{job_id:uuid}/events",
    response_class=EventSourceResponse,
    responses=problems(401, 403, 404, 409, 422, 503),
)
async def job_events(
    request: Request, watcher: Annotated[JobWatcher, Depends(get_watcher)], revalidate: RevalidateDep
) -> AsyncIterator[ServerSentEvent]:
    """`status` (the record), `progress`, `log` (new lines) as they come; `end` when the job is over."""
    stopping: asyncio.Event = request.app.state.stopping
    yield ServerSentEvent(retry=RETRY_MILLISECONDS, comment="connected")
    over, checked = False, time.monotonic()
    while not over and not stopping.is_set():
        events, over = await run_in_threadpool(watcher.next_events)
        for event in events:
            yield event
        if not events:
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), POLL_SECONDS)
        if time.monotonic() > checked + CHECK_SECONDS:
            checked = time.monotonic()
            if not await is_still_valid(revalidate):
                return
