"""Which connections end when there are too many, and what counts as one client."""

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from nexus.config import load_settings
from nexus.http.connections import ClientConnections, ConnectionLimits, counted_address, limits_from


@dataclass(eq=False)
class Client:
    """A connection as the limits see it."""

    address: str
    since: float = 0
    busy: bool = False
    aborted: bool = field(default=False, init=False)

    def waits_for_client(self) -> bool:
        return not self.busy

    def end_if_late(self, now: float) -> None: ...

    def abort(self) -> None:
        self.aborted = True


@contextmanager
def running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


def admitted(
    clients: list[Client], *, total: int = 4, per_address: int = 0, trusted: tuple[str, ...] = ()
) -> list[bool]:
    connections = ClientConnections(ConnectionLimits(total, per_address, head_seconds=20))
    connections.trusted = trusted
    with running_loop() as loop:
        return [connections.admit(client, loop) for client in clients]


def test_the_oldest_that_waits_makes_room() -> None:
    old, busy, young, newcomer = Client("a", 2), Client("a", 1, busy=True), Client("a", 3), Client("a", 4)
    assert admitted([young, busy, old, newcomer], total=3) == [True] * 4
    assert [client.aborted for client in (old, busy, young, newcomer)] == [True, False, False, False]


def test_a_flood_from_one_address_costs_that_address() -> None:
    patient = Client("192.0.2.1", since=0)
    flood = [Client("192.0.2.66", since=1 + n) for n in range(10)]
    assert all(admitted([patient, *flood], total=4))
    assert not patient.aborted
    assert [client.aborted for client in flood] == [True] * 7 + [False] * 3


def test_when_all_are_busy_a_newcomer_is_refused() -> None:
    assert admitted([Client("a", busy=True) for _ in range(5)], total=4) == [True] * 4 + [False]


def test_an_address_has_its_own_limit() -> None:
    clients = [Client("192.0.2.1", since=n) for n in range(3)]
    assert admitted([Client("192.0.2.2"), *clients], total=9, per_address=2) == [True] * 4
    assert [client.aborted for client in clients] == [True, False, False]
    busy = [Client("192.0.2.1", busy=True) for _ in range(3)]
    assert admitted(busy, total=9, per_address=2) == [True, True, False]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "local", "192.0.2.7", "192.0.2.8", "2001:db8::/64"])
def test_loopback_and_proxies_stand_for_many(address: str) -> None:
    busy = [Client(address, busy=True) for _ in range(3)]
    assert all(admitted(busy, total=9, per_address=2, trusted=("192.0.2.7", "192.0.2.8/31", "2001:db8::5")))


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1:2:3:4", "2001:db8::/64"),
        ("::1", "::1"),
        (None, "local"),
    ],
)
def test_what_counts_as_one_client(host: str | None, counted: str) -> None:
    assert counted_address(host) == counted


def test_there_is_always_room_below_the_limit_of_open_files() -> None:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        for soft, expected in ((1024, 768), (512, 256), (64, 32), (files[1], min(1000, files[1] - 256))):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, files[1]), files[1]))
            assert limits_from(load_settings()).total == expected
            assert limits_from(load_settings(max_connections=100_000)).total <= max(32, soft - 256)
            assert limits_from(load_settings(max_connections=20)).total == 20
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, files)
