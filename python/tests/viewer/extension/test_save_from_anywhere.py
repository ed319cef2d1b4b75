"""Settings, "Save from anywhere": the bookmarklet, and what the page says."""

from urllib.parse import unquote

from playwright.sync_api import expect

from tests.viewer.rows import save_box
from tests.viewer.site import Site, SiteResponse
from tests.viewer.watching import WatchedPage, accessibility_problems, fits_the_width

STRICT = {"Content-Security-Policy": "default-src 'none'; script-src 'none'; connect-src 'none'; base-uri 'none'"}


def test_bookmarklet_works_under_a_strict_page_policy(watch: WatchedPage, site: Site) -> None:
    page = watch.open("/settings/save-from-anywhere")
    bookmark = page.get_by_role("link", name="Save to Nexus").get_attribute("href") or ""
    assert bookmark.startswith("javascript:")
    page.get_by_role("link", name="Save to Nexus").click()
    expect(page.get_by_role("region", name="Notifications")).to_contain_text("Drag this link to your bookmarks bar")
    url = site.put("/strict", SiteResponse("<title>Strict & plain</title><p>Words.</p>", headers=STRICT))
    page.goto(f"{url}?a=1&b=2")
    with page.expect_popup() as opened:
        # As a bookmark does: by the browser, whatever the page forbids its own scripts.
        page.evaluate(unquote(bookmark.removeprefix("javascript:")))
    expect(save_box(opened.value)).to_have_value(f"{url}?a=1&b=2")


def test_page_is_accessible_and_fits_a_phone(watch: WatchedPage) -> None:
    page = watch.open("/settings/save-from-anywhere")
    page.get_by_role("button", name="Connect a browser").click()
    expect(page.get_by_label("Pairing code")).to_be_visible()
    assert accessibility_problems(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    fits_the_width(page)
