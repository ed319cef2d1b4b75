"""Pictures of the reader, to look at: the test pages of the extraction, saved into a running server, at two widths.

.venv/bin/python scripts/reader_pages.py FOLDER [PAGE ...]      PAGE: news/photo_essay.html, the default is a choice
"""

import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote
from uuid import UUID

from playwright.sync_api import Browser, Page, Route, expect

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from tests.browser.chromium import chromium  # noqa: E402 - the path comes first
from tests.processes import run_nexus  # noqa: E402
from tests.viewer.site import Site, SiteResponse, site_server  # noqa: E402

PAGES = ROOT / "python" / "tests" / "pure" / "pages"
SHOWN = [
    "wiki/formulas.html",
    "docs/arxiv_paper.html",
    "news/photo_essay.html",
    "odd/layout_table_home.html",
    "news/layout_table_weekly.html",
    "recipe/blog_with_card.html",
    "forum/thread_posts.html",
    "scripts/chinese_news.html",
    "docs/guide_page.html",
    "news/appended_articles.html",
]
WIDTHS = {1440: 900, 390: 844}


def main() -> None:
    folder, *names = sys.argv[1:]
    with tempfile.TemporaryDirectory() as data, site_server() as site, chromium() as browser:
        Path(data).chmod(0o711)  # as root, the database's account must be able to enter it
        with run_nexus(Path(data), NEXUS_ENV="test") as nexus:
            take(browser, nexus.serve().url, site, names or SHOWN, Path(folder))


def take(browser: Browser, url: str, site: Site, names: list[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = browser.new_page(
        reduced_motion="reduce", service_workers="block", extra_http_headers={"X-User-Id": str(UUID(int=2))}
    )
    page.route("**/media/image?*", draw)
    seen: set[str] = set()
    for name in names:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(url)
        saved = SiteResponse((PAGES / name).read_text(encoding="utf-8"))
        open_saved(page, site.put(f"/{name}", saved), seen)
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            file = folder / f"{name.replace('/', '-').removesuffix('.html')}-{width}.png"
            # The text scrolls inside the page: so a window of its full height shows all of it.
            needed = page.evaluate("Math.max(...[...document.querySelectorAll('*')].map(e => e.scrollHeight))")
            page.set_viewport_size({"width": width, "height": min(6000, needed + 200)})
            page.wait_for_load_state("networkidle")
            page.screenshot(path=file)
            wide = page.evaluate("document.documentElement.scrollWidth")
            print(f"{file}: {'wider than the window: ' + str(wide) if wide > width else 'fits'}")  # noqa: T201


def open_saved(page: Page, link: str, seen: set[str]) -> None:
    box = page.get_by_role("textbox", name="Save links or a text")
    box.fill(link)
    box.press("Enter")
    new = page.locator("a[href^='/read/']" + "".join(f":not([href='{link}'])" for link in seen)).first
    expect(new).to_be_visible(timeout=60_000)
    seen.add(new.get_attribute("href") or "")
    new.click()
    expect(page.locator(".prose")).to_be_visible(timeout=120_000)


def draw(route: Route) -> None:
    """A grey picture with its name in it: the pages' own addresses lead nowhere."""
    name = unquote(route.request.url).rpartition("/")[2]
    route.fulfill(
        content_type="image/svg+xml",
        body=f'<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"><rect width="1200" height="800" '
        f'fill="#9ab"/><text x="600" y="420" font-size="60" text-anchor="middle" fill="#fff">{name[:40]}</text></svg>',
    )


main()
