"""A link must lead to a page: what counts as one, and what an error contains."""

import gzip
from collections.abc import Callable

import pytest

from nexus.errors import HttpStatusError, MaxBytesError, NonHtmlError
from nexus.errors.attempts import FEED, PODCAST_FEED
from nexus.web.egress import Egress, Limits
from nexus.web.fetch_html import fetch_html
from tests.egress.sites import Site, SiteHandler, redirect, text

PAGE = b"<!doctype html><html><head><title>Bridges</title></head><body><p>A promise.</p></body></html>"
PDF = b"%PDF-1.7\n" + b"x" * 2000


def test_a_page_comes_with_its_type_and_final_url(site: Site, egress: Egress) -> None:
    site.routes["/old"] = redirect("/new")
    site.routes["/new"] = text(
        gzip.compress(PAGE), Content_Type="text/html; charset=utf-8", Content_Encoding="gzip", ETag='"1"', Server="x"
    )
    page = fetch_html(egress, site.url("/old"))
    assert (page.body, page.status, page.final_url) == (PAGE, 200, site.url("/new"))
    assert page.content_type == "text/html; charset=utf-8"
    assert page.content_length == len(PAGE)
    assert site.requests[0].headers["accept"].startswith("text/html")


@pytest.mark.parametrize(
    ("label", "body"),
    [
        ("text/html", PAGE),
        ("TEXT/HTML;charset=x", PAGE),
        ("application/xhtml+xml", PAGE),
        ("text/html", b"no tags at all"),
        ("text/html", b""),
        ("text/html", b"<!---->" * 200 + PAGE),
        (None, PAGE),
        (None, b"A paragraph without a label."),
        (None, b"\xff\xfe" + "<html>".encode("utf-16-le")),
        ("text/plain", b"\n  " + PAGE),
        ("text/plain", b"\xef\xbb\xbf<HTML lang=en>"),
        ("application/octet-stream", PAGE),
        ("application/xml", b'<?xml version="1.0"?>\n<!DOCTYPE html><html xmlns="x"></html>'),
        ("text/html", b"ID3 tags are <b>read</b> first"),
    ],
)
def test_pages(site: Site, egress: Egress, label: str | None, body: bytes) -> None:
    site.routes["/"] = text(body, **({"Content_Type": label} if label else {}))
    assert fetch_html(egress, site.url()).body == body


@pytest.mark.parametrize(
    ("label", "body"),
    [
        ("application/pdf", PDF),
        ("image/png", b"\x89PNG"),
        ("application/json", b"{}"),
        ("audio/mpeg", b"ID3"),
        ("text/css", b"<html>"),
        ("text/html", PDF),
        ("text/html", b"PK\x03\x04" + b"\0" * 50),
        ("text/html", b"ID3\x04" + b"a" * 50),
        (None, PDF),
        (None, b"a\0b"),
        ("text/plain", b"Request for Comments"),
        ("application/octet-stream", b"\0" * 3000),
        ("application/rss+xml", b'<?xml version="1.0"?><rss>'),
        ("text/xml", b'<?xml version="1.0"?><rss version="2.0">'),
        ("text/xml", b"<podcast>"),
    ],
)
def test_what_is_no_page(site: Site, egress: Egress, label: str | None, body: bytes) -> None:
    site.routes["/"] = text(body, **({"Content_Type": label} if label else {}))
    with pytest.raises(NonHtmlError) as refused:
        fetch_html(egress, site.url())
    assert (refused.value.http_status, refused.value.final_url) == (200, site.url("/"))
    assert not refused.value.retryable


RSS = b'<?xml version="1.0"?>\n<?xml-stylesheet href="a.xsl"?>\n<!-- made by hand -->\n<rss version="2.0"><channel>'
ATOM = b'<feed xml:lang="en" xmlns="http://www.w3.org/2005/Atom">'
RDF = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
ITEMS = b"<item><title>Long notes</title><description>words words words</description></item>" * 400
SOUND = b'<item><enclosure length="1" url="https://a.example/1.mp3" type="audio/mpeg"/></item>'


@pytest.mark.parametrize(
    ("label", "body", "reason"),
    [
        ("application/rss+xml", RSS, FEED),
        ("application/rss+xml; charset=utf-8", RSS + ITEMS + SOUND, PODCAST_FEED),
        ("application/atom+xml", ATOM, FEED),
        ("application/atom+xml", ATOM + b'<link rel="enclosure" type="audio/ogg" href="/a.ogg"/>', PODCAST_FEED),
        ("application/feed+json", b"{}", FEED),
        ("application/xml", ATOM, FEED),
        ("text/xml", RDF, FEED),
        ("text/xml", RSS + ITEMS + SOUND, PODCAST_FEED),
        ("text/html", RSS + ITEMS, FEED),
        ("text/html; charset=utf-8", RSS + SOUND, PODCAST_FEED),
        ("text/plain", RSS.decode().encode("utf-16"), FEED),
        (None, RSS, FEED),
    ],
)
def test_a_feed_is_recognised(site: Site, egress: Egress, label: str | None, body: bytes, reason: str) -> None:
    site.routes["/"] = text(body, **({"Content_Type": label} if label else {}))
    with pytest.raises(NonHtmlError) as refused:
        fetch_html(egress, site.url())
    assert (refused.value.code, refused.value.message) == ("non_html", reason)


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body><p>How to write &lt;rss version=2&gt; by hand: <code><rss></code>",
        b"<!doctype html><title>Feed</title><feed>a list of birds</feed>",
        b"<feed><p>A page with made-up elements</p></feed>",
    ],
)
def test_a_page_about_feeds_is_a_page(site: Site, egress: Egress, body: bytes) -> None:
    site.routes["/"] = text(body, Content_Type="text/html")
    assert fetch_html(egress, site.url()).body == body


def test_an_endless_feed_is_not_read_to_its_end(site: Site, new_egress: Callable[..., Egress]) -> None:
    def endless(handler: SiteHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/rss+xml")
        handler.end_headers()
        handler.wfile.write(RSS)
        for _ in range(1_000_000):
            handler.wfile.write(ITEMS)

    site.routes["/"] = endless
    with pytest.raises(NonHtmlError, match="This is a feed"):
        fetch_html(new_egress(limits=Limits(max_bytes=10**12)), site.url())


def test_a_large_file_is_refused_by_its_first_bytes(site: Site, new_egress: Callable[..., Egress]) -> None:
    def endless(handler: SiteHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(1_000_000):
            handler.wfile.write(PDF)

    site.routes["/"] = endless
    with pytest.raises(NonHtmlError):
        fetch_html(new_egress(limits=Limits(max_bytes=10**12)), site.url())


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(status, False) for status in (300, 400, 401, 403, 404, 410, 451)]
    + [(status, True) for status in (408, 429, 500, 501, 502, 503, 504, 507, 599)],
)
def test_an_error_status_has_its_own_code_and_keeps_its_page(
    site: Site, egress: Egress, status: int, retryable: bool
) -> None:
    site.routes["/"] = lambda handler: handler.respond(status, PAGE, Content_Type="text/html")
    with pytest.raises(HttpStatusError) as failed:
        fetch_html(egress, site.url())
    error = failed.value
    assert (error.code, error.http_status, error.retryable) == (f"http_{status}", status, retryable)
    assert (error.body, error.content_type, error.final_url) == (PAGE, "text/html", site.url("/"))
    assert str(status) in error.message


def test_an_error_status_without_a_readable_page(site: Site, egress: Egress) -> None:
    site.routes["/json"] = lambda handler: handler.respond(404, b"{}", Content_Type="application/json")
    site.routes["/broken"] = lambda handler: handler.respond(
        500, PAGE, Content_Type="text/html", Content_Encoding="gzip"
    )
    for path, code in (("/json", "http_404"), ("/broken", "http_500")):
        with pytest.raises(HttpStatusError) as failed:
            fetch_html(egress, site.url(path))
        assert (failed.value.code, failed.value.body) == (code, b"")


def test_retry_after_is_part_of_the_error(site: Site, egress: Egress) -> None:
    site.routes["/"] = lambda handler: handler.respond(503, b"", Retry_After="90")
    with pytest.raises(HttpStatusError) as failed:
        fetch_html(egress, site.url())
    assert failed.value.retry_after == 90


def test_a_page_larger_than_the_limit(site: Site, egress: Egress) -> None:
    site.routes["/"] = text(PAGE + b"x" * 200_000, Content_Type="text/html")
    with pytest.raises(MaxBytesError) as failed:
        fetch_html(egress, site.url(), limits=Limits(max_bytes=100_000))
    assert failed.value.http_status == 200
