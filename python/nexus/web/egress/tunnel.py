"""Relays bytes between two sockets in both directions, within limits, in the calling thread."""

import select
import socket
from collections.abc import Callable

from nexus.web.egress.limits import Deadline

BUFFER_BYTES = 262_144
CHUNK_BYTES = 65_536

Transform = Callable[[bytes], bytes]


class Direction:
    def __init__(
        self,
        source: socket.socket,
        sink: socket.socket,
        waiting: bytes = b"",
        transform: Transform | None = None,
    ) -> None:
        self.source = source
        self.sink = sink
        self.ended = False
        self.received = len(waiting)
        self._transform = transform
        self._waiting = bytearray(waiting)

    def wants_to_read(self) -> bool:
        return not self.ended and len(self._waiting) < BUFFER_BYTES

    def wants_to_write(self) -> bool:
        return bool(self._waiting)

    def read(self) -> None:
        data = self.source.recv(CHUNK_BYTES)
        self.ended = not data
        self.received += len(data)
        self._waiting += self._transform(data) if self._transform else data

    def write(self) -> None:
        del self._waiting[: self.sink.send(self._waiting)]


def relay(up: Direction, down: Direction, *, deadline: Deadline, idle_seconds: float, max_bytes: int) -> None:
    """Relay until one side closes, no byte was relayed for `idle_seconds`, the deadline passes or too much was
    received."""
    client, upstream = down.sink, up.sink
    for connection in (client, upstream):
        connection.setblocking(False)
    while not up.ended and down.received <= max_bytes and deadline.left() > 0:
        if down.ended and not down.wants_to_write():
            return
        interests = {client: _interest(up, down), upstream: 0 if down.ended else _interest(down, up)}
        ready = _wait(interests, min(idle_seconds, deadline.left()))
        if not ready:
            return
        for connection, events in ready.items():
            _move(connection, events, up, down)


def _interest(incoming: Direction, outgoing: Direction) -> int:
    return (select.POLLIN if incoming.wants_to_read() else 0) | (select.POLLOUT if outgoing.wants_to_write() else 0)


def _wait(interests: dict[socket.socket, int], seconds: float) -> dict[socket.socket, int]:
    # A socket that waits for nothing is not registered, because poll would report its hang-up repeatedly.
    watched = {connection.fileno(): connection for connection, events in interests.items() if events}
    poll = select.poll()
    for number, connection in watched.items():
        poll.register(number, interests[connection])
    return {watched[number]: events for number, events in poll.poll(seconds * 1000)}


def _move(connection: socket.socket, events: int, up: Direction, down: Direction) -> None:
    for direction in (up, down):
        if direction.source is connection and events & ~select.POLLOUT and direction.wants_to_read():
            direction.read()
        if direction.sink is connection and events & select.POLLOUT and direction.wants_to_write():
            direction.write()
