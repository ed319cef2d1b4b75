"""Refuses DNS rebinding (Host), requests from other sites' pages (Origin) and bodies that are too large."""

import asyncio
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nexus.config import Settings, is_loopback
from nexus.errors import BodyTooLargeError, ForeignHostError, NexusError, ServerBusyError
from nexus.http.connections import counted_address
from nexus.http.errors import response_to
from nexus.http.extension_access import (
    admit_extension,
    extension_origin,
    is_preflight,
    preflight_response,
    with_cors,
)
from nexus.http.large_bodies import MAX_LARGE_BODIES_BYTES, LargeBodies, ReceivedBody
from nexus.http.origin import SAFE_METHODS, check_change, host_name
from nexus.http.uploads.streamed_body import StreamedBody, discard_rest


class HostAndOriginGuard:
    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._own_names = {settings.host.lower(), *settings.allowed_hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            try:
                self._check_host(headers.getlist("host"))
                origin = extension_origin(headers)
                if origin is not None and is_preflight(scope):
                    await preflight_response(scope, origin)(scope, receive, send)
                    return
                if origin is not None:
                    admit_extension(scope)
                    send = with_cors(send, origin)
                elif scope["method"] not in SAFE_METHODS:
                    check_change(scope)
            except NexusError as error:
                await response_to(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, hosts: list[str]) -> None:
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None or not (name in self._own_names or is_loopback(name)):
            raise ForeignHostError(
                "This server does not accept that Host header. If the name is yours, add it to NEXUS_ALLOWED_HOSTS."
            )


class BodyLimit:
    """Reads the body before the route does, so that one that is too large gets a clear response."""

    def __init__(
        self,
        app: ASGIApp,
        limit: int,
        larger: Mapping[tuple[str, str], int] | None = None,
        streamed: Mapping[tuple[str, str], int] | None = None,
    ) -> None:
        """By method and path, `larger`: the limits of single routes; `streamed`: of those that read their body
        themselves, as it arrives."""
        self._app = app
        self._limit = limit
        self._larger = larger or {}
        self._streamed = streamed or {}
        self._bodies = LargeBodies(max(MAX_LARGE_BODIES_BYTES, 2 * max(limit, *self._larger.values(), 0)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if "content-length" not in headers and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        streamed = self._streamed.get((scope["method"], scope["path"]))
        if streamed is not None:
            await StreamedBody(scope, receive, send, streamed).run(self._app)
            return
        client = scope.get("client")
        body = ReceivedBody(counted_address(client[0] if client else None), asyncio.get_running_loop().time())
        try:
            limit = self._larger.get((scope["method"], scope["path"]), self._limit)
            received = await self._receive(body, receive, limit)
            if isinstance(received, NexusError):
                self._bodies.release(body)  # the rest is discarded
                if body.more_to_come:
                    await discard_rest(receive)
                await response_to(received)(scope, receive, send)
            elif received is not None:
                await self._app(scope, _replay(received, receive), send)
        finally:
            self._bodies.release(body)

    async def _receive(self, body: ReceivedBody, receive: Receive, limit: int) -> bytes | NexusError | None:
        """The whole body, or why it is refused; None: the client has disconnected."""
        received, clock = bytearray(), asyncio.get_running_loop().time
        try:
            async with body.interruption:
                while body.more_to_come and not body.ended:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body.more_to_come = message.get("more_body", False)
                    received += message.get("body", b"")
                    if len(received) > limit:
                        return BodyTooLargeError(f"The body is larger than the {limit} bytes this server takes.")
                    if not body.ended:
                        self._bodies.grow(body, len(received), clock())
        except TimeoutError:
            pass  # it was ended because other bodies need the memory
        if body.ended:
            return ServerBusyError("Too many large requests are being received. Try again in a few seconds.")
        self._bodies.complete(body)
        return bytes(received)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
