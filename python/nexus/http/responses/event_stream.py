"""Responses without an end: server-sent events. The session is checked every 15 seconds; a client that disconnects ends
the stream."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError, UnauthenticatedError
from nexus.http.errors import DATABASE_UNAVAILABLE, response_to
from nexus.logging import get_logger
from nexus.system.error_text import first_line

log = get_logger(__name__)

REVALIDATE_SECONDS = 15.0  # so long a token that was revoked still gets events
RETRY_MILLISECONDS = 2000
HEADERS = {"X-Accel-Buffering": "no"}  # nginx would hold events back until its buffer is full
COMMENT = format_sse_event(comment="still here")


class EventStream(StreamingResponse):
    """`events`: entered before the response begins, so that what it raises is an error response; its events are
    formatted. `stopping`: set when the server stops, which ends the stream."""

    media_type = "text/event-stream"

    def __init__(
        self,
        events: AbstractAsyncContextManager[AsyncIterator[bytes]],
        revalidate: Callable[[], None],
        stopping: asyncio.Event,
    ) -> None:
        self._events = events
        self._revalidate = revalidate
        self._stopping = stopping
        self._waits: set[asyncio.Task[Any]] = set()
        super().__init__(_nothing(), headers=HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with AsyncExitStack() as stack:
            try:
                events = await stack.enter_async_context(self._events)
            except NexusError as error:
                await response_to(error)(scope, receive, send)
                return
            # Ended here, before the events are left: when the client has gone, nothing in `_write` can be waited for.
            stack.push_async_callback(self._end_waits)
            self.body_iterator = self._write(events)
            await super().__call__(scope, receive, send)

    async def _write(self, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        yield format_sse_event(retry=RETRY_MILLISECONDS)
        stopped = self._begin(self._stopping.wait())
        event = self._begin(anext(events, None))
        checked = time.monotonic()
        while True:
            left = max(0.0, checked + REVALIDATE_SECONDS - time.monotonic())
            done, _ = await asyncio.wait((event, stopped), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if stopped in done:
                return
            if not done or time.monotonic() - checked >= REVALIDATE_SECONDS:
                if not await is_still_valid(self._revalidate):
                    return
                checked = time.monotonic()
            if event not in done:
                yield COMMENT
                continue
            formatted = event.result()
            if formatted is None:
                return
            yield formatted
            self._waits.remove(event)
            event = self._begin(anext(events, None))

    def _begin(self, wait: Awaitable[Any]) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(_awaited(wait))
        self._waits.add(task)
        return task

    async def _end_waits(self) -> None:
        for task in self._waits:
            task.cancel()
        await asyncio.gather(*self._waits, return_exceptions=True)


async def is_still_valid(revalidate: Callable[[], None]) -> bool:
    """False: the stream has to end, because the token was revoked or the database cannot say whether it was.

    The headers are sent already, so no error response is possible. The client connects again, and gets it then.
    """
    try:
        await run_in_threadpool(revalidate)
    except UnauthenticatedError:
        return False
    except DATABASE_UNAVAILABLE as error:
        log.warning("the database is not available", ended="an event stream", reason=first_line(error))
        return False
    return True


async def _awaited(wait: Awaitable[Any]) -> Any:
    return await wait


async def _nothing() -> AsyncIterator[bytes]:
    await asyncio.sleep(0)
    return
    yield
