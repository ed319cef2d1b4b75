"""uvicorn's HTTP/1.1 with limits on the head of a request, on its time to arrive, and on idle clients."""

import asyncio
import contextvars
from typing import Any, ClassVar

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from nexus.errors import (
    HeadersTooLargeError,
    MalformedRequestError,
    NexusError,
    RequestTimeoutError,
    ServerBusyError,
)
from nexus.http.connections import ClientConnections, ConnectionLimits, counted_address, trusted_addresses
from nexus.http.errors import error_response
from nexus.http.large_bodies import SMALL_BODY_BYTES
from nexus.http.request_id import begin_request

MAX_HEAD_BYTES = 64 * 1024
MAX_HEADERS = 100
MIN_RATE = 500  # bytes a second; a phone with a bad connection sends 2 000 and more
MIN_RATE_LARGE = 2_000  # for a large body, which takes memory that others need
REST_SECONDS = 30  # for the rest of a body whose response was sent before it had arrived
LINGER_SECONDS = 5  # for the client to read why it was refused, while what it still sends is discarded
DISCARD_BYTES = 1024 * 1024

TOO_SLOW = "The request did not arrive in time. Try again."


class BoundedProtocol(HttpToolsProtocol):
    """One connection. `server_connections` holds all of them and checks each once a second."""

    server_connections: ClassVar[ClientConnections]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.address = ""
        self.since = 0.0  # since when it waits for what its client has to send now
        self._in_body = False
        self._begun = False
        self._complete = 0
        self._head_bytes = 0
        self._body_bytes = 0
        self._whole_body_bytes = 0
        self._bytes_without_body = 0
        self._refused = False
        self._discarded = 0
        self._unsent = 0
        self._unsent_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn does
        super().connection_made(transport)
        self.address = counted_address(self.client[0] if self.client else None)
        self.since = self.loop.time()
        self.server_connections.trusted = trusted_addresses(self.config.forwarded_allow_ips)
        if not self.server_connections.admit(self, self.loop):
            self.server_connections.note("too many busy connections", self.address)
            self._refused = True
            self._write(ServerBusyError("The server is busy with too many requests. Try again in a few seconds."))
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.server_connections.leave(self)
        super().connection_lost(exc)

    def waits_for_client(self) -> bool:
        """For the rest of a request, or for room to send the response."""
        return self._waits_for_request() or self.flow.write_paused

    def _waits_for_request(self) -> bool:
        if self._refused or self.transport.is_closing():
            return True
        if self.flow.read_paused:
            return False
        return self._in_body or not self._is_responding()

    def abort(self) -> None:
        self.transport.abort()

    def end_if_late(self, now: float) -> None:
        if self._leaves_response_unread(now):
            self.server_connections.note("response not read", self.address)
            self.abort()
        elif self._refused:
            if now - self.since > LINGER_SECONDS:
                self.abort()
        elif not self._waits_for_request():
            if not self.flow.write_paused:
                self._wait_from(now)
        elif self._in_body:
            self._end_late_body(now)
        else:
            self._end_late_head(now)

    def _end_late_head(self, now: float) -> None:
        limit = self.server_connections.limits.head_seconds
        if now - self.since <= limit + min(self._head_bytes / MIN_RATE, limit):
            return
        if self._head_bytes:
            self._refuse(RequestTimeoutError(TOO_SLOW), "request not sent in time")
        else:
            self.transport.close()  # browsers open connections before they need them

    def _end_late_body(self, now: float) -> None:
        if self.cycle.response_complete:
            if now - self.since > REST_SECONDS:
                self.abort()
            return
        limit = self.server_connections.limits.body_seconds
        if now - self.since <= limit:
            return
        rate = MIN_RATE_LARGE if self._whole_body_bytes > SMALL_BODY_BYTES else MIN_RATE
        if self._body_bytes < rate * limit:
            self._refuse(RequestTimeoutError(TOO_SLOW), "request not sent in time")
        else:
            self._wait_from(now)

    def _leaves_response_unread(self, now: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        if not unsent or unsent < self._unsent or not self._unsent:
            self._unsent_since = now
        self._unsent = unsent
        return bool(unsent) and now - self._unsent_since > self.server_connections.limits.unread_seconds

    def pause_writing(self) -> None:
        self.since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        self._unsent = 0
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            self._discarded += len(data)
            if self._discarded > DISCARD_BYTES:
                self.abort()
            return
        self._unset_keepalive_if_required()
        was_in_body = self._in_body
        if not was_in_body and not self._head_bytes and not self._is_responding():
            self.since = self.loop.time()
        self._complete = 0
        self._bytes_without_body += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # handled as a request without the upgrade
        except httptools.HttpParserError:
            self._refuse(
                MalformedRequestError("This is not an HTTP/1.1 request that can be read."), "malformed request"
            )
        self._count_head(len(data), from_its_beginning=not was_in_body and not self._complete)
        if max(self._head_bytes, self._bytes_without_body if self._in_body else 0) > MAX_HEAD_BYTES:
            self._refuse_head()

    def _count_head(self, received: int, *, from_its_beginning: bool) -> None:
        if self._in_body:
            self._head_bytes = 0
        elif from_its_beginning:
            self._head_bytes += received
        else:
            self._head_bytes = int(self._begun)  # how much of the data belongs to this head is not known

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begun = True

    def on_header(self, name: bytes, value: bytes) -> None:
        # A trailer of a chunked body is ignored: it was not there when the request was checked.
        if self._in_body or self._refused:
            return
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            self._refuse_head()

    def on_headers_complete(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > MAX_HEAD_BYTES:
            self._refuse_head()
        if self._refused:
            return
        super().on_headers_complete()
        # Only now: it raises for an invalid target, and until then `cycle` is the request before.
        self._in_body = True
        self._bytes_without_body = self._whole_body_bytes = 0
        self._wait_from(self.loop.time())

    def on_body(self, body: bytes) -> None:
        if self._refused:
            return
        self._body_bytes += len(body)
        self._whole_body_bytes += len(body)
        self._bytes_without_body = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._refused:
            return
        self._in_body = self._begun = False
        self._complete += 1
        self._wait_from(self.loop.time())
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._wait_from(self.loop.time())
        super().on_response_complete()

    def _wait_from(self, now: float) -> None:
        self.since = now
        self._body_bytes = 0

    def _is_responding(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def _refuse_head(self) -> None:
        self._refuse(
            HeadersTooLargeError(
                f"The request line and headers are limited to {MAX_HEAD_BYTES} bytes and {MAX_HEADERS} headers."
            ),
            "headers too large",
        )

    def _refuse(self, error: NexusError, reason: str) -> None:
        """Respond and end the connection; what the client still sends is read and discarded for a moment."""
        if self._refused:
            return
        self._refused = True
        self.since = self.loop.time()
        self.server_connections.note(reason, self.address)
        if self._in_body and self.cycle.response_complete:
            self.transport.close()  # it has its response; a second one would be taken for the next request's
            return
        if self._is_responding():
            ours = self._in_body and not self.pipeline and not self.cycle.response_started
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if not ours:  # the response to another request is being sent
                self.abort()
                return
        self._write(error)
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()

    def _write(self, error: NexusError) -> None:
        # In a context of its own, so that the request id does not stay for later requests of this connection.
        self.transport.write(contextvars.Context().run(_as_bytes, error))


def _as_bytes(error: NexusError) -> bytes:
    headers = {"X-Request-Id": begin_request(None), "Connection": "close", "Cache-Control": "no-store"}
    response = error_response(error.status, error.code, error.message, headers=headers)
    lines = [name + b": " + value + b"\r\n" for name, value in response.raw_headers]
    return b"".join([STATUS_LINE[error.status], *lines, b"\r\n", bytes(response.body)])


def bounded_protocol(limits: ConnectionLimits) -> type[BoundedProtocol]:
    """For uvicorn's `http` option: one class per server, because uvicorn makes its connections from a class."""
    return type("ServerProtocol", (BoundedProtocol,), {"server_connections": ClientConnections(limits)})
