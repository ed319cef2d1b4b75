"""A server without the podcast options says how to turn them on."""

from playwright.sync_api import Page, expect

from nexus.errors.attempts import PODCAST_FEED
from tests.viewer.rows import row, save
from tests.viewer.site import Site, SiteResponse
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width

FEED = '<rss version="2.0"><channel><item><enclosure url="/1.mp3" type="audio/mpeg"/></item></channel></rss>'


def says_how(page: Page) -> None:
    dialog = page.get_by_role("dialog", name="Configuration")
    expect(dialog.get_by_role("tab", name="Podcasts")).to_have_attribute("aria-selected", "true")
    expect(dialog).to_contain_text("nexus serve --output-dir ~/podcasts --enable-feeds-api")
    expect(dialog).to_contain_text("PODCAST_SERVE_ENABLE_FEEDS_API=1")
    expect(dialog).to_contain_text("docs/how-to/follow-podcasts.md")


def test_an_empty_library_links_to_the_podcast_help(watch: WatchedPage) -> None:
    page = watch.open()
    page.get_by_role("button", name="How to follow podcasts").click()
    says_how(page)
    page.set_viewport_size({"width": 390, "height": 760})
    fits_the_width(page)
    assert accessibility_problems(page) == []


def test_health_says_how_to_enable_disabled_parts(watch: WatchedPage) -> None:
    page = watch.open("/dashboard")
    bar = page.get_by_role("contentinfo")
    bar.get_by_role("button", name="Podcasts").click()
    says_how(page)
    page.get_by_role("tab", name="Health").click()
    for part, flag in {"Feeds": "feeds", "Operator configuration": "operator-config", "Pipeline jobs": "jobs"}.items():
        line = page.locator("dl > div").filter(has=page.get_by_text(part, exact=True))
        expect(line).to_contain_text(f"off: turn on with --enable-{flag}-api")
    assert accessibility_problems(page) == []


def test_a_saved_feed_is_recognised(watch: WatchedPage, site: Site) -> None:
    url = site.put("/feed.xml", SiteResponse(FEED, headers={"Content-Type": "application/rss+xml"}))
    page = watch.open()
    save(page, url)
    feed = row(page, "/feed.xml")
    expect(feed).to_contain_text(PODCAST_FEED)
    feed.get_by_role("button", name="feed.xml").first.click()
    expect(page.get_by_role("dialog")).to_contain_text(PODCAST_FEED)
