"""Redirects: how many, with which method and headers."""

from collections.abc import Iterator

import pytest

from nexus.errors import InvalidUrlError, TooManyRedirectsError
from nexus.web.egress import Egress, Limits
from tests.egress.sites import RecordedRequest, Site, SiteHandler, redirect, text
from tests.loopback_server import running

HEADERS = {"Authorization": "Bearer secret", "X-Api-Key": "secret", "Accept": "text/html", "If-None-Match": '"1"'}


@pytest.fixture
def other() -> Iterator[Site]:
    """Another origin: the same address, another port."""
    with running(Site()) as site:
        yield site


def received_headers(seen: RecordedRequest) -> dict[str, str]:
    lowered = {name.lower() for name in HEADERS}
    return {name.lower(): value for name, value in seen.headers.items() if name.lower() in lowered}


def test_ten_are_followed_and_the_eleventh_is_too_many(site: Site, egress: Egress) -> None:
    for hop in range(11):
        site.routes[f"/{hop}"] = redirect(f"/{hop + 1}")
    site.routes["/11"] = text()
    assert len(egress.fetch(site.url("/1")).hops) == 10
    with pytest.raises(TooManyRedirectsError) as failed:
        egress.fetch(site.url("/0"))
    assert (failed.value.code, failed.value.retryable) == ("too_many_redirects", False)
    assert failed.value.final_url == site.url("/10")


def test_a_route_is_kept_over_redirects_and_never_sent(site: Site, egress: Egress) -> None:
    site.routes |= {"/old": redirect("/app"), "/own": redirect("/app#/own"), "/none": redirect("/app#"), "/app": text()}
    assert egress.fetch(site.url("/old#/one")).url == site.url("/app#/one")
    assert egress.fetch(site.url("/own#/one")).url == site.url("/app#/own")
    assert egress.fetch(site.url("/none#/one")).url == site.url("/app")
    assert egress.fetch(site.url("/old#part")).url == site.url("/app")
    assert {seen.path for seen in site.requests} == {"/old", "/own", "/none", "/app"}


def test_thirty_redirects_and_loops_end(site: Site, egress: Egress) -> None:
    for hop in range(30):
        site.routes[f"/{hop}"] = redirect(f"/{hop + 1}")
    site.routes |= {"/self": redirect("/self"), "/a": redirect("/b"), "/b": redirect("/a")}
    for start in ("/0", "/self", "/a"):
        site.requests.clear()
        with pytest.raises(TooManyRedirectsError):
            egress.fetch(site.url(start))
        assert len(site.requests) == 11


def test_the_redirect_limit_can_be_set(site: Site, egress: Egress) -> None:
    site.routes |= {"/": redirect("/a"), "/a": text()}
    with pytest.raises(TooManyRedirectsError):
        egress.fetch(site.url(), limits=Limits(max_redirects=0))


def test_the_same_origin_gets_all_headers_again(site: Site, egress: Egress) -> None:
    site.routes |= {"/": redirect("/a"), "/a": text()}
    egress.fetch(site.url(), headers=HEADERS)
    assert received_headers(site.requests[1]) == {name.lower(): value for name, value in HEADERS.items()}


def test_another_origin_gets_only_harmless_headers(site: Site, other: Site, egress: Egress) -> None:
    site.routes["/"] = redirect(other.url("/back"))
    other.routes["/back"] = redirect(site.url("/end"))
    site.routes["/end"] = text()
    egress.fetch(site.url(), headers=HEADERS)
    for seen in (other.requests[0], site.requests[1]):
        assert received_headers(seen) == {"accept": "text/html", "if-none-match": '"1"'}


def test_cookies_are_neither_kept_nor_sent(site: Site, egress: Egress) -> None:
    site.routes["/"] = lambda handler: handler.respond(302, b"", Location="/a", Set_Cookie="id=1; Path=/")
    site.routes["/a"] = lambda handler: handler.respond(200, b"", Set_Cookie="id=2; Path=/")
    egress.fetch(site.url(), headers={"Cookie": "id=0"})
    egress.fetch(site.url("/a"))
    assert not any(name.lower() == "cookie" for seen in site.requests for name in seen.headers)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_post_becomes_a_get(site: Site, egress: Egress, status: int) -> None:
    site.routes |= {"/": redirect("/a", status), "/a": text()}
    egress.fetch(site.url(), method="POST", content=b"abc", headers={"Content-Type": "text/plain"})
    assert (site.requests[1].method, site.requests[1].body) == ("GET", b"")
    assert not any(name.lower().startswith("content-") for name in site.requests[1].headers)


@pytest.mark.parametrize("status", [307, 308])
def test_307_and_308_keep_the_method(site: Site, egress: Egress, status: int) -> None:
    site.routes |= {"/": redirect("/a", status), "/a": text()}
    assert egress.fetch(site.url(), method="POST", content=b"abc").status == 200
    assert (site.requests[1].method, site.requests[1].body) == ("POST", b"abc")


def test_a_streamed_body_cannot_be_sent_again(site: Site, egress: Egress) -> None:
    def take(handler: SiteHandler) -> None:
        handler.close_connection = True
        handler.respond(307, b"", Location="/a", Connection="close")

    site.routes |= {"/": take, "/a": text()}
    assert egress.fetch(site.url(), method="POST", content=iter([b"abc"])).status == 307


def test_a_redirect_without_a_location_is_returned(site: Site, egress: Egress) -> None:
    site.routes |= {
        "/": lambda handler: handler.respond(302, b"moved"),
        "/b": lambda handler: handler.respond(300, b"choose"),
    }
    assert [egress.fetch(site.url(path)).body for path in ("/", "/b")] == [b"moved", b"choose"]


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://a/", "javascript:1", "data:,x", "http://[", "http://u:p@a/"]
)
def test_a_redirect_to_something_else_is_refused(site: Site, egress: Egress, location: str) -> None:
    site.routes["/"] = redirect(location)
    with pytest.raises(InvalidUrlError):
        egress.fetch(site.url())


@pytest.mark.parametrize(
    ("location", "path"),
    [("é?ü", "/x/%C3%A9?%C3%BC"), ("../up", "/up"), ("?q", "/x/y?q"), ("\\back", "/back"), ("a b", "/x/a%20b")],
)
def test_locations_are_read_as_browsers_do(site: Site, egress: Egress, location: str, path: str) -> None:
    def respond(handler: SiteHandler) -> None:
        handler.respond(302 if handler.path == "/x/y" else 200, Location=location.encode().decode("latin-1"))

    site.routes |= {"/x/y": respond, path.partition("?")[0]: respond}
    assert egress.fetch(site.url("/x/y")).url == site.url(path)
