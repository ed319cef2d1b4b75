"""An answer that does not end: events as they happen, a sign of life every 15 seconds, gone with its client."""

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError
from nexus.http.errors import response_to
from nexus.services.events import EventHub, Stream, lines
from nexus.services.users import CurrentUser

QUIET_SECONDS = 15.0
HEADERS = {"X-Accel-Buffering": "no"}  # nginx would hold events back until its buffer is full


class EventStream(StreamingResponse):
    media_type = "text/event-stream"

    def __init__(self, hub: EventHub, user: CurrentUser, check_again: Callable[[], None]) -> None:
        self._hub = hub
        self._user = user
        self._check_again = check_again
        super().__init__(_nothing(), headers=HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            stream = await self._hub.open(self._user.user_id)
        except NexusError as error:
            await response_to(error)(scope, receive, send)
            return
        try:
            self.body_iterator = self._lines(stream)
            await super().__call__(scope, receive, send)
        finally:
            self._hub.leave(stream)

    async def _lines(self, stream: Stream) -> AsyncIterator[str]:
        async for line in lines(stream, quiet_seconds=QUIET_SECONDS):
            if line is None:
                try:
                    await run_in_threadpool(self._check_again)
                except NexusError:
                    return  # a token that was revoked meanwhile
            yield line or ": still here\n\n"


async def _nothing() -> AsyncIterator[str]:
    await asyncio.sleep(0)
    return
    yield
