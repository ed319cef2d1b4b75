"""A request body that its route reads as it arrives, up to a limit."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nexus.errors import BodyTooLargeError
from nexus.http.errors import response_to

# A client that is still sending does not read: a response at once would only break its connection.
DRAIN_BYTES = 256 * 1024 * 1024
DRAIN_SECONDS = 30


class StreamedBody:
    """What the route has not read when it responds is discarded first, within bounds."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limit: int) -> None:
        headers = Headers(scope=scope)
        announced = headers.get("content-length", "")
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limit = limit
        self._received = 0
        self._more_to_come = True
        self._is_announced_too_large = announced.isdecimal() and int(announced) > limit
        # Such a client sends nothing before it is asked to, which the first `receive` does.
        self._waits_to_be_asked = headers.get("expect", "").lower() == "100-continue"

    async def run(self, app: ASGIApp) -> None:
        if self._is_announced_too_large:
            await response_to(self._too_large())(self._scope, self.receive, self.send)
        else:
            await app(self._scope, self.receive, self.send)

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] != "http.request":
            self._more_to_come = False
            return message
        self._more_to_come = message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > self._limit:
            raise self._too_large()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self._more_to_come:
            self._more_to_come = False
            if self._received or not self._waits_to_be_asked:
                await discard_rest(self._receive)
        await self._send(message)

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(f"The upload is larger than the {self._limit} bytes this server takes.")


async def discard_rest(receive: Receive) -> None:
    discarded, more = 0, True
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while more and discarded < DRAIN_BYTES:
                message = await receive()
                more = message.get("more_body", False)
                discarded += len(message.get("body", b""))
    except TimeoutError:
        pass  # a client this slow gets its response now, whether it reads it or not
