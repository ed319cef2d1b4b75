"""Server-sent events of a job."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Query, Request, Response
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from nexus.errors import NotFoundError
from nexus.http.corpus import QueueDep
from nexus.http.identity import RevalidateDep
from nexus.http.responses.event_stream import EventStream
from nexus.operator.jobs.log_reader import position_before_end, read_from
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.jobs.views import view_job
from nexus.routes.jobs.jobs import job_record
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.jobs import JobRecord

router = api_router("/api/jobs", tag="jobs")

POLL_SECONDS = 0.5
RECENT_BYTES = 96_000
MAX_BYTES = 2**53


STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            "text/event-stream": {
                "itemSchema": {
                    "type": "object",
                    "properties": {
                        "data": {"type": "string"},
                        "event": {"type": "string"},
                        "id": {"type": "string"},
                        "retry": {"type": "integer", "minimum": 0},
                    },
                }
            }
        },
        "description": "Successful Response",
    }
}


class JobWatcher:
    """What one client has received so far."""

    def __init__(self, queue: JobQueue, job_id: str, position: int | None) -> None:
        self._registry = queue.registry
        self._job_id = job_id
        self._log = queue.corpus.log(job_id)
        self._position = position_before_end(self._log, RECENT_BYTES) if position is None else position
        self._sent: dict[str, Any] = {}

    def next_events(self) -> tuple[list[bytes], bool]:
        """The events since the last call, and whether they are the last. The record is read before the log: a job
        that was over then has written its last line."""
        try:
            record = job_record(view_job(self._registry, self._job_id))
        except NotFoundError:
            return [_event("end", {"status": "removed"})], True
        events = self._changes(record)
        chunk = read_from(self._log, self._position)
        if chunk.text:
            events.append(_event("log", {"text": chunk.text}, id=str(chunk.position)))
        self._position = chunk.position
        over = record.status not in {"queued", "running"} and not chunk.text
        if over:
            events.append(_event("end", {"status": record.status}))
        return events, over

    def _changes(self, record: JobRecord) -> list[bytes]:
        now = {
            "status": record.model_dump(mode="json", exclude={"progress", "last_progress_at"}),
            "progress": record.progress and record.progress.model_dump(),
        }
        changed = [name for name, value in now.items() if value != self._sent.get(name)]
        self._sent = now
        return [_event(name, now[name]) for name in changed]


def _event(name: str, data: Any, id: str | None = None) -> bytes:  # noqa: A002 - as the field is called
    return format_sse_event(event=name, data_str=None if data is None else json.dumps(data), id=id)


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


@router.get("/{job_id:uuid}/events", response_class=Response, responses=STREAM | problems(401, 403, 404, 409, 422, 503))
async def job_events(
    request: Request, watcher: Annotated[JobWatcher, Depends(get_watcher)], revalidate: RevalidateDep
) -> Response:
    """`status` (the record), `progress`, `log` (new lines) as they come; `end` when the job is over."""
    return EventStream(aclosing(_events_until_end(watcher)), revalidate, request.app.state.stopping)


async def _events_until_end(watcher: JobWatcher) -> AsyncGenerator[bytes]:
    over = False
    while not over:
        events, over = await run_in_threadpool(watcher.next_events)
        for event in events:
            yield event
        if not events:
            await asyncio.sleep(POLL_SECONDS)
