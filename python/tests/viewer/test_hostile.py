"""XSS payloads wherever the viewer shows text of others: none runs, and none needs the content security policy."""

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from nexus.config import load_settings
from nexus.db.session import Database
from nexus.podcasts.library import PodcastLibrary
from nexus.podcasts.run.podcast_run import Pools
from nexus.text.sanitize import sanitize_html
from tests.browser.xss_payloads import CLASSES
from tests.podcasts.feeds import item, rss, vtt
from tests.podcasts.host import Host, podcast_host
from tests.podcasts.podcast_run import PodcastRunner
from tests.processes import ServerProcess
from tests.viewer.library import UserLibrary
from tests.viewer.rows import save
from tests.viewer.watching import WatchedPage, watched_page

PAYLOADS = [payload for kind in CLASSES.values() for payload in kind if "\0" not in payload]
TRAP = """
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => console.error(`ran ${name}`);
"""
POKE = """() => {
  for (const element of document.querySelectorAll("main *")) {
    for (const type of ["mouseover", "focus", "error", "load", "toggle", "animationstart"]) {
      element.dispatchEvent(new Event(type));
    }
  }
}"""

RUNS = "javascript:alert(1)"
SPEAKER = "<img src=x onerror=alert(1)>"
FEED_TITLE = "<iframe src=javascript:alert(1)>The Hostile Show"
JAVASCRIPT_LINKS = "document.querySelectorAll('main :is(a, area)[href^=\"javascript:\" i]').length"


@pytest.fixture
def watch(browser: Browser, server: ServerProcess, library: UserLibrary) -> Iterator[WatchedPage]:
    with watched_page(browser, server.url, user=library.user) as watching:
        watching.page.context.add_init_script(TRAP)
        watching.page.context.on("page", lambda popup: popup.close())
        watching.page.route("**/media/image?*", lambda route: route.abort())
        yield watching


def shown(page: Page) -> None:
    expect(page.locator("h1").first).to_be_attached()
    page.evaluate(POKE)


def numbered(payloads: list[str]) -> str:
    return "".join(f"<p>{number}</p>{payload}" for number, payload in enumerate(payloads))


def test_payloads_in_articles_and_titles(watch: WatchedPage, library: UserLibrary) -> None:
    html = numbered([sanitize_html(payload, "") for payload in PAYLOADS])
    facts = {"byline": "<svg onload=alert(1)>", "excerpt": numbered(PAYLOADS[:20])}
    page = watch.open(f"/read/{library.article('<img src=x onerror=alert(1)>', html, **facts)}")
    expect(page.locator(".prose p").first).to_be_attached()
    shown(page)
    shown(watch.open())
    expect(watch.page.get_by_role("link", name="<img src=x onerror=alert(1)>").first).to_be_visible()


def test_payloads_stored_without_sanitizing(watch: WatchedPage, library: UserLibrary) -> None:
    """The viewer's own sanitizer alone. Chromium reports a handler that its inert parser merely sees as a violation,
    so only what ran counts here."""
    page = watch.open(f"/read/{library.article('Raw', numbered(PAYLOADS))}")
    expect(page.locator(".prose p").first).to_be_attached()
    shown(page)
    links = "[...document.querySelectorAll('main .prose a[href]')].map((a) => a.protocol)"
    assert set(page.evaluate(links)) <= {"http:", "https:", "mailto:"}
    assert page.evaluate("document.querySelector('.prose :is(script, iframe, svg, form, object, style)')") is None
    assert [problem for problem in watch.problems if "ran " in problem] == []
    watch.problems.clear()


def test_payloads_in_cues_and_speakers(watch: WatchedPage, library: UserLibrary) -> None:
    name = "<strong>&lt;img src=x onerror=alert(1)&gt;:</strong>"
    said = [sanitize_html(f"<p>{name} {payload}</p>", "") for payload in PAYLOADS[:120]]
    cues = [(html, at * 1000, at * 1000 + 900) for at, html in enumerate(said)]
    media = library.episode("<script>alert(1)</script>", cues, audio_url="javascript:alert(1)")
    page = watch.open(f"/read/{media}")
    expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    shown(page)


def publish_payloads(host: Host) -> str:
    """Puts payloads into titles, authors, show notes, cues of three formats, speakers, chapters and addresses."""
    timed = [{"startTime": at, "endTime": at + 1, "body": payload} for at, payload in enumerate(PAYLOADS)]
    for at, cue in enumerate(timed):
        cue["speaker"] = PAYLOADS[-1 - at][:200]
    said = vtt(*(f"{SPEAKER}: {' '.join(payload.split())}" for payload in PAYLOADS[:150]))
    listed = [{"startTime": at, "title": payload, "url": RUNS} for at, payload in enumerate(PAYLOADS[:60])]
    chapters = host.put("/c.json", json.dumps({"chapters": listed}), "application/json+chapters")
    transcripts = [
        (host.put("/t.json", json.dumps({"segments": timed}), "application/json"), "application/json"),
        (host.put("/t.vtt", said, "text/vtt"), "text/vtt"),
        (host.put("/t.html", numbered(PAYLOADS), "text/html"), "text/html"),
    ]
    printable = [payload for payload in PAYLOADS if all(sign.isprintable() or sign == "\n" for sign in payload)]
    extra = (
        f'<podcast:chapters url="{chapters}" type="application/json+chapters"/><link>{RUNS}</link>'
        f"<author>{escape(printable[1])}</author><description>{escape(numbered(printable))}</description>"
    )
    items = [
        item(number, title=f"{number} {printable[number * 7]}", audio=RUNS, transcripts=(link,), extra=extra)
        for number, link in enumerate(transcripts)
    ]
    plain = (host.put("/t.txt", "Nothing but words.", "text/plain"), "text/plain")
    items += [
        item(9 + number, title=payload, transcripts=(plain,))
        for number, payload in enumerate(printable[:: len(printable) // 20])
    ]
    return host.put("/feed.xml", rss(items, title=FEED_TITLE), "application/rss+xml")


def test_payloads_in_a_podcast_feed(
    watch: WatchedPage, server: ServerProcess, library: UserLibrary, database_url: str, tmp_path: Path
) -> None:
    with (
        podcast_host() as host,
        Pools.opened() as pools,
        Database(load_settings(database_url=database_url)) as database,
    ):
        runner = PodcastRunner(
            tmp_path, pools, (host.url.removeprefix("http://"),), PodcastLibrary(database, library.user)
        )
        summary = runner.one(publish_payloads(host))
    assert summary.failures == []
    page = watch.open()
    expect(page.get_by_text(FEED_TITLE).first).to_be_visible()
    shown(page)
    entries = server.get("/api/library", headers={"X-User-Id": str(library.user)}).json()["entries"]
    assert len(entries) == summary.counts["new"] > 20
    opened = [entry for entry in entries if entry["title"][:2] in ("0 ", "1 ", "2 ")]
    for entry in opened:
        page = watch.open(f"/read/{entry['media_id']}")
        expect(page.get_by_role("navigation", name="Chapters").get_by_role("button").nth(50)).to_be_attached()
        shown(page)
        assert page.evaluate(JAVASCRIPT_LINKS) == 0
    assert len(opened) == 3


def test_payloads_in_a_pasted_text(watch: WatchedPage) -> None:
    page = watch.open()
    save(page, "\n".join(PAYLOADS[:200]))
    page.locator("li.slot").get_by_role("link").first.click()
    expect(page.locator(".prose")).to_contain_text("alert(1)")
    shown(page)
