"""The deadline ends every slow response. None of these servers ends by itself."""

import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from nexus.errors import ConnectionFailedError, FetchTimeoutError
from nexus.web.egress import Egress, Limits
from nexus.web.egress.resolver import MAX_LOOKUPS
from tests.egress.sites import PUBLIC, Site, SiteHandler, text

PATIENT = Limits(connect_seconds=60, read_seconds=60, total_seconds=1)


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    """What the servers wait for; set at the end, so that their threads end."""
    event = threading.Event()
    yield event
    event.set()


def drip(handler: SiteHandler, hold: threading.Event, data: bytes) -> None:
    """The data again and again, a byte at a time."""
    while not hold.is_set():
        for byte in data:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            hold.wait(0.05)


# What is sent at once, and what follows slowly for ever.
SLOW: dict[str, tuple[bytes, bytes]] = {
    "status line": (b"HTTP/1.1 200 ", b"x"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-Long: x\r\n"),
    "interim responses": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"x"),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "packed body": (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\0", b"\0\0\0\xff\xff"),
}


@pytest.mark.parametrize("part", SLOW)
def test_a_slow_response_ends_with_the_deadline(
    site: Site, hold: threading.Event, new_egress: Callable[..., Egress], part: str
) -> None:
    at_once, then = SLOW[part]

    def respond(handler: SiteHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(at_once)
        drip(handler, hold, then)

    site.routes["/"] = respond
    with pytest.raises(FetchTimeoutError) as failed:
        new_egress(limits=PATIENT).fetch(site.url())
    assert (failed.value.code, failed.value.retryable, failed.value.final_url) == ("timeout", True, site.url("/"))
    assert "1 seconds" in failed.value.message


def test_slow_hops_share_one_deadline(site: Site, hold: threading.Event, new_egress: Callable[..., Egress]) -> None:
    def slowly(handler: SiteHandler) -> None:
        hold.wait(0.1)
        handler.respond(302, b"", Location="/")

    site.routes["/"] = slowly
    with pytest.raises(FetchTimeoutError):
        new_egress(limits=Limits(total_seconds=1, max_redirects=100_000)).fetch(site.url())


def test_a_silent_site_hits_the_read_time_out(
    site: Site, hold: threading.Event, new_egress: Callable[..., Egress]
) -> None:
    def silent(_: SiteHandler) -> None:
        hold.wait()

    site.routes["/"] = silent
    with pytest.raises(FetchTimeoutError, match=r"sent nothing for 0\.5 seconds"):
        new_egress(limits=Limits(read_seconds=0.5, total_seconds=60)).fetch(site.url())


def test_a_site_that_does_not_read_our_body(
    site: Site, hold: threading.Event, new_egress: Callable[..., Egress]
) -> None:
    with socket.create_server((PUBLIC, 0)) as listener, pytest.raises(FetchTimeoutError):
        new_egress(limits=PATIENT).fetch(
            f"http://{PUBLIC}:{listener.getsockname()[1]}/", method="POST", content=b"x" * 50_000_000
        )


def test_a_handshake_that_never_comes(new_egress: Callable[..., Egress]) -> None:
    with socket.create_server((PUBLIC, 0)) as listener:
        url = f"https://{PUBLIC}:{listener.getsockname()[1]}/"
        for limits in (PATIENT, Limits(connect_seconds=0.5)):
            with pytest.raises(FetchTimeoutError):
                new_egress(limits=limits).fetch(url)


def test_a_port_that_does_not_accept(new_egress: Callable[..., Egress]) -> None:
    """Nothing accepts there and the backlog is full, so the kernel drops new connections."""
    with closing(socket.socket()) as listener:
        listener.bind((PUBLIC, 0))
        listener.listen(0)
        address = listener.getsockname()
        with socket.create_connection(address):
            with pytest.raises(FetchTimeoutError, match="accept a connection"):
                new_egress(limits=Limits(connect_seconds=0.5)).fetch(f"http://{PUBLIC}:{address[1]}/")
            with pytest.raises(FetchTimeoutError):
                new_egress(limits=PATIENT).fetch(f"http://{PUBLIC}:{address[1]}/")


def test_a_name_server_that_hangs(hold: threading.Event, new_egress: Callable[..., Egress]) -> None:
    def hang(*_: object) -> list[str]:
        hold.wait()
        return [PUBLIC]

    for limits in (PATIENT, Limits(connect_seconds=0.5)):
        with pytest.raises(FetchTimeoutError, match="looked up in time"):
            new_egress(limits=limits, resolver=hang).fetch("http://slow.example/")


def test_look_ups_that_hang_are_bounded_and_end(hold: threading.Event, new_egress: Callable[..., Egress]) -> None:
    def hang(*_: object) -> list[str]:
        hold.wait()
        return []

    egress = new_egress(limits=Limits(connect_seconds=0.2), resolver=hang, per_host=MAX_LOOKUPS)
    with ThreadPoolExecutor(MAX_LOOKUPS) as pool:
        lookups = [pool.submit(egress.fetch, "http://slow.example/") for _ in range(MAX_LOOKUPS)]
        assert all(isinstance(each.exception(), FetchTimeoutError) for each in lookups)
    with pytest.raises(FetchTimeoutError, match="Too many"):
        egress.fetch("http://slow.example/")
    hold.set()
    with pytest.raises(ConnectionFailedError, match="no address"):
        egress.fetch("http://slow.example/", limits=Limits())


def test_a_name_server_that_fails(new_egress: Callable[..., Egress]) -> None:
    def fail(*_: object) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(ConnectionFailedError, match=r"nowhere\.example cannot be found") as failed:
        new_egress(resolver=fail).fetch("http://nowhere.example/")
    assert (failed.value.code, failed.value.retryable) == ("connection_error", True)


def test_the_next_address_is_tried(site: Site, new_egress: Callable[..., Egress]) -> None:
    site.routes["/"] = text()
    egress = new_egress("127.0.0.3/32", resolver=lambda *_: ["127.0.0.3", PUBLIC])
    assert egress.fetch(f"http://two.example:{site.port}/").body == b"hello"


@pytest.mark.parametrize(
    "response",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
        b"HTTP/1.1 99999 OK\r\n\r\n",
    ],
)
def test_malformed_responses(site: Site, egress: Egress, response: bytes) -> None:
    def reply(handler: SiteHandler) -> None:
        handler.wfile.write(response)
        handler.close_connection = True

    site.routes["/"] = reply
    with pytest.raises(ConnectionFailedError) as failed:
        egress.fetch(site.url())
    assert (failed.value.code, failed.value.retryable) == ("connection_error", True)


def test_a_closed_port(egress: Egress) -> None:
    with socket.socket() as taken:
        taken.bind((PUBLIC, 0))  # and never listens
        with pytest.raises(ConnectionFailedError, match="Connection refused"):
            egress.fetch(f"http://{PUBLIC}:{taken.getsockname()[1]}/")
