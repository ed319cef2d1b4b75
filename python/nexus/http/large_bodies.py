"""How much memory request bodies may take together, and which of them ends when it is too much."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

SMALL_BODY_BYTES = 64 * 1024  # one that is not larger counts nothing
LARGE_BODIES_BYTES = 128 * 1024 * 1024
PIECE_BYTES = 64 * 1024
ADDRESS_SHARE = 4  # an address that holds more than this part of the whole gives way first


@dataclass(eq=False)
class ReceivedBody:
    """One body, from its first byte until its request is answered; times are the event loop's."""

    address: str
    piece_since: float
    """When the last whole piece had come: the client that has sent least lately is the slowest."""
    interruption: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))
    held: int = 0
    more_to_come: bool = True
    ended: bool = False
    _next_piece: int = PIECE_BYTES

    def note(self, size: int, now: float) -> None:
        if size >= self._next_piece:
            self._next_piece = size + PIECE_BYTES
            self.piece_since = now

    def end(self) -> None:
        """Whoever waits for the rest of it gets a TimeoutError."""
        self.ended = True
        self.interruption.reschedule(0)


class LargeBodies:
    """Nobody has said who they are yet: a client that sends slowly must not keep the others out.

    So it is not the newcomer who is refused but the slowest that ends. Loopback, and proxies that do not say for whom
    they ask, are one address like any other here: this decides whose bodies end first, not how many there may be.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._receiving: dict[ReceivedBody, None] = {}

    def grow(self, body: ReceivedBody, size: int, now: float) -> None:
        """Count what has come of it; `ended` says whether it was the one that had to end."""
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
        """It still takes its memory, but there is nothing left to wait for: it is not ended any more."""
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
        return min(self._receiving, key=lambda body: (held[body.address] <= share, body.piece_since))
