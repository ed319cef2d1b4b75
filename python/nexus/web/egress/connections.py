"""Idle connections, kept a short while. Each leads to an address that was checked when it was opened."""

import ssl
import threading
from collections import deque
from contextlib import suppress

import httpcore2

from nexus.web.egress.dialer import Dialer
from nexus.web.egress.limits import Deadline
from nexus.web.egress.network_backend import EgressBackend

IDLE_SECONDS = 15.0
IDLE_AT_MOST = 64


class Connection:
    """One connection to one origin, used by one request at a time."""

    def __init__(self, origin: httpcore2.Origin, wire: EgressBackend, trust: ssl.SSLContext) -> None:
        self.origin = origin
        self.is_fresh = True
        self._wire = wire
        self._http = httpcore2.HTTPConnection(
            origin, ssl_context=trust, network_backend=wire, keepalive_expiry=IDLE_SECONDS
        )

    def send(self, request: httpcore2.Request, deadline: Deadline) -> httpcore2.Response:
        self._wire.deadline = deadline
        return self._http.handle_request(request)

    def is_usable(self) -> bool:
        return self._http.is_idle() and not self._http.is_closed() and not self._http.has_expired()

    def close(self) -> None:
        with suppress(OSError):
            self._http.close()


class Connections:
    def __init__(self, dialer: Dialer, trust: ssl.SSLContext) -> None:
        self._dialer = dialer
        self._trust = trust
        self._lock = threading.Lock()
        self._idle: deque[Connection] = deque()
        self._closed = False

    def take(self, origin: httpcore2.Origin, deadline: Deadline) -> Connection:
        with self._lock:
            for connection in tuple(self._idle):
                if connection.origin == origin:
                    self._idle.remove(connection)
                    if connection.is_usable():
                        connection.is_fresh = False
                        return connection
                    connection.close()
        return self.open(origin, deadline)

    def open(self, origin: httpcore2.Origin, deadline: Deadline) -> Connection:
        return Connection(origin, EgressBackend(self._dialer, deadline), self._trust)

    def give_back(self, connection: Connection) -> None:
        """Keep it if its answer was read to the end, else close it."""
        with self._lock:
            self._idle.append(connection)
            kept = [each for each in self._idle if each.is_usable() and not self._closed][-IDLE_AT_MOST:]
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
