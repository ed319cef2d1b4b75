"""Few requests to a host at a time, and none during a pause that it asked for."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from nexus.errors import ConnectionFailedError, FetchTimeoutError, HttpStatusError
from nexus.web.egress import Egress, Limits
from nexus.web.egress.politeness import retry_after
from tests.egress.sites import Site, SiteHandler, text
from tests.loopback_server import running
from tests.processes import WAIT_SECONDS


@pytest.fixture
def other() -> Iterator[Site]:
    with running(Site()) as site:
        site.routes["/"] = text()
        yield site


def test_requests_to_one_host_at_a_time_are_limited(site: Site, new_egress: Callable[..., Egress]) -> None:
    may_end, counted = threading.Semaphore(0), threading.Condition()
    now = most = begun = 0

    def respond(handler: SiteHandler) -> None:
        nonlocal now, most, begun
        with counted:
            now, begun = now + 1, begun + 1
            most = max(most, now)
            counted.notify_all()
        may_end.acquire()
        with counted:
            now -= 1
        handler.respond()

    def wait_until_begun(count: int) -> None:
        with counted:
            assert counted.wait_for(lambda: begun >= count, WAIT_SECONDS), f"{begun} requests of {count}"

    site.routes["/"] = respond
    egress = new_egress(per_host=2, limits=Limits())
    with ThreadPoolExecutor(10) as pool:
        waiting = [pool.submit(egress.fetch, site.url()) for _ in range(10)]
        try:
            for ended in range(10):
                wait_until_begun(min(ended + 2, 10))  # both slots are filled each time
                may_end.release()
        finally:
            may_end.release(10)
        assert [each.result().status for each in waiting] == [200] * 10
    assert most == 2
    assert site.connections <= 2


def test_a_slow_host_does_not_delay_others(site: Site, other: Site, new_egress: Callable[..., Egress]) -> None:
    gate, started = threading.Event(), threading.Event()

    def slowly(handler: SiteHandler) -> None:
        started.set()
        gate.wait()
        handler.respond()

    site.routes["/"] = slowly
    egress = new_egress(per_host=1, limits=Limits())
    with ThreadPoolExecutor(4) as pool:
        held = [pool.submit(egress.fetch, site.url()) for _ in range(4)]
        started.wait()
        assert egress.fetch(other.url()).body == b"hello"
        assert not any(each.done() for each in held)
        gate.set()
        assert [each.result().status for each in held] == [200] * 4


def test_waiting_too_long_for_a_slot_is_a_timeout(site: Site, new_egress: Callable[..., Egress]) -> None:
    gate, started = threading.Event(), threading.Event()

    def slowly(handler: SiteHandler) -> None:
        started.set()
        gate.wait()
        handler.respond()

    site.routes["/"] = slowly
    egress = new_egress(per_host=1, limits=Limits())
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(egress.fetch, site.url())
        started.wait()
        with pytest.raises(FetchTimeoutError, match="Other requests"):
            egress.fetch(site.url(), limits=Limits(total_seconds=0.3))
        gate.set()
        held.result()
    assert egress.fetch(site.url()).status == 200


def test_a_slot_is_released_after_errors(site: Site, new_egress: Callable[..., Egress]) -> None:
    def hang_up(handler: SiteHandler) -> None:
        handler.close_connection = True

    site.routes |= {"/": text(b"x" * 1000), "/gone": hang_up}
    egress = new_egress(per_host=1)
    for _ in range(3):
        with pytest.raises(RuntimeError), egress.stream(site.url()):
            raise RuntimeError
        with pytest.raises(ConnectionFailedError, match="sent an invalid HTTP response"):
            egress.fetch(site.url("/gone"))
    assert egress.fetch(site.url()).status == 200


@pytest.mark.parametrize("status", [429, 503])
def test_a_host_that_asks_for_a_pause_gets_it(site: Site, other: Site, egress: Egress, status: int) -> None:
    site.routes["/"] = lambda handler: handler.respond(status, b"", Retry_After="30")
    assert egress.fetch(site.url()).status == status
    for path in ("/", "/other"):
        with pytest.raises(HttpStatusError) as refused:
            egress.fetch(site.url(path))
        assert (refused.value.code, refused.value.http_status, refused.value.retryable) == (
            f"http_{status}",
            status,
            True,
        )
        assert refused.value.retry_after is not None
        assert 0 < refused.value.retry_after <= 30
    assert len(site.requests) == 1
    assert egress.fetch(other.url()).status == 200


def test_requests_waiting_for_a_slot_respect_the_pause(site: Site, new_egress: Callable[..., Egress]) -> None:
    gate, started = threading.Event(), threading.Event()

    def busy(handler: SiteHandler) -> None:
        started.set()
        gate.wait()
        handler.respond(429, b"", Retry_After="30")

    site.routes["/"] = busy
    egress = new_egress(per_host=1, limits=Limits())
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(egress.fetch, site.url())
        started.wait()
        others = [pool.submit(egress.fetch, site.url()) for _ in range(3)]
        gate.set()
        assert first.result().status == 429
        for other in others:
            with pytest.raises(HttpStatusError):
                other.result()
    assert len(site.requests) == 1


def test_a_short_pause_is_waited(site: Site, egress: Egress) -> None:
    begun: list[float] = []

    def once(handler: SiteHandler) -> None:
        begun.append(time.monotonic())
        first = len(begun) == 1
        handler.respond(503 if first else 200, b"", **({"Retry_After": "1"} if first else {}))

    site.routes["/"] = once
    assert [egress.fetch(site.url()).status for _ in range(2)] == [503, 200]
    assert begun[1] - begun[0] >= 1


@pytest.mark.parametrize("headers", [{}, {"Retry_After": "soon"}, {"Retry_After": "0"}, {"Retry_After": "-5"}])
def test_without_a_time_there_is_no_pause(site: Site, egress: Egress, headers: dict[str, str]) -> None:
    site.routes["/"] = lambda handler: handler.respond(503, b"", **headers)
    assert [egress.fetch(site.url()).status for _ in range(2)] == [503, 503]


def test_only_429_and_503_start_a_pause(site: Site, egress: Egress) -> None:
    site.routes["/"] = lambda handler: handler.respond(404, b"", Retry_After="30")
    assert [egress.fetch(site.url()).status for _ in range(2)] == [404, 404]


def test_retry_after_is_seconds_or_a_date_and_is_bounded() -> None:
    now = datetime.now(UTC)
    soon = retry_after({"retry-after": format_datetime(now + timedelta(seconds=90), usegmt=True)})
    assert soon is not None
    assert 60 < soon <= 90
    assert retry_after({"retry-after": " 120 "}) == 120
    assert retry_after({"retry-after": format_datetime(now - timedelta(days=1))}) == 0
    for endless in ("99999999999999999999", format_datetime(now + timedelta(days=400))):
        assert retry_after({"retry-after": endless}) == 3600
    for odd in ("", "soon", "1.5", "-1", "٣", "Mon, 99 Foo 2026 99:99:99 GMT", "Mon"):
        assert retry_after({"retry-after": odd}) is None
