"""Which request bodies end when those that are being received take too much memory together."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from nexus.http.large_bodies import SMALL_BODY_BYTES, LargeBodies, ReceivedBody

LIMIT = 16 * SMALL_BODY_BYTES

Receive = Callable[[str, float, int], ReceivedBody]


def with_bodies(check: Callable[[LargeBodies, Receive], None]) -> None:
    """`check` gets a way to receive the beginning of a body: from which address, when, and how many bytes."""

    async def run() -> None:
        bodies, made = LargeBodies(LIMIT), [ReceivedBody("", 0.0) for _ in range(40)]
        async with AsyncExitStack() as waiting:
            for body in made:
                await waiting.enter_async_context(body.interruption)

            def receive(address: str, now: float, size: int) -> ReceivedBody:
                body = made.pop()
                body.address, body.chunk_since = address, now
                bodies.grow(body, size, now)
                return body

            check(bodies, receive)

    asyncio.run(run())


def test_the_slowest_ends_not_the_newcomer() -> None:
    def check(bodies: LargeBodies, receive: Receive) -> None:
        slow = [receive(f"192.0.2.{n}", n, 3 * SMALL_BODY_BYTES) for n in range(5)]
        bodies.grow(slow[0], 4 * SMALL_BODY_BYTES, 10)  # which has just sent another piece
        newcomer = receive("192.0.2.99", 11, 4 * SMALL_BODY_BYTES)
        assert [body.ended for body in slow] == [False, True, True, False, False]
        assert not newcomer.ended

    with_bodies(check)


def test_a_few_bytes_now_and_then_make_nobody_faster() -> None:
    def check(bodies: LargeBodies, receive: Receive) -> None:
        trickles, steady = receive("a", 0, LIMIT // 4), receive("b", 1, LIMIT // 4)
        for second in range(2, 60):
            bodies.grow(trickles, LIMIT // 4 + 500 * second, second)
        receive("c", 61, LIMIT // 4)
        receive("d", 62, LIMIT // 4)
        assert (trickles.ended, steady.ended) == (True, False)

    with_bodies(check)


def test_an_address_that_holds_much_gives_way_first() -> None:
    def check(bodies: LargeBodies, receive: Receive) -> None:
        patient = receive("192.0.2.1", 0, LIMIT // 8)
        flood = [receive("192.0.2.66", 1 + n, LIMIT // 8) for n in range(20)]
        assert not patient.ended
        assert [body.ended for body in flood] == [True] * 13 + [False] * 7

    with_bodies(check)


def test_small_bodies_and_those_that_have_come_are_not_ended() -> None:
    def check(bodies: LargeBodies, receive: Receive) -> None:
        small, complete = receive("a", 0, SMALL_BODY_BYTES), receive("a", 1, LIMIT - SMALL_BODY_BYTES)
        bodies.complete(complete)
        assert receive("b", 2, 2 * SMALL_BODY_BYTES).ended, "there is no room, and nobody to make it"
        assert not small.ended
        assert not complete.ended
        bodies.release(complete)
        assert not receive("b", 3, LIMIT).ended, "the room was not given back"

    with_bodies(check)
