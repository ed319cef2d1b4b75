"""The memory limit for all request bodies together, and which of them ends when it is exceeded."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

SMALL_BODY_BYTES = 64 * 1024  # smaller ones are not counted
MAX_LARGE_BODIES_BYTES = 128 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
ADDRESS_SHARE = 4  # an address that holds more than this part of the limit loses a body first


@dataclass(eq=False)
class ReceivedBody:
    """One body, from its first byte to the end of its request; times are the event loop's."""

    address: str
    chunk_since: float
    """When the last whole chunk had arrived: the client whose chunk is oldest is the slowest."""
    interruption: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))
    held: int = 0
    more_to_come: bool = True
    ended: bool = False
    _next_chunk: int = CHUNK_BYTES

    def note(self, size: int, now: float) -> None:
        if size >= self._next_chunk:
            self._next_chunk = size + CHUNK_BYTES
            self.chunk_since = now

    def end(self) -> None:
        """The coroutine that waits for the rest gets a TimeoutError."""
        self.ended = True
        self.interruption.reschedule(0)


class LargeBodies:
    """Clients are not authenticated yet: one that sends slowly must not keep the others out.

    So the slowest body ends, and the new one is not refused. Loopback, and proxies without a forwarded address, count
    as one address like any other: this decides whose bodies end first, not how many there may be.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._receiving: dict[ReceivedBody, None] = {}

    def grow(self, body: ReceivedBody, size: int, now: float) -> None:
        """Count what has arrived; afterwards `ended` may be true for this or another body."""
        if size <= SMALL_BODY_BYTES:
            return
        self._receiving[body] = None
        self._held += size - body.held
        body.held = size
        body.note(size, now)
        while self._held > self._limit and self._receiving:
            slowest = self._slowest()
            slowest.end()
            self.release(slowest)

    def complete(self, body: ReceivedBody) -> None:
        """It still counts, but it can no longer be ended."""
        self._receiving.pop(body, None)

    def release(self, body: ReceivedBody) -> None:
        self._receiving.pop(body, None)
        self._held -= body.held
        body.held = 0

    def _slowest(self) -> ReceivedBody:
        held: Counter[str] = Counter()
        for body in self._receiving:
            held[body.address] += body.held
        share = self._limit / ADDRESS_SHARE
        return min(self._receiving, key=lambda body: (held[body.address] <= share, body.chunk_since))
