"""Renders pages in one shared browser. After a crash the page is tried once more, in a browser of its own."""

import threading
from collections.abc import Hashable
from dataclasses import dataclass, fields
from typing import Any, Self

import ada_url

from nexus.errors import BrowserBusyError, RenderFailedError
from nexus.web.egress.requested_hosts import RequestedHosts
from nexus.web.egress.shares import NoSlotError, SharedSlots, three_quarters_of
from nexus.web.rendering.availability import Tools
from nexus.web.rendering.browser_processes import SharedBrowser, SinglePageBrowser
from nexus.web.rendering.messages import CrashedError, RenderedPage
from nexus.web.urls import normalize_url

# Added to the page's time limit for opening and closing the page.
SLACK_SECONDS = 10.0
# Short, because a page that waits for the browser occupies a slot of the worker.
WAIT_SECONDS = 30.0
BUSY_SECONDS = 30.0


@dataclass(frozen=True)
class Proxy:
    """The egress proxy, the only address that Chromium can reach."""

    server: str
    username: str
    password: str
    requested_hosts: RequestedHosts | None = None
    """Where the hosts that pages request are reported; None: they are not."""


@dataclass(frozen=True)
class RenderOptions:
    proxy: Proxy
    user_agent: str
    max_html_chars: int = 4_000_000
    pages_at_once: int = 3
    pages_per_browser: int = 100
    max_browser_bytes: int = 1_500_000_000
    """A browser that uses more is killed, with its pages."""
    max_idle_bytes: int = 750_000_000
    """A browser that uses more while no page is open is replaced before the next page."""
    idle_ms: int = 120_000


class Renderer:
    """Thread-safe. Nothing is started before the first page."""

    def __init__(self, tools: Tools, options: RenderOptions, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._tools, self._options, self._wait_seconds = tools, options, wait_seconds
        self._slots = SharedSlots(options.pages_at_once)
        self._starting = threading.Lock()
        self._lock = threading.Lock()
        self._shared: SharedBrowser | None = None
        self._single_page_browsers: set[SinglePageBrowser] = set()
        self._closed = False

    def render(
        self,
        url: str,
        *,
        timeout_seconds: float = 30,
        charset: str | None = None,
        owner: Hashable = None,
    ) -> RenderedPage:
        """Raises an EgressError that gives the reason: the status, a time limit, no page, too large, no address.

        A document that declares no charset is read in `charset`, unless it is UTF-8. Neither an `owner` nor a host
        has more than its share of the pages that are open at once; BrowserBusyError: no slot became free in time.
        """
        request = _request(url, timeout_seconds) | {"charset": charset}
        share = three_quarters_of(self._options.pages_at_once)
        shares: dict[Hashable, int] = {("host", ada_url.URL(url).host): share}
        if owner is not None:
            shares["owner", owner] = share
        try:
            with self._slots.hold(shares, wait_seconds=self._wait_seconds):
                return self._render(request, timeout_seconds + SLACK_SECONDS)
        except NoSlotError as error:
            raise BrowserBusyError("The browser is busy with other pages.", retry_after=BUSY_SECONDS) from error

    def _render(self, request: dict[str, Any], seconds: float) -> RenderedPage:
        try:
            return self._shared_browser().render(request, seconds=seconds)
        except CrashedError:
            self._refuse_if_closed()
            return self._render_alone(request, seconds)

    def close(self) -> None:
        """Ends every process; callers whose pages are being rendered get an error."""
        with self._lock:
            self._closed = True
            browsers = list(self._single_page_browsers)
        for browser in browsers:
            browser.end()
        with self._starting:
            if self._shared:
                self._shared.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _shared_browser(self) -> SharedBrowser:
        with self._starting:
            self._refuse_if_closed()
            if self._shared is None or not self._shared.alive:
                self._shared = SharedBrowser(
                    self._tools, _options_message(self._tools, self._options), self._options.proxy.requested_hosts
                )
            return self._shared

    def _render_alone(self, request: dict[str, Any], seconds: float) -> RenderedPage:
        """Not in the shared browser again: another page that crashes browsers may be open there."""
        browser = _single_page_browser(self._tools, self._options, request)
        with self._lock:
            self._single_page_browsers.add(browser)
            closed = self._closed
        try:
            if closed:
                browser.end()
            return browser.result(seconds=seconds)
        finally:
            with self._lock:
                self._single_page_browsers.discard(browser)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise RenderFailedError("The browser is being shut down.", retryable=True)


def _request(url: str, timeout_seconds: float) -> dict[str, Any]:
    normalize_url(url)  # raises for other schemes than http and https
    # With the fragment, which single-page apps need.
    return {"url": ada_url.URL(url).href, "timeout_ms": int(timeout_seconds * 1000)}


def _single_page_browser(tools: Tools, options: RenderOptions, request: dict[str, Any]) -> SinglePageBrowser:
    return SinglePageBrowser(
        tools,
        request | {"readability": "off", "options": _options_message(tools, options)},
        options.proxy.requested_hosts,
    )


def _options_message(tools: Tools, options: RenderOptions) -> dict[str, Any]:
    proxy = options.proxy
    plain = {field.name: getattr(options, field.name) for field in fields(options)}
    return plain | {
        "chromium": str(tools.chromium),
        "sandbox": tools.sandbox,
        "proxy": {"server": proxy.server, "username": proxy.username, "password": proxy.password},
        "announce": proxy.requested_hosts is not None,
    }
