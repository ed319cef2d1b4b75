"""A page whose errors (console, exceptions, content security policy) fail the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect

from tests.browser.chromium import patient
from tests.processes import eventually

AXE = Path(__file__).parents[3] / "apps/viewer/node_modules/axe-core/axe.min.js"
NOTE_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy violated: ${event.effectiveDirective} ${event.blockedURI}`));
"""
# Messages stay until they are dismissed: on a loaded machine six seconds may be over before "Undo" is clicked. That
# they go by themselves is tested in apps/viewer/tests/composables/toasts.test.ts.
MESSAGES_STAY = """
const start = window.setTimeout.bind(window);
window.setTimeout = (run, ms, ...rest) => start(run, ms === 6000 || ms === 12000 ? 2 ** 31 - 1 : ms, ...rest);
"""
PRESS_TOGETHER = """(keys) => {
  for (const key of keys)
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}"""
RUN_AXE = """(place, rules) => {
  const dialogs = [...place.querySelectorAll("dialog:modal")];
  return axe.run(dialogs.length ? dialogs : place, {runOnly: rules, resultTypes: ["violations"]});
}"""
COLOURS = ["color-contrast", "link-in-text-block"]
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What the browser itself logs about a response with an error status, and about a header that needs HTTPS; the tests
# check what the page says instead.
EXPECTED = ("Failed to load resource", "net::ERR_", "Cross-Origin-Opener-Policy header has been ignored")


@dataclass
class WatchedPage:
    page: Page
    url: str
    problems: list[str] = field(default_factory=list)

    def open(self, path: str = "/") -> Page:
        self.page.goto(self.url + path)
        return self.page

    def note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(text in message.text for text in EXPECTED):
            self.problems.append(message.text)


@contextmanager
def watched_page(browser: Browser, url: str, *, user: UUID | None = None, **options: Any) -> Iterator[WatchedPage]:
    headers = {"X-User-Id": str(user)} if user else {}
    context = new_context(browser, extra_http_headers=headers, **options)
    watch = _watch(context, url)
    try:
        yield watch
    finally:
        context.close()
    assert watch.problems == [], watch.problems


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    defaults = {"service_workers": "block", "viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    context = patient(browser.new_context(**(defaults | options)))
    context.add_init_script(NOTE_VIOLATIONS + MESSAGES_STAY)
    return context


def _watch(context: BrowserContext, url: str) -> WatchedPage:
    watch = WatchedPage(context.new_page(), url)
    watch.page.on("console", watch.note)
    watch.page.on("pageerror", lambda error: watch.problems.append(str(error)))
    return watch


class Profile:
    """A browser profile whose tests follow each other: each finds it empty, but for files that never change.

    A context of its own costs a test a process, and every script is fetched and compiled again; this one keeps its
    process with a page that stays open."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self.context = new_context(browser)
        self._stays = self.context.new_page()
        self._stays.goto(f"{url}/icon.svg")
        self._session = self.context.new_cdp_session(self._stays)

    @contextmanager
    def watched(self, user: UUID) -> Iterator[WatchedPage]:
        self.context.set_extra_http_headers({"X-User-Id": str(user)})
        watch = _watch(self.context, self.url)
        try:
            yield watch
        finally:
            self._empty()
        assert watch.problems == [], watch.problems

    def _empty(self) -> None:
        for page in self.context.pages:
            if page != self._stays:
                page.close()
        self.context.set_offline(offline=False)
        self.context.clear_cookies()
        self.context.clear_permissions()
        self.context.unroute_all(behavior="ignoreErrors")
        self._session.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": "all"})


def accessibility_problems(page: Page, rules: list[str] = WCAG, *, within: Locator | None = None) -> list[str]:
    """What axe-core finds, with rule and element. Evaluated by the driver: the page's policy forbids scripts.

    `rules`: those of WCAG, or those about colours, where only colours differ from a page that was looked at.
    `within`: what lies above such a page, where what it covers in part would count as too small to be clicked. An open
    dialog is all that can be reached of a page, and a look at what is behind it takes half a second of processor.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text() + ";0")
    place = within or page.locator("html")
    found = place.evaluate(RUN_AXE, rules)
    return [
        f"{violation['id']}: {node['html'][:160]} ({node['failureSummary']})"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def in_the_dark(page: Page) -> None:
    """The system switches to a dark theme; the page follows without a reload."""
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def press_together(page: Page, *keys: str) -> None:
    """One after the other without waiting in between: a busy browser takes longer over a key than the page waits."""
    page.evaluate(PRESS_TOGETHER, list(keys))


def with_service_worker(page: Page) -> None:
    """The page, reloaded with its service worker between it and the server."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


def is_kept(page: Page, path: str, **cache: str) -> None:
    """Waits until the service worker has stored it, which happens only after the page has the response."""
    options = {"ignoreSearch": True, "ignoreVary": True} | cache
    found = "([path, options]) => caches.match(path, options).then(Boolean)"
    eventually(lambda: page.evaluate(found, [path, options]), f"{path} was not kept")


def text_is_kept(page: Page, media_id: str) -> None:
    """Waits until all responses that the reader needs are stored."""
    is_kept(page, f"/media/{media_id}")
    is_kept(page, f"/media/{media_id}/fragments")


def fits_the_width(page: Page) -> None:
    """Waits for it, because a layout of another width takes a frame or two."""
    page.wait_for_function("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
