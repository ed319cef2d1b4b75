"""Keep-alive connections. Each leads to an address that was checked when it was opened."""

import ssl
import threading
from collections import deque
from contextlib import suppress

import httpcore2

from nexus.web.egress.dialer import Dialer
from nexus.web.egress.limits import Deadline
from nexus.web.egress.network_backend import EgressBackend

IDLE_SECONDS = 15.0
MAX_IDLE = 64


class PooledConnection:
    """One connection to one origin, used by one request at a time."""

    def __init__(self, origin: httpcore2.Origin, backend: EgressBackend, ssl_context: ssl.SSLContext) -> None:
        self.origin = origin
        self.is_fresh = True
        self._backend = backend
        self._http = httpcore2.HTTPConnection(
            origin, ssl_context=ssl_context, network_backend=backend, keepalive_expiry=IDLE_SECONDS
        )

    def send(self, request: httpcore2.Request, deadline: Deadline) -> httpcore2.Response:
        self._backend.deadline = deadline
        return self._http.handle_request(request)

    def is_usable(self) -> bool:
        return self._http.is_idle() and not self._http.is_closed() and not self._http.has_expired()

    def close(self) -> None:
        with suppress(OSError):
            self._http.close()


class ConnectionPool:
    def __init__(self, dialer: Dialer, ssl_context: ssl.SSLContext) -> None:
        self._dialer = dialer
        self._ssl_context = ssl_context
        self._lock = threading.Lock()
        self._idle: deque[PooledConnection] = deque()
        self._closed = False

    def acquire(self, origin: httpcore2.Origin, deadline: Deadline) -> PooledConnection:
        with self._lock:
            for connection in tuple(self._idle):
                if connection.origin == origin:
                    self._idle.remove(connection)
                    if connection.is_usable():
                        connection.is_fresh = False
                        return connection
                    connection.close()
        return self.open(origin, deadline)

    def open(self, origin: httpcore2.Origin, deadline: Deadline) -> PooledConnection:
        return PooledConnection(origin, EgressBackend(self._dialer, deadline), self._ssl_context)

    def release(self, connection: PooledConnection) -> None:
        """Keep it if its response was read to the end, else close it."""
        with self._lock:
            self._idle.append(connection)
            kept = [each for each in self._idle if each.is_usable() and not self._closed][-MAX_IDLE:]
            dropped = [each for each in self._idle if each not in kept]
            self._idle = deque(kept)
        for each in dropped:
            each.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, deque()
        for connection in idle:
            connection.close()
