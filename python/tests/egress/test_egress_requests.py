"""Requests: headers, bodies, connections, and the response as callers get it."""

import threading

import pytest

from nexus.errors import ConnectionFailedError
from nexus.web.egress import Egress, Hop
from tests.egress.sites import Site, SiteHandler, redirect, text


def test_a_response_has_status_headers_url_and_body(site: Site, egress: Egress) -> None:
    site.routes["/a"] = text(b"hello", Content_Type="text/plain", X_Twice="1")
    response = egress.fetch(site.url("/a?q=1#part"))
    assert (response.status, response.body, response.hops) == (200, b"hello", ())
    assert response.url == site.url("/a?q=1")
    assert response.headers["CONTENT-type"] == "text/plain"
    assert "x-none" not in response.headers


def test_requests_carry_user_agent_and_host(site: Site, egress: Egress) -> None:
    site.routes["/"] = text()
    egress.fetch(site.url("/"))
    headers = {name.lower(): value for name, value in site.requests[0].headers.items()}
    assert headers["user-agent"] == "Tester/1"
    assert headers["host"] == f"127.0.0.2:{site.port}"
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert not {"cookie", "authorization", "referer"} & set(headers)


def test_error_statuses_are_returned(site: Site, egress: Egress) -> None:
    site.routes["/"] = lambda handler: handler.respond(404, b"gone")
    response = egress.fetch(site.url())
    assert (response.status, response.body) == (404, b"gone")


def test_a_body_can_be_read_in_chunks(site: Site, egress: Egress) -> None:
    site.routes["/"] = text(b"x" * 90_000)
    with egress.stream(site.url()) as response:
        chunks = list(response.iter_bytes())
    assert sum(map(len, chunks)) == 90_000
    assert max(map(len, chunks)) <= 65_536


def test_a_request_body_is_sent_whole_or_in_chunks(site: Site, egress: Egress) -> None:
    site.routes["/"] = lambda handler: handler.respond(201, handler.headers.get("transfer-encoding", "whole").encode())
    assert egress.fetch(site.url(), method="post", content=b"abc").body == b"whole"
    assert (site.requests[0].method, site.requests[0].body) == ("POST", b"abc")
    assert egress.fetch(site.url(), method="POST", content=iter([b"ab", b"c"])).body == b"chunked"


def test_head_and_304_have_no_body_to_wait_for(site: Site, egress: Egress) -> None:
    def unchanged(handler: SiteHandler) -> None:
        handler.send_response(304)
        handler.send_header("Content-Length", "999999999")
        handler.end_headers()

    site.routes["/"], site.routes["/same"] = text(b"hello"), unchanged
    assert egress.fetch(site.url(), method="HEAD").body == b""
    assert egress.fetch(site.url("/same")).status == 304


def test_a_range_is_requested_uncompressed(site: Site, egress: Egress) -> None:
    site.routes["/"] = text()
    egress.fetch(site.url(), headers={"Range": "bytes=0-1"})
    assert site.requests[0].headers["accept-encoding"] == "identity"


def test_connections_are_reused(site: Site, egress: Egress) -> None:
    site.routes["/"] = text()
    for _ in range(5):
        egress.fetch(site.url())
    assert (len(site.requests), site.connections) == (5, 1)


def test_a_connection_the_site_dropped_is_replaced(site: Site, egress: Egress) -> None:
    """It closes the first connection when the second request arrives on it, without a response."""

    def respond(handler: SiteHandler) -> None:
        if len(site.requests) == 2:
            handler.close_connection = True
        else:
            handler.respond(200, b"hello")

    site.routes["/"] = respond
    assert [egress.fetch(site.url()).body for _ in range(2)] == [b"hello", b"hello"]
    assert (len(site.requests), site.connections) == (3, 2)


def test_a_post_is_not_retried(site: Site, egress: Egress) -> None:
    def drop(handler: SiteHandler) -> None:
        handler.close_connection = True

    site.routes["/"], site.routes["/drop"] = text(), drop
    egress.fetch(site.url())
    with pytest.raises(ConnectionFailedError):
        egress.fetch(site.url("/drop"), method="POST", content=b"pay")
    assert site.paths == ["/", "/drop"]


def test_an_unread_response_closes_only_its_connection(site: Site, egress: Egress) -> None:
    site.routes["/"] = text(b"x" * 50_000)
    with egress.stream(site.url()) as response:
        assert response.status == 200
    assert len(egress.fetch(site.url()).body) == 50_000
    assert site.connections == 2


def test_threads_share_the_egress(site: Site, egress: Egress) -> None:
    site.routes["/"] = text(b"hello" * 1000)
    bodies: list[bytes] = []
    threads = [threading.Thread(target=lambda: bodies.append(egress.fetch(site.url()).body)) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bodies == [b"hello" * 1000] * 24
    assert site.connections <= 4


def test_redirects_are_followed_and_recorded(site: Site, egress: Egress) -> None:
    site.routes["/a"], site.routes["/b"], site.routes["/c"] = (
        redirect("b"),
        redirect("//" + site.url("/c")[7:], 308),
        text(),
    )
    response = egress.fetch(site.url("/a"))
    assert response.url == site.url("/c")
    assert response.hops == (Hop(302, site.url("/a")), Hop(308, site.url("/b")))


def test_a_malformed_header_is_refused_before_sending(site: Site, egress: Egress) -> None:
    with pytest.raises(ConnectionFailedError) as refused:
        egress.fetch(site.url(), headers={"X-Note": "a\r\nHost: other"})
    assert not refused.value.retryable
    assert site.requests == []
