"""The outcome and the receipt of each kind of page."""

import signal
from dataclasses import dataclass, field
from typing import Any

import pytest

from nexus.errors import BrowserBusyError, ConnectionFailedError, HttpStatusError
from nexus.errors.attempts import PODCAST_FEED, explain
from nexus.pipelines.web_article import WebArticle
from nexus.services.lifecycle import Failed, Outcome, Postponed, Succeeded
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress
from nexus.web.public_address import AllowList
from tests.egress.sites import PUBLIC, Site, redirect
from tests.pipelines.pages import article_page, claim_of, fixture, html
from tests.pure.process_pool import misbehaving


@dataclass
class Browser:
    """In place of the browser: returns the HTML that scripts would have made of a page."""

    shows: bytes | None = None
    status: int | None = None
    is_busy: bool = False
    asked: list[str] = field(default_factory=list)

    @dataclass(frozen=True)
    class Page:
        final_url: str
        base_url: str
        html: str
        status: int | None = 200

    def render(self, url: str, *, charset: str | None, owner: object) -> Page:
        assert charset in ("utf-8", None)
        assert owner  # whose share of the browser it takes
        self.asked.append(url)
        if self.is_busy:
            raise BrowserBusyError("Other pages are shown first.", retry_after=7)
        if self.shows is None:
            if self.status:
                raise HttpStatusError("The site answered.", http_status=self.status)
            raise ConnectionFailedError("The browser gave up.")
        return self.Page(url, url, self.shows.decode())


def read(egress: Egress, pool: ProcessPool, url: str, **options: Any) -> Outcome:
    return WebArticle(egress, pool, **options).ingest(claim_of(url))


def codes(outcome: Outcome) -> list[tuple[str, str | None]]:
    assert not isinstance(outcome, Postponed)
    return [(attempt.method, attempt.error_code) for attempt in outcome.attempts]


def failed(outcome: Outcome) -> Failed:
    assert isinstance(outcome, Failed)
    return outcome


def succeeded(outcome: Outcome) -> Succeeded:
    assert isinstance(outcome, Succeeded)
    return outcome


def test_static_page_is_read_without_a_browser(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes |= {"/old": redirect("/story?b=2&a=1"), "/story": html(article_page())}
    browser = Browser(article_page())
    outcome = succeeded(read(egress, pool, site.url("/old"), renderer=browser))
    article = outcome.article
    assert article.canonical_url == site.url("/story?b=2&a=1")
    assert (article.title, article.byline, article.lang) == ("The ferry", "Ann Smith", "en")
    assert article.word_count > 150
    assert browser.asked == []
    (attempt,) = outcome.attempts
    assert (attempt.method, attempt.error_code, attempt.http_status) == ("static", None, 200)
    assert (attempt.final_url, attempt.content_length) == (site.url("/story?b=2&a=1"), len(article_page()))
    assert attempt.finished_at >= attempt.started_at


def test_canonical_link_is_noted_and_not_believed(site: Site, egress: Egress, pool: ProcessPool) -> None:
    link = b"<head><link rel=canonical href='//other.example/story'>"
    site.routes["/story"] = html(article_page().replace(b"<head>", link))
    article = succeeded(read(egress, pool, site.url("/story"))).article
    assert (article.canonical_url, article.declared_url) == (site.url("/story"), "http://other.example/story")


def test_shell_is_read_by_the_browser(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(fixture("walls/spa_shell.html"))
    browser = Browser(article_page())
    outcome = succeeded(read(egress, pool, site.url(), renderer=browser))
    assert outcome.article.title == "The ferry"
    assert browser.asked == [site.url()]
    assert codes(outcome) == [("static", "empty_extraction"), ("browser", None)]


def test_shell_without_a_browser_is_no_success(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(fixture("walls/spa_shell.html"))
    browser = Browser(article_page())
    outcome = failed(read(egress, pool, site.url(), renderer=browser, render="never"))
    assert (outcome.failure.code, outcome.failure.retryable, browser.asked) == ("empty_extraction", False, [])


@pytest.mark.parametrize("wall", ["captcha", "consent", "soft_404"])
def test_wall_is_named_and_never_stored(site: Site, egress: Egress, pool: ProcessPool, wall: str) -> None:
    site.routes["/"] = html(fixture(f"walls/{wall}.html"))
    outcome = failed(read(egress, pool, site.url(), renderer=Browser(fixture(f"walls/{wall}.html"))))
    assert outcome.failure.code == "blocked_page"
    assert codes(outcome) == [("static", "blocked_page"), ("browser", "blocked_page")]


def test_wall_behind_a_403_is_named_and_the_browser_may_pass_it(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(fixture("walls/captcha.html"), 403)
    assert failed(read(egress, pool, site.url())).failure.code == "blocked_page"
    outcome = succeeded(read(egress, pool, site.url(), renderer=Browser(article_page())))
    assert codes(outcome) == [("static", "blocked_page"), ("browser", None)]
    assert outcome.attempts[0].http_status == 403


APACHE_403 = b"""<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>403 Forbidden</title></head><body>
<h1>Forbidden</h1><p>You don't have permission to access /story on this server.</p></body></html>"""
DENIED = b"<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1></body></html>"


@pytest.mark.parametrize("body", [b"", b"no", APACHE_403, DENIED])
def test_bare_403_is_called_what_it_is(site: Site, egress: Egress, pool: ProcessPool, body: bytes) -> None:
    site.routes["/"] = html(body, 403)
    outcome = failed(read(egress, pool, site.url(), renderer=Browser(status=403)))
    assert outcome.failure.code == "http_403"
    assert outcome.failure.detail == "The site refused the request (403)."
    assert codes(outcome) == [("static", "http_403"), ("browser", "http_403")]


def test_rate_limit_with_a_wall_is_not_answered_with_a_second_call(
    site: Site, egress: Egress, pool: ProcessPool
) -> None:
    site.routes["/"] = html(fixture("walls/captcha.html"), 429)
    browser = Browser(article_page())
    outcome = failed(read(egress, pool, site.url(), renderer=browser))
    assert (outcome.failure.code, outcome.failure.retryable, browser.asked) == ("blocked_page", True, [])


def test_route_is_read_by_the_browser_even_where_the_fetch_has_text(
    site: Site, egress: Egress, pool: ProcessPool
) -> None:
    site.routes["/app"] = html(article_page("The start page"))
    browser = Browser(article_page("The route"))
    outcome = succeeded(read(egress, pool, site.url("/app#/one"), renderer=browser))
    assert (outcome.article.title, outcome.article.canonical_url) == ("The route", site.url("/app#/one"))
    assert browser.asked == [site.url("/app#/one")]
    assert [seen.path for seen in site.requests] == ["/app"]
    assert codes(outcome) == [("static", "empty_extraction"), ("browser", None)]
    assert failed(read(egress, pool, site.url("/app#/one"), renderer=Browser())).failure.code == "connection_error"
    unread = failed(read(egress, pool, site.url("/app#/one"), render="never"))
    assert unread.failure.detail == "This part of the site can only be shown by a browser."
    assert succeeded(read(egress, pool, site.url("/app#part"))).article.canonical_url == site.url("/app")


def test_browser_that_gives_up_does_not_hide_the_wall(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(fixture("walls/captcha.html"))
    outcome = failed(read(egress, pool, site.url(), renderer=Browser()))
    assert outcome.failure.code == "blocked_page"
    assert codes(outcome) == [("static", "blocked_page"), ("browser", "connection_error")]


def test_short_page_stays_when_the_browser_finds_no_more(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(article_page(paragraphs=2))
    for browser in (Browser(), Browser(article_page(paragraphs=1)), None):
        outcome = succeeded(read(egress, pool, site.url(), renderer=browser))
        assert outcome.article.canonical_text.count("Day") == 2
        assert {attempt.error_code for attempt in outcome.attempts} <= {"too_short", "connection_error"}


def test_longer_text_that_is_garbled_does_not_win(site: Site, egress: Egress, pool: ProcessPool) -> None:
    static = "".join(f"<p>Dzień {day}. Zażółć gęślą jaźń, mówił długo, a nikt go nie słuchał.</p>" for day in range(5))
    site.routes["/"] = html(f"<!doctype html><article>{static}</article>".encode())
    garbled = f"<!doctype html><article>{static}</article>".encode().decode("cp1252", "ignore").encode()
    outcome = succeeded(read(egress, pool, site.url(), renderer=Browser(garbled)))
    assert outcome.article.canonical_text.startswith("Dzień 0. Zażółć")


def test_browser_is_always_asked_when_that_is_wanted(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(article_page())
    browser = Browser(article_page(paragraphs=20))
    outcome = succeeded(read(egress, pool, site.url(), renderer=browser, render="always"))
    assert outcome.article.canonical_text.count("Day") == 20


def test_site_that_asks_for_patience_gets_it(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes["/"] = html(b"busy", 503, Retry_After="77")
    failure = failed(read(egress, pool, site.url())).failure
    assert (failure.code, failure.retryable, failure.retry_after) == ("http_503", True, 77.0)
    assert failure.detail.startswith("The site has an internal problem")


def test_saves_that_come_during_the_pause_use_up_no_attempt(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.routes |= {"/busy": html(b"busy", 429, Retry_After="77"), "/story": html(article_page())}
    browser = Browser(article_page())
    assert codes(failed(read(egress, pool, site.url("/busy"), renderer=browser))) == [("static", "http_429")]
    postponed = read(egress, pool, site.url("/story"), renderer=browser)
    assert isinstance(postponed, Postponed)
    assert 0 < postponed.seconds <= 77
    assert "asked us to send no requests" in postponed.detail
    assert browser.asked == []  # more calls are no answer to a wish for fewer


def test_save_whose_host_is_busy_comes_back_later(site: Site, pool: ProcessPool) -> None:
    """The item gives its slot to others meanwhile, and uses up no attempt."""
    site.routes |= {"/story": html(article_page()), "/busy": redirect("/story")}
    allow = AllowList.parse((f"{PUBLIC}/32",))
    with (
        Egress(allow=allow, user_agent="NudgeBot/0.1", per_host=1, waits_for_hosts=False) as egress,
        egress.stream(site.url("/story")),
    ):
        postponed = read(egress, pool, site.url("/busy"))
    assert isinstance(postponed, Postponed)
    assert postponed.seconds > 0
    assert "already running" in postponed.detail


def test_save_that_waits_for_the_browser_comes_back_later(site: Site, egress: Egress, pool: ProcessPool) -> None:
    """The same for a page that could be read without the browser, but not well enough."""
    for page in (b"<p>Short.</p>", b'<div id="root"></div><script src="/app.js"></script>'):
        site.routes["/"] = html(page)
        postponed = read(egress, pool, site.url(), renderer=Browser(is_busy=True))
        assert isinstance(postponed, Postponed)
        assert (postponed.seconds, postponed.detail) == (7, "Other pages are shown first.")


@pytest.mark.parametrize(
    ("route", "code", "retryable"),
    [
        (html(b"<p>gone", 404), "http_404", False),
        (html(b"<p>oops", 500), "http_500", True),
        (html(b"%PDF-1.7", Content_Type="application/pdf"), "non_html", False),
        (html(b"x" * 100_001), "max_bytes_exceeded", False),
        (redirect("/"), "too_many_redirects", False),
        (redirect("http://127.0.0.1:1/"), "blocked_address", False),
        (html(b""), "empty_extraction", False),
    ],
)
def test_failure_is_named(
    site: Site, egress: Egress, pool: ProcessPool, route: Any, code: str, retryable: bool
) -> None:
    site.routes["/"] = route
    failure = failed(read(egress, pool, site.url())).failure
    assert (failure.code, failure.retryable) == (code, retryable)


def test_feed_is_named_and_the_receipt_says_what_can_be_done(site: Site, egress: Egress, pool: ProcessPool) -> None:
    feed = b'<rss version="2.0"><channel><item><enclosure url="/1.mp3" type="audio/mpeg"/></item></channel></rss>'
    site.routes["/"] = html(feed, Content_Type="application/rss+xml")
    outcome = failed(read(egress, pool, site.url()))
    assert (outcome.failure.code, outcome.failure.detail) == ("non_html", PODCAST_FEED)
    assert codes(outcome) == [("static", "non_html")]
    assert explain("non_html", outcome.attempts[0].error_detail) == PODCAST_FEED


def test_site_that_is_not_there_is_tried_again(site: Site, egress: Egress, pool: ProcessPool) -> None:
    site.server_close()
    failure = failed(read(egress, pool, site.url())).failure
    assert (failure.code, failure.retryable) == ("connection_error", True)


class CrashingPool(ProcessPool):
    """A real pool whose parser crashes: this page ends the process that reads it."""

    def run(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs["url"].endswith("/poison"):
            return super().run(misbehaving.die_by, signal.SIGSEGV)
        return super().run(function, *args, **kwargs)


def test_page_that_kills_its_reader_fails_alone(site: Site, egress: Egress) -> None:
    site.routes |= {"/poison": html(article_page()), "/good": html(article_page())}
    with CrashingPool(workers=1) as pool:
        failure = failed(read(egress, pool, site.url("/poison"))).failure
        assert (failure.code, failure.retryable) == ("internal_error", True)
        succeeded(read(egress, pool, site.url("/good")))
