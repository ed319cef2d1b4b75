"""A response that does not end: server-sent events, a comment after 15 quiet seconds, gone with its client."""

import asyncio
from collections.abc import AsyncIterator, Callable

from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from nexus.errors import NexusError, UnauthenticatedError
from nexus.http.errors import DATABASE_AWAY, response_to
from nexus.logging import get_logger
from nexus.services.events import Event, EventHub, Stream
from nexus.services.users import CurrentUser
from nexus.system.error_text import first_line

log = get_logger(__name__)

QUIET_SECONDS = 15.0
RETRY_MILLISECONDS = 2000
HEADERS = {"X-Accel-Buffering": "no"}  # nginx would hold events back until its buffer is full


class EventStream(StreamingResponse):
    media_type = "text/event-stream"

    def __init__(
        self, hub: EventHub, user: CurrentUser, revalidate: Callable[[], None], encode: Callable[[Event], bytes]
    ) -> None:
        self._hub = hub
        self._user = user
        self._revalidate = revalidate
        self._encode = encode
        super().__init__(_nothing(), headers=HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            stream = await self._hub.open(self._user.user_id)
        except NexusError as error:
            await response_to(error)(scope, receive, send)
            return
        try:
            self.body_iterator = self._write(stream)
            await super().__call__(scope, receive, send)
        finally:
            self._hub.leave(stream)

    async def _write(self, stream: Stream) -> AsyncIterator[bytes]:
        yield format_sse_event(retry=RETRY_MILLISECONDS)
        while True:
            try:
                event = await stream.next(QUIET_SECONDS)
            except TimeoutError:
                if not await is_still_valid(self._revalidate):
                    return
                yield format_sse_event(comment="still here")
                continue
            if event is None:
                return
            yield self._encode(event)


async def is_still_valid(revalidate: Callable[[], None]) -> bool:
    """False: the stream has to end, because the token was revoked or the database cannot say whether it was.

    The headers are sent already, so no error response is possible. The client connects again, and gets it then.
    """
    try:
        await run_in_threadpool(revalidate)
    except UnauthenticatedError:
        return False
    except DATABASE_AWAY as error:
        log.warning("event stream ended: database not available", reason=first_line(error))
        return False
    return True


async def _nothing() -> AsyncIterator[bytes]:
    await asyncio.sleep(0)
    return
    yield
