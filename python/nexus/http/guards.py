"""Who may talk to us at all: no DNS rebinding (Host), no other site's pages (Origin), no endless bodies."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nexus.config import Settings, is_loopback
from nexus.errors import BodyTooLargeError, ForeignHostError, NexusError, ServerBusyError
from nexus.http.errors import response_to
from nexus.http.origin import SAFE_METHODS, check_change, host_name

# A client that is still sending does not read: answering at once would only break its connection.
DRAIN_BYTES = 256 * 1024 * 1024
DRAIN_SECONDS = 30
SMALL_BODY_BYTES = 64 * 1024
LARGE_BODIES_BYTES = 128 * 1024 * 1024


class HostAndOriginGuard:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._own_names = {settings.host.lower(), *settings.allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            try:
                self._check_host(headers.getlist("host"))
                if scope["method"] not in SAFE_METHODS:
                    check_change(scope)
            except NexusError as error:
                await response_to(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, hosts: list[str]) -> None:
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None or not (name in self._own_names or is_loopback(name)):
            raise ForeignHostError(
                "This server does not answer to that Host header. If the name is yours, add it to NEXUS_ALLOWED_HOSTS."
            )


class BodyLimit:
    """Reads the body before the route does, so that too much of it is one clear answer.

    Nobody has said who they are yet: the large bodies that are held at one time are bounded together.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit
        self._room = max(LARGE_BODIES_BYTES, 2 * limit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if "content-length" not in headers and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        body, taken = bytearray(), 0
        try:
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                body += message.get("body", b"")
                if len(body) > self._limit:
                    too_large = BodyTooLargeError(f"The body is larger than the {self._limit} bytes this server takes.")
                    await self._refuse(too_large, scope, receive, send, message)
                    return
                if len(body) > SMALL_BODY_BYTES:
                    self._room -= len(body) - taken
                    taken = len(body)
                if self._room < 0:
                    busy = ServerBusyError("Too many large requests are being received. Try again in a few seconds.")
                    await self._refuse(busy, scope, receive, send, message)
                    return
                if not message.get("more_body", False):
                    break
            await self._app(scope, _replay(bytes(body), receive), send)
        finally:
            self._room += taken

    async def _refuse(self, error: NexusError, scope: Scope, receive: Receive, send: Send, message: Message) -> None:
        discarded = 0
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while message.get("more_body", False) and discarded < DRAIN_BYTES:
                    message = await receive()
                    discarded += len(message.get("body", b""))
        except TimeoutError:
            pass  # a client this slow gets its answer now, whether it reads it or not
        await response_to(error)(scope, receive, send)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
