"""Make docs/images anew from a running product: a server, its worker, a small site to save from, and Chromium."""

import sys
import tempfile
from pathlib import Path
from uuid import UUID

from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT)]

from tests.browser.chromium import chromium  # noqa: E402 - the path comes first
from tests.processes import run_nexus  # noqa: E402
from tests.viewer.site import Answer, Site, site_server  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 800}
SITES = ("The Slow Post", "Commit Log", "Crumb & Crust", "Coast Notes")
STORIES = {
    "The slow death of the link, and who still keeps copies": (
        "Every link is a small promise: somebody will still be there when you follow it. Of the pages that newspapers "
        "pointed to twenty years ago, more than half are gone, and nobody decided that they should be.",
        "Libraries noticed first. They are used to things that fall apart slowly, and they know that a copy in a second "
        "place is worth more than any amount of care in the first.",
        "What can one person do? Keep the words. A page is a design, a dozen scripts and an advertisement; what you wanted "
        "to remember is usually eight hundred words, and eight hundred words fit anywhere.",
        "Keep them where you can search them, and write down where they came from. The rest is patience.",
    ),
    "How a queue in a database outlives its workers": (
        "A message that is taken from a queue is gone; a row that is marked as taken is still there. That is the whole "
        "argument for keeping the queue where the data is.",
        "The worker takes a row and promises to come back within half a minute. If it does not, because somebody pulled a "
        "plug, the promise runs out and the row belongs to the next one who asks.",
        "The hard part is the worker that was only asleep. It wakes up, convinced that the row is still its own. So every "
        "write carries a number, and the database asks for it at the door.",
    ),
    "Bread for people who are not at home all day": (
        "The schedule of a bakery is built around the oven. Yours is built around the train, so let the dough wait for "
        "you: cold slows everything down except the taste.",
        "Mix in the evening, four minutes, no kneading. Fold twice before you sleep. In the morning it goes into the "
        "fridge as it is, and there it stays until you are back.",
        "A hot pot does the work of a stone oven. Twenty minutes with the lid, twenty without, and then the longest "
        "hour of the day, in which you must not cut it.",
    ),
    "What a lighthouse keeper wrote down every night": (
        "Wind, sky, oil, ships. Four columns for forty years, in the same hand, with one night missing and no word about why.",
        "The oil tells the most. In the winter of the great storms it was gone by March, and somebody rowed eleven miles "
        "for more, which the book mentions in three words: fetched oil, wet.",
        "We read such books for the weather now. It turns out that a column of plain facts, kept by somebody who expected "
        "no reader, is the most trustworthy thing a person can leave.",
    ),
}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, site_server() as site, chromium() as browser:
        Path(folder).chmod(0o711)  # as root, the database's account must get through
        with run_nexus(Path(folder), NEXUS_ENV="test") as nexus:
            take(browser, nexus.serve().url, site)


def take(browser: Browser, url: str, site: Site) -> None:
    page = browser.new_page(viewport=SIZE, device_scale_factor=1.5, extra_http_headers={"X-User-Id": str(UUID(int=2))})
    page.goto(url)
    save_everything(page, site)
    page.screenshot(path=IMAGES / "library.png")
    page.get_by_role("link", name=next(iter(STORIES)), exact=True).click()
    expect(page.locator(".prose")).to_be_visible()
    page.screenshot(path=IMAGES / "reader.png")
    page.emulate_media(color_scheme="dark")
    page.screenshot(path=IMAGES / "reader-dark.png")
    page.emulate_media(color_scheme="light")
    page.go_back()
    page.get_by_role("button", name="What happened to “127.0.0.1").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Attempt 1")
    page.screenshot(path=IMAGES / "receipt.png")


def story(number: int, title: str) -> Answer:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in STORIES[title])
    return Answer(
        f"<!doctype html><html lang=en><head><title>{title}</title><meta name=author content='Ada Reader'>"
        f"<meta property='og:site_name' content='{SITES[number]}'></head><body><nav><a href=/>Home</a></nav>"
        f"<article><h1>{title}</h1>{text}</article><footer>Imprint</footer></body></html>"
    )


def save_everything(page: Page, site: Site) -> None:
    box = page.get_by_role("textbox", name="Save links or a text")
    broken = site.put("/weekly-lamp/archive", Answer("<h1>Not here</h1>", 404))
    for link in [*(site.put(f"/{number}", story(number, title)) for number, title in enumerate(STORIES)), broken]:
        box.fill(link)
        box.press("Enter")
    for title in STORIES:
        expect(page.get_by_role("link", name=title, exact=True)).to_be_visible(timeout=120_000)
    expect(page.get_by_text("Needs your text").first).to_be_visible(timeout=120_000)


main()
