"""Make docs/images from a running product: a server, its worker, a small site to save from, and Chromium."""

import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from uuid import UUID

from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from tests.browser.chromium import chromium  # noqa: E402 - the path comes first
from tests.processes import run_nexus  # noqa: E402
from tests.viewer.site import Site, SiteResponse, site_server  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 800}
STORIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["story"]


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, site_server() as site, chromium() as browser:
        Path(folder).chmod(0o711)  # as root, the database's account must be able to enter it
        with run_nexus(Path(folder), NEXUS_ENV="test") as nexus:
            take(browser, nexus.serve().url, site)


def take(browser: Browser, url: str, site: Site) -> None:
    page = browser.new_page(
        reduced_motion="reduce",
        viewport=SIZE,
        device_scale_factor=1.5,
        extra_http_headers={"X-User-Id": str(UUID(int=2))},
    )
    page.goto(url)
    save_everything(page, site)
    expect(page.get_by_text(STORIES[0]["site"]).first).to_be_visible(timeout=120_000)  # the list shows the latest entry
    page.screenshot(path=IMAGES / "library.png")
    page.get_by_role("link", name=STORIES[0]["title"], exact=True).click()
    expect(page.locator(".prose")).to_be_visible()
    page.screenshot(path=IMAGES / "reader.png")
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=IMAGES / "reader-dark.png")
    page.emulate_media(color_scheme="light")
    page.go_back()
    page.get_by_role("button", name="What happened to “127.0.0.1").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Attempt 1")
    page.screenshot(path=IMAGES / "receipt.png")


def page_of(story: dict[str, Any]) -> SiteResponse:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in story["paragraphs"])
    return SiteResponse(
        f"<!doctype html><html lang=en><head><title>{story['title']}</title><meta name=author content='Ada Reader'>"
        f"<meta property='og:site_name' content='{story['site']}'></head><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{story['title']}</h1>{text}</article><footer>Imprint</footer></body></html>"
    )


def save_everything(page: Page, site: Site) -> None:
    box = page.get_by_role("textbox", name="Save links or a text")
    broken = site.put("/weekly-lamp/archive", SiteResponse("<h1>Not here</h1>", 404))
    for link in [*(site.put(f"/{number}", page_of(story)) for number, story in enumerate(STORIES)), broken]:
        box.fill(link)
        box.press("Enter")
    for story in STORIES:
        expect(page.get_by_role("link", name=story["title"], exact=True)).to_be_visible(timeout=120_000)
    expect(page.get_by_text("Couldn't fetch").first).to_be_visible(timeout=120_000)


main()
