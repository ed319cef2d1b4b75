"""Which hosts the pages open in a browser have requested; the proxy refuses the browser's own requests to others."""

import threading
from collections import Counter
from collections.abc import Hashable

import ada_url

from nexus.web.urls import CONNECTED_PORTS, HostAndPort, host_and_port

MAX_HOSTS_PER_PAGE = 500


class RequestedHosts:
    """Thread-safe. A host counts until every page that requested it is closed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._by_page: dict[Hashable, set[HostAndPort]] = {}
        self._pages: Counter[HostAndPort] = Counter()

    def add(self, page: Hashable, url: str) -> None:
        """Note that the page requests this URL."""
        requested = _requested(url)
        with self._changed:
            known = self._by_page.setdefault(page, set())
            if requested is None or requested in known or len(known) >= MAX_HOSTS_PER_PAGE:
                return
            known.add(requested)
            self._pages[requested] += 1
            self._changed.notify_all()

    def remove(self, page: Hashable) -> None:
        """Forget the hosts of a page that was closed."""
        with self._changed:
            self._pages.subtract(self._by_page.pop(page, set()))
            self._pages = +self._pages

    def wait_for(self, host: str, port: int, seconds: float) -> bool:
        """Whether a page has requested this host. Waits, because the browser may connect before its request is
        reported."""
        with self._changed:
            return self._changed.wait_for(lambda: (host, port) in self._pages, seconds)


def _requested(url: str) -> HostAndPort | None:
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    # data: and blob: open no connection
    return host_and_port(parsed) if parsed.protocol in CONNECTED_PORTS else None
