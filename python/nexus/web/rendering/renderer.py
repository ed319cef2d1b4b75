"""Renders pages in one warm browser. A crash costs the page one more try, in a browser of its own."""

import threading
from collections.abc import Hashable
from dataclasses import dataclass, fields
from types import TracebackType
from typing import Any, Literal, Self

import ada_url

from nexus.errors import BrowserBusyError, RenderFailedError
from nexus.web.egress.announced import AnnouncedHosts
from nexus.web.egress.shares import NoSlotError, SharedSlots, three_quarters_of
from nexus.web.rendering.browser_processes import SingleNode, WarmNode
from nexus.web.rendering.capability import Tools
from nexus.web.rendering.messages import CrashedError, RenderedPage
from nexus.web.urls import normalize_url

# What is left between the page's own time limit and the wall clock: starting, closing, Readability.
SLACK_SECONDS = 10.0
# Whoever waits for a place in the browser holds a slot of the worker: not for long, then others have it meanwhile.
WAIT_SECONDS = 30.0
BUSY_SECONDS = 30.0

Readability = Literal["required", "wanted", "off"]


@dataclass(frozen=True)
class Proxy:
    """The one door out: Chromium reaches nothing but this."""

    server: str
    username: str
    password: str
    announced: AnnouncedHosts | None = None
    """Where it wants to be told which hosts pages ask for; None: it does not."""


@dataclass(frozen=True)
class RenderOptions:
    proxy: Proxy
    user_agent: str
    max_html_chars: int = 4_000_000
    pages_at_once: int = 3
    pages_per_browser: int = 100
    max_browser_bytes: int = 1_500_000_000
    """A browser that takes more is ended, and the page with it."""
    max_idle_bytes: int = 750_000_000
    """One that takes more without a page is replaced before the next."""
    idle_ms: int = 120_000


class Renderer:
    """Safe to call from any thread. Nothing is started before the first page."""

    def __init__(self, tools: Tools, options: RenderOptions, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._tools, self._options, self._wait_seconds = tools, options, wait_seconds
        self._slots = SharedSlots(options.pages_at_once)
        self._starting = threading.Lock()
        self._guard = threading.Lock()
        self._warm: WarmNode | None = None
        self._single: set[SingleNode] = set()
        self._closed = False

    def render(
        self,
        url: str,
        *,
        timeout_seconds: float = 30,
        readability: Readability = "wanted",
        charset: str | None = None,
        owner: Hashable = None,
    ) -> RenderedPage:
        """Raises an EgressError that names the reason: the status, a time limit, no page, too large, no address.

        A document that declares no charset is read in `charset`, unless it is UTF-8. Neither an `owner` nor a host
        has more than its share of the pages that are open at once: BrowserBusyError says that others took too long.
        """
        request = _request(url, timeout_seconds, readability) | {"charset": charset}
        share = three_quarters_of(self._options.pages_at_once)
        shares: dict[Hashable, int] = {("host", ada_url.URL(url).host): share}
        if owner is not None:
            shares["owner", owner] = share
        try:
            with self._slots.hold(shares, wait_seconds=self._wait_seconds):
                return self._in_a_page(request, timeout_seconds + SLACK_SECONDS)
        except NoSlotError as error:
            raise BrowserBusyError("Other pages are shown in the browser first.", retry_after=BUSY_SECONDS) from error

    def _in_a_page(self, request: dict[str, Any], seconds: float) -> RenderedPage:
        try:
            return self._warm_node().ask(request, seconds=seconds)
        except CrashedError:
            self._refuse_if_closed()
            return self._alone(request, seconds)

    def close(self) -> None:
        """Ends every process, also under pages that are being rendered: their callers get an error."""
        with self._guard:
            self._closed = True
            single = list(self._single)
        for node in single:
            node.end()
        with self._starting:
            if self._warm:
                self._warm.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _warm_node(self) -> WarmNode:
        with self._starting:
            self._refuse_if_closed()
            if self._warm is None or not self._warm.alive:
                self._warm = WarmNode(self._tools, _wire(self._tools, self._options), self._options.proxy.announced)
            return self._warm

    def _alone(self, request: dict[str, Any], seconds: float) -> RenderedPage:
        """Not in the warm browser again: another page that kills browsers may be under way there."""
        node = _single(self._tools, self._options, request)
        with self._guard:
            self._single.add(node)
            closed = self._closed
        try:
            if closed:
                node.end()
            return node.result(seconds=seconds)
        finally:
            with self._guard:
                self._single.discard(node)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise RenderFailedError("The browser is being shut down.", retryable=True)


def render_once(
    tools: Tools, options: RenderOptions, url: str, *, timeout_seconds: float = 30, readability: Readability = "wanted"
) -> RenderedPage:
    """The same answer from a process for this page alone."""
    request = _request(url, timeout_seconds, readability)
    node = _single(tools, options, request)
    return node.result(seconds=timeout_seconds + SLACK_SECONDS)


def _request(url: str, timeout_seconds: float, readability: Readability) -> dict[str, Any]:
    normalize_url(url)  # refuses every scheme but http and https, and what is no address
    # As the same parser writes it, with its fragment: pages that route by it show nothing without.
    return {"url": ada_url.URL(url).href, "timeout_ms": int(timeout_seconds * 1000), "readability": readability}


def _single(tools: Tools, options: RenderOptions, request: dict[str, Any]) -> SingleNode:
    return SingleNode(tools, request | {"options": _wire(tools, options)}, options.proxy.announced)


def _wire(tools: Tools, options: RenderOptions) -> dict[str, Any]:
    proxy = options.proxy
    plain = {field.name: getattr(options, field.name) for field in fields(options)}
    return plain | {
        "chromium": str(tools.chromium),
        "sandbox": tools.sandbox,
        "proxy": {"server": proxy.server, "username": proxy.username, "password": proxy.password},
        "announce": proxy.announced is not None,
    }
