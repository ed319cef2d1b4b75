"""httpcore2's network layer over our dialer: the deadline bounds every connect, handshake, read and write."""

import select
import socket
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2

from nexus.errors import FetchTimeoutError, TlsError
from nexus.web.egress.dialer import Dialer
from nexus.web.egress.limits import Deadline


class EgressBackend(httpcore2.NetworkBackend):
    """One per connection; each request sets its own deadline."""

    def __init__(self, dialer: Dialer, deadline: Deadline) -> None:
        self._dialer = dialer
        self.deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        seconds = self.deadline.bounded(timeout)
        return EgressStream(self._dialer.dial(host, port, self.deadline, seconds), self)


class EgressStream(httpcore2.NetworkStream):
    def __init__(self, connection: socket.socket, backend: EgressBackend) -> None:
        self._connection = connection
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._connection.settimeout(self._backend.deadline.bounded(timeout))
        try:
            return self._connection.recv(max_bytes)
        except TimeoutError:
            raise self._too_slow(timeout) from None
        except OSError as error:
            raise httpcore2.ReadError(error) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        view = memoryview(buffer)
        while view:
            self._connection.settimeout(self._backend.deadline.bounded(timeout))
            try:
                view = view[self._connection.send(view) :]
            except TimeoutError:
                raise self._too_slow(timeout) from None
            except OSError as error:
                # httpcore2 then still reads: a server may refuse a body early with a proper response.
                raise httpcore2.WriteError(error) from error

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            # This bounds the whole handshake, not each of its steps.
            self._connection.settimeout(self._backend.deadline.bounded(timeout))
            secured = ssl_context.wrap_socket(self._connection, server_hostname=server_hostname)
        except BaseException as error:
            self.close()
            if isinstance(error, TimeoutError):
                raise self._too_slow(timeout) from None
            if isinstance(error, ssl.SSLCertVerificationError):
                raise TlsError(f"The certificate of {server_hostname} is not valid: {error.verify_message}.") from error
            # A connection closed during the handshake is worth a retry.
            if isinstance(error, ssl.SSLError | ValueError) and not isinstance(error, ssl.SSLEOFError):
                raise TlsError(f"Cannot make a secure connection to {server_hostname}: {_reason(error)}.") from error
            if isinstance(error, OSError):
                raise httpcore2.ConnectError(error) from error
            raise
        return EgressStream(secured, self._backend)

    def close(self) -> None:
        self._connection.close()

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object" and isinstance(self._connection, ssl.SSLSocket):
            return self._connection
        return _is_readable(self._connection) if info == "is_readable" else None

    def _too_slow(self, timeout: float | None) -> FetchTimeoutError:
        if timeout is None or self._backend.deadline.left() <= 0:
            return self._backend.deadline.expired()
        return FetchTimeoutError(f"The site sent nothing for {timeout:g} seconds.")


def _reason(error: ssl.SSLError | ValueError) -> str:
    reason = error.reason if isinstance(error, ssl.SSLError) else None
    return reason.replace("_", " ").lower() if reason else str(error)


def _is_readable(connection: socket.socket) -> bool:
    """An idle connection becomes readable only when the site closes it."""
    if connection.fileno() < 0:
        return True
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    return bool(waiting.poll(0))
