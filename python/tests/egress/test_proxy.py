"""The proxy for Chromium: the same rules for every request and tunnel, and no access without its password."""

import base64
import socket
from collections.abc import Iterator
from dataclasses import replace

import httpx2
import psutil
import pytest

from nexus.web.egress.dialer import Dialer
from nexus.web.egress.proxy import FilteringProxy, ProxyLimits
from nexus.web.public_address import AllowList
from tests.egress.sites import PUBLIC, Canary, Site, SiteHandler, redirect, text
from tests.processes import WAIT_SECONDS, eventually

SMALL = ProxyLimits(
    connections=8, head_seconds=60, connect_seconds=60, idle_seconds=60, total_seconds=300, max_bytes=1_000_000
)


@pytest.fixture
def proxy() -> Iterator[FilteringProxy]:
    with FilteringProxy(Dialer(AllowList.parse([PUBLIC])), SMALL) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: FilteringProxy) -> Iterator[httpx2.Client]:
    through = httpx2.Proxy(proxy.address, auth=(proxy.username, proxy.password))
    with httpx2.Client(proxy=through, trust_env=False, timeout=60) as client:
        yield client


def port_of(proxy: FilteringProxy) -> int:
    return int(proxy.address.rpartition(":")[2])


def listening_ports() -> set[int]:
    """Of this process alone: another one may have been given a port that is free again."""
    found = psutil.Process().net_connections("tcp4")
    return {each.laddr.port for each in found if each.status == psutil.CONN_LISTEN}


def connected(proxy: FilteringProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port_of(proxy)), timeout=WAIT_SECONDS)


def send(proxy: FilteringProxy, first: str, *headers: str, authorized: bool = True, body: bytes = b"") -> bytes:
    """Sends one request byte for byte and returns everything received."""
    token = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
    lines = [first, *headers, *([f"Proxy-Authorization: Basic {token}"] if authorized else [])]
    with connected(proxy) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
        received = b""
        while data := connection.recv(65_536):
            received += data
        return received


def status(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])


def test_a_page_is_proxied(site: Site, client: httpx2.Client) -> None:
    site.routes["/a"] = text(b"hello" * 50_000, Content_Type="text/html")
    response = client.get(site.url("/a?b=c"))
    assert response.content == b"hello" * 50_000
    assert site.paths == ["/a?b=c"]
    assert site.requests[0].headers["host"] == f"127.0.0.2:{site.port}"


def test_a_form_is_proxied(site: Site, client: httpx2.Client) -> None:
    site.routes["/"] = lambda handler: handler.respond(200, b"taken")
    assert client.post(site.url(), content=b"x" * 300_000).text == "taken"
    assert len(site.requests[0].body) == 300_000


def test_hop_by_hop_headers_are_removed(proxy: FilteringProxy, site: Site) -> None:
    site.routes["/"] = lambda handler: handler.respond(200, b"hello", Keep_Alive="timeout=5", X_Kept="1")
    response = send(
        proxy, f"GET {site.url()} HTTP/1.1", "Host: somebody.else", "Proxy-Connection: keep-alive", "X-Hop: 1",
        "Connection: X-Hop, keep-alive", "Keep-Alive: 5", "Cookie: a=b",
    )  # fmt: skip
    assert {name.lower(): value for name, value in site.requests[0].headers.items()} == {
        "host": f"127.0.0.2:{site.port}", "cookie": "a=b", "connection": "close",
    }  # fmt: skip
    head = response.partition(b"\r\n\r\n")[0].lower()
    assert b"x-kept: 1" in head
    assert b"connection: close" in head
    assert b"keep-alive" not in head


def test_connections_are_not_reused_for_another_site(proxy: FilteringProxy, site: Site) -> None:
    """A browser that keeps the connection would send the next site's request to this site."""
    site.routes["/"] = text(b"hello")
    assert b"connection: close" in send(proxy, f"GET {site.url()} HTTP/1.1", "Connection: keep-alive").lower()


def test_a_tunnel_carries_bytes_both_ways(proxy: FilteringProxy, site: Site) -> None:
    site.routes["/"] = text(b"hello" * 100_000)
    token = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
    with connected(proxy) as tunnel:
        head = f"CONNECT 127.0.0.2:{site.port} HTTP/1.1\r\nProxy-Authorization: Basic {token}\r\n\r\n"
        tunnel.sendall(head.encode())
        assert tunnel.recv(100) == b"HTTP/1.1 200 Connection established\r\n\r\n"
        tunnel.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        received = b""
        while data := tunnel.recv(65_536):
            received += data
    assert received.endswith(b"hello" * 100_000)


def test_a_web_socket_is_upgraded(proxy: FilteringProxy, site: Site) -> None:
    def upgrade(handler: SiteHandler) -> None:
        assert handler.headers["Upgrade"] == "websocket"
        handler.send_response(101)
        handler.send_header("Upgrade", "websocket")
        handler.send_header("Connection", "Upgrade")
        handler.end_headers()
        handler.wfile.write(b"echo " + handler.rfile.read(4))
        handler.close_connection = True

    site.routes["/ws"] = upgrade
    response = send(proxy, f"GET {site.url('/ws')} HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade", body=b"ping")
    assert status(response) == 101
    assert response.endswith(b"echo ping")


PRIVATE = """
    127.0.0.1 127.1 0x7f.1 2130706433 0177.0.0.1 0 localhost LOCALHOST. app.localhost [::1] [::] [::ffff:127.0.0.1]
    [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::1] 10.0.0.1 169.254.169.254 100.64.0.1 192.168.0.1 printer.local
    metadata.google.internal 0.0.0.0 [fe80::1] [fd00::1]
"""


@pytest.mark.parametrize("host", PRIVATE.split())
def test_private_hosts_are_refused_in_every_spelling(proxy: FilteringProxy, canary: Canary, host: str) -> None:
    for first in (f"GET http://{host}:{canary.port}/ HTTP/1.1", f"CONNECT {host}:{canary.port} HTTP/1.1"):
        response = send(proxy, first)
        assert status(response) == 403
        assert b"x-nexus-refusal: blocked_address" in response.lower()


def test_a_redirect_to_a_private_address_is_refused(site: Site, canary: Canary, client: httpx2.Client) -> None:
    site.routes["/"] = redirect(f"http://127.0.0.1:{canary.port}/")
    assert client.get(site.url(), follow_redirects=True).status_code == 403


def test_a_name_with_one_private_address_is_refused(site: Site, canary: Canary) -> None:
    answers = {"mixed.example": (PUBLIC, "127.0.0.1"), "good.example": (PUBLIC,)}
    dialer = Dialer(AllowList.parse([PUBLIC]), lambda host, _: answers[host])
    site.routes["/"] = text()
    with FilteringProxy(dialer, SMALL) as proxy:
        assert status(send(proxy, f"CONNECT mixed.example:{site.port} HTTP/1.1")) == 403
        assert status(send(proxy, f"GET http://mixed.example:{site.port}/ HTTP/1.1")) == 403
        assert status(send(proxy, f"GET http://good.example:{site.port}/ HTTP/1.1")) == 200


@pytest.mark.parametrize("given", [None, "Basic bmV4dXM6d3Jvbmc=", "Bearer x", "Basic"])
def test_the_password_is_required(proxy: FilteringProxy, site: Site, given: str | None) -> None:
    headers = [f"Proxy-Authorization: {given}"] if given else []
    for first in (f"GET {site.url()} HTTP/1.1", f"CONNECT 127.0.0.2:{site.port} HTTP/1.1"):
        response = send(proxy, first, *headers, authorized=False)
        assert status(response) == 407
        assert b"proxy-authenticate: basic" in response.lower()
    assert site.connections == 0


def test_every_proxy_has_its_own_password_and_listens_on_loopback_only() -> None:
    dialer = Dialer(AllowList())
    with FilteringProxy(dialer) as one, FilteringProxy(dialer) as other:
        assert one.password != other.password
        assert one.address.startswith("http://127.0.0.1:")
        assert one._listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("GET / HTTP/1.1", 400),
        ("GET file:///etc/passwd HTTP/1.1", 400),
        ("GET ftp://example.org/ HTTP/1.1", 400),
        ("GET https://example.org/ HTTP/1.1", 400),
        ("GET http://user:secret@example.org/ HTTP/1.1", 403),
        ("GET http://exa mple.org/ HTTP/1.1", 400),
        ("GET http://[::1/ HTTP/1.1", 403),
        ("CONNECT example.org HTTP/1.1", 400),
        ("CONNECT user@example.org:443 HTTP/1.1", 400),
        ("CONNECT example.org:443/path HTTP/1.1", 400),
        ("CONNECT example.org:99999 HTTP/1.1", 403),
        ("CONNECT example.org:22 HTTP/1.1", 403),
        ("nonsense", 400),
        ("GET http://example.org/ HTTP/2", 400),
    ],
)
def test_malformed_requests_are_refused(proxy: FilteringProxy, first: str, expected: int) -> None:
    assert status(send(proxy, first)) == expected


def test_header_lines_are_read_strictly(proxy: FilteringProxy, site: Site) -> None:
    for line in ("X Y: 1", " folded: 1", "no-colon", "a: b\x00c"):
        assert status(send(proxy, f"GET {site.url()} HTTP/1.1", line)) == 400
    assert site.connections == 0


def test_a_large_head_is_refused(proxy: FilteringProxy, site: Site) -> None:
    assert status(send(proxy, f"GET {site.url()} HTTP/1.1", "X: " + "x" * 100_000)) == 431


def test_a_site_that_does_not_speak_http_is_a_502(proxy: FilteringProxy, site: Site) -> None:
    def greet(handler: SiteHandler) -> None:
        handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")

    site.routes["/"] = greet
    assert status(send(proxy, f"GET {site.url()} HTTP/1.1")) == 502


def test_a_site_that_disconnects_is_a_502(proxy: FilteringProxy, site: Site) -> None:
    def hang_up(handler: SiteHandler) -> None:
        handler.close_connection = True

    site.routes["/"] = hang_up
    assert status(send(proxy, f"GET {site.url()} HTTP/1.1")) == 502


def test_a_site_that_is_silent_is_a_502(site: Site) -> None:
    def say_nothing(handler: SiteHandler) -> None:
        handler.rfile.read(1)

    site.routes["/"] = say_nothing
    with FilteringProxy(Dialer(AllowList.parse([PUBLIC])), replace(SMALL, idle_seconds=0.5)) as proxy:
        assert status(send(proxy, f"GET {site.url()} HTTP/1.1")) == 502


def test_a_closed_port_is_a_502(proxy: FilteringProxy) -> None:
    with socket.socket() as taken:
        taken.bind((PUBLIC, 0))  # and never listens
        assert status(send(proxy, f"CONNECT {PUBLIC}:{taken.getsockname()[1]} HTTP/1.1")) == 502


def test_an_endless_response_ends_at_the_limit(proxy: FilteringProxy, site: Site) -> None:
    def flood(handler: SiteHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65_536)

    site.routes["/"] = flood
    assert len(send(proxy, f"GET {site.url()} HTTP/1.1")) < SMALL.max_bytes + 1_000_000


def test_too_many_connections_are_refused_until_others_close(proxy: FilteringProxy, site: Site) -> None:
    site.routes["/"] = text()
    waiting = [connected(proxy) for _ in range(SMALL.connections)]
    assert status(send(proxy, f"GET {site.url()} HTTP/1.1")) == 503
    for connection in waiting:
        connection.close()
    eventually(lambda: status(send(proxy, f"GET {site.url()} HTTP/1.1")) == 200, "no connection was free again")


def test_closing_ends_open_tunnels(site: Site) -> None:
    with FilteringProxy(Dialer(AllowList.parse([PUBLIC]))) as proxy:
        token = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
        assert port_of(proxy) in listening_ports()
        tunnel = connected(proxy)
        tunnel.sendall(f"CONNECT 127.0.0.2:{site.port} HTTP/1.1\r\nProxy-Authorization: Basic {token}\r\n\r\n".encode())
        assert tunnel.recv(100).startswith(b"HTTP/1.1 200")
    assert tunnel.recv(1) == b""
    tunnel.close()
    assert port_of(proxy) not in listening_ports()
