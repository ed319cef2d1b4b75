"""Which hosts the pages of a browser have asked for. Whatever else the browser wants to talk to is its own idea."""

import threading
from collections import Counter
from collections.abc import Hashable

import ada_url

from nexus.web.urls import DEFAULT_PORTS

HOSTS_PER_PAGE = 500
_SAME_PORTS = {"ws:": "http:", "wss:": "https:"}

HostAndPort = tuple[str, int]


class AnnouncedHosts:
    """Threads share it. A host counts until every page that asked for it is closed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._by_page: dict[Hashable, set[HostAndPort]] = {}
        self._pages: Counter[HostAndPort] = Counter()

    def add(self, page: Hashable, url: str) -> None:
        """The page asks for this address, now."""
        asked = _host_and_port(url)
        with self._changed:
            known = self._by_page.setdefault(page, set())
            if asked is None or asked in known or len(known) >= HOSTS_PER_PAGE:
                return
            known.add(asked)
            self._pages[asked] += 1
            self._changed.notify_all()

    def remove(self, page: Hashable) -> None:
        """The page is closed."""
        with self._changed:
            self._pages.subtract(self._by_page.pop(page, set()))
            self._pages = +self._pages

    def wait_for(self, host: str, port: int, seconds: float) -> bool:
        """Whether a page asks for it. The browser may be quicker here than the news of what it does, so we wait."""
        with self._changed:
            return self._changed.wait_for(lambda: (host, port) in self._pages, seconds)


def _host_and_port(url: str) -> HostAndPort | None:
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    scheme = _SAME_PORTS.get(parsed.protocol, parsed.protocol)
    if scheme not in DEFAULT_PORTS:
        return None  # data: and blob: go nowhere
    host = parsed.hostname.removeprefix("[").removesuffix("]")
    return host, int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]
