"""The viewer in Chromium: the first load, a library of 10 000 items scrolled, a text of 100 000 words opened and
scrolled, without highlights and with 2 000.

Long tasks are those the browser itself reports (over 50 ms on the main thread)."""

import json
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
from playwright.sync_api import Browser, Page, expect

from nexus.config import load_settings
from nexus.db.session import Database
from nexus.http.static_files import viewer_files
from tests.browser.chromium import chromium
from tests.processes import plain_url, run_nexus
from tests.viewer.library import UserLibrary, library_of

ITEMS, WORDS, HIGHLIGHTS = 10_000, 100_000, 2000
USER = UUID(int=3)
FIGURES = Path(__file__).parent / "figures" / "viewer.json"
WATCH = """
window.long = [];
new PerformanceObserver((list) => window.long.push(...list.getEntries()))
  .observe({ type: "longtask", buffered: true });
"""
FILL = """
WITH made AS (
    INSERT INTO media (id, kind, title, site_name, excerpt, word_count, processing_status)
    SELECT gen_random_uuid(), 'web_article', 'Save number ' || n, 'The Bench Post', repeat('Some words. ', 20), 900,
           'pending'
    FROM generate_series(1, %s) n RETURNING id, title
)
INSERT INTO library_media (library_id, media_id, created_at)
SELECT %s, id, now() - (row_number() OVER () || ' s')::interval FROM made
"""


def now(page: Page) -> float:
    return float(page.evaluate("performance.now()"))


def long_tasks(page: Page, since: float) -> list[float]:
    """Long tasks that began then or later, the longest last: the browser reports them only after they ended."""
    return sorted(
        page.evaluate("(since) => long.filter((one) => one.startTime >= since).map((one) => one.duration)", since)
    )


def first_load() -> int:
    """Bytes of compressed script that the first page loads."""
    files = viewer_files()
    page = files["/index.html"].body.decode()
    names = re.findall(r'(?:src|href)="(/[^"]+\.js)"', page)
    return sum(len(files[name].compressed.get("gzip", files[name].body)) for name in names)


def scroll(page: Page, url: str) -> dict[str, Any]:
    page.add_init_script(WATCH)
    page.goto(url)
    expect(page.get_by_role("listitem").filter(has_text="Save number").first).to_be_visible(timeout=60_000)
    begun, started, height = now(page), time.perf_counter(), 0
    while page.evaluate("document.documentElement.scrollHeight") > height:
        height = page.evaluate("document.documentElement.scrollHeight")
        while page.evaluate("window.scrollY + innerHeight < document.documentElement.scrollHeight - 200"):
            page.mouse.wheel(0, 3000)
            page.evaluate("new Promise(requestAnimationFrame)")
        page.wait_for_timeout(1500)
    long = long_tasks(page, begun)
    return {
        "seconds": round(time.perf_counter() - started, 1),
        "rows_in_the_document": page.locator(".slot").count(),
        "long_tasks": len(long),
        "longest_ms": round(long[-1]) if long else 0,
    }


OPEN = """async ([path, highlights]) => {
  const started = performance.now();
  history.pushState({}, "", path);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  const drawn = () => CSS.highlights.get("mark-yellow")?.size ?? 0;
  while (!document.querySelector(".prose p") || drawn() !== highlights) await new Promise(requestAnimationFrame);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - started;
}"""
MARK = """
INSERT INTO highlights (library_id, media_id, version, start_fragment, start_offset, end_fragment, end_offset,
                        quote, prefix, suffix, color, state, carried_version)
SELECT %(library)s, %(media)s, 1, 0, n * %(step)s, 0, n * %(step)s + 24, 'word word word word word', '', '', 'yellow',
       'attached', 1
FROM generate_series(0, %(count)s - 1) n
"""


def open_text(browser: Browser, url: str, media: str, highlights: int) -> dict[str, Any]:
    """From the click to the frame with all highlights; then scrolled, a window's height at a time."""
    page = browser.new_page(extra_http_headers={"X-User-Id": str(USER)})
    page.add_init_script(WATCH)
    page.goto(url)
    page.wait_for_timeout(1000)
    took = page.evaluate(OPEN, [f"/read/{media}", highlights])
    begun = now(page)
    for _ in range(100):
        page.mouse.wheel(0, 800)
        page.evaluate("new Promise(requestAnimationFrame)")
    long = long_tasks(page, begun)
    page.close()
    return {
        "words": WORDS,
        "highlights": highlights,
        "milliseconds": round(took),
        "long_tasks_while_scrolling": len(long),
        "longest_ms": round(long[-1]) if long else 0,
    }


def fill(connection: psycopg.Connection, library: UserLibrary) -> tuple[str, str]:
    """Many items, and a long text, once with highlights and once without."""
    connection.execute(FILL, [ITEMS, library.id])
    paragraph = f"<p>{'word ' * 99}end.</p>"  # 500 characters with the end of its line
    plain, marked = (library.article(f"Long {uuid4()}", paragraph * (WORDS // 100)) for _ in range(2))
    values = {"library": library.id, "media": marked, "step": WORDS * 5 // HIGHLIGHTS, "count": HIGHLIGHTS}
    connection.execute(MARK, values)
    return plain, marked


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        Path(folder).chmod(0o711)
        with run_nexus(Path(folder), WORKER_RENDER="auto") as nexus:
            url = nexus.serve("--no-worker").url
            address = nexus("db", "url").stdout.strip()
            raw = psycopg.connect(plain_url(address), autocommit=True)
            with Database(load_settings(database_url=address)) as database, raw as connection:
                plain, marked = fill(connection, library_of(database, connection, url, USER))
            page = browser.new_page(extra_http_headers={"X-User-Id": str(USER)})
            found = {
                "first_load_gzip_bytes": first_load(),
                "library": {"saves": ITEMS, **scroll(page, url)},
                "article": open_text(browser, url, plain, 0),
                "highlighted_article": open_text(browser, url, marked, HIGHLIGHTS),
                "load_average": round(os.getloadavg()[0], 1),
            }
    FIGURES.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
