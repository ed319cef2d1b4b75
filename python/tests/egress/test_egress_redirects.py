"""Redirects: how far, with what, and what never comes along."""

from collections.abc import Iterator

import pytest

from nexus.errors import InvalidUrlError, TooManyRedirectsError
from nexus.web.egress import Egress, Limits
from tests.egress.sites import Seen, Site, Visit, redirect, running, text

TOLD = {"Authorization": "Bearer secret", "X-Api-Key": "secret", "Accept": "text/html", "If-None-Match": '"1"'}


@pytest.fixture
def other() -> Iterator[Site]:
    """Another origin: the same address, another port."""
    with running(Site()) as site:
        yield site


def told(seen: Seen) -> dict[str, str]:
    lowered = {name.lower() for name in TOLD}
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


def test_a_route_goes_along_as_in_browsers_and_is_never_sent(site: Site, egress: Egress) -> None:
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


def test_a_limit_of_our_own(site: Site, egress: Egress) -> None:
    site.routes |= {"/": redirect("/a"), "/a": text()}
    with pytest.raises(TooManyRedirectsError):
        egress.fetch(site.url(), limits=Limits(max_redirects=0))


def test_the_same_origin_hears_everything_again(site: Site, egress: Egress) -> None:
    site.routes |= {"/": redirect("/a"), "/a": text()}
    egress.fetch(site.url(), headers=TOLD)
    assert told(site.requests[1]) == {name.lower(): value for name, value in TOLD.items()}


def test_another_origin_hears_only_how_the_answer_should_look(site: Site, other: Site, egress: Egress) -> None:
    site.routes["/"] = redirect(other.url("/back"))
    other.routes["/back"] = redirect(site.url("/end"))
    site.routes["/end"] = text()
    egress.fetch(site.url(), headers=TOLD)
    for seen in (other.requests[0], site.requests[1]):
        assert told(seen) == {"accept": "text/html", "if-none-match": '"1"'}


def test_cookies_are_neither_kept_nor_sent(site: Site, egress: Egress) -> None:
    site.routes["/"] = lambda visit: visit.answer(302, b"", Location="/a", Set_Cookie="id=1; Path=/")
    site.routes["/a"] = lambda visit: visit.answer(200, b"", Set_Cookie="id=2; Path=/")
    egress.fetch(site.url(), headers={"Cookie": "id=0"})
    egress.fetch(site.url("/a"))
    assert not any(name.lower() == "cookie" for seen in site.requests for name in seen.headers)


@pytest.mark.parametrize("status", [301, 302, 303])
def test_a_change_becomes_a_question(site: Site, egress: Egress, status: int) -> None:
    site.routes |= {"/": redirect("/a", status), "/a": text()}
    egress.fetch(site.url(), method="POST", content=b"abc", headers={"Content-Type": "text/plain"})
    assert (site.requests[1].method, site.requests[1].body) == ("GET", b"")
    assert not any(name.lower().startswith("content-") for name in site.requests[1].headers)


@pytest.mark.parametrize("status", [307, 308])
def test_a_change_stays_one_where_the_site_says_so(site: Site, egress: Egress, status: int) -> None:
    site.routes |= {"/": redirect("/a", status), "/a": text()}
    assert egress.fetch(site.url(), method="POST", content=b"abc").status == 200
    assert (site.requests[1].method, site.requests[1].body) == ("POST", b"abc")


def test_a_streamed_body_cannot_be_sent_again(site: Site, egress: Egress) -> None:
    def take(visit: Visit) -> None:
        visit.close_connection = True
        visit.answer(307, b"", Location="/a", Connection="close")

    site.routes |= {"/": take, "/a": text()}
    assert egress.fetch(site.url(), method="POST", content=iter([b"abc"])).status == 307


def test_a_redirect_to_nowhere_is_the_answer_itself(site: Site, egress: Egress) -> None:
    site.routes |= {"/": lambda visit: visit.answer(302, b"moved"), "/b": lambda visit: visit.answer(300, b"choose")}
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
    def answer(visit: Visit) -> None:
        visit.answer(302 if visit.path == "/x/y" else 200, Location=location.encode().decode("latin-1"))

    site.routes |= {"/x/y": answer, path.partition("?")[0]: answer}
    assert egress.fetch(site.url("/x/y")).url == site.url(path)
