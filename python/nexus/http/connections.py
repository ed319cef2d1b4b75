"""The limit on open connections, and which are closed first: idle clients must not keep others out."""

import asyncio
import ipaddress
import resource
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from nexus.config import Settings, is_loopback
from nexus.logging import get_logger

log = get_logger(__name__)

MAX_CONNECTIONS = 1000
MIN_CONNECTIONS = 32
# Part of the limit of open files, kept free: for the database, files and pictures, and for what one accept loop takes
# at once.
RESERVED_FILES = 256
ACCEPT_BACKLOG = 128
POLL_SECONDS = 1.0
LOG_SECONDS = 10.0
IPV6_NETWORK = 64  # what one household gets: all its addresses count as one


@dataclass(frozen=True)
class ConnectionLimits:
    total: int
    per_address: int  # 0: no limit
    head_seconds: float

    @property
    def body_seconds(self) -> float:
        """The period over which the minimum rate of a body is measured; a phone may lose its network for a while."""
        return 3 * self.head_seconds

    @property
    def unread_seconds(self) -> float:
        """Without progress; a slow link may take a minute to accept the next chunk of a response."""
        return 6 * self.head_seconds


def limits_from(settings: Settings) -> ConnectionLimits:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    room = max(MIN_CONNECTIONS, files - RESERVED_FILES) if files != resource.RLIM_INFINITY else MAX_CONNECTIONS
    wanted = settings.max_connections or MAX_CONNECTIONS
    if settings.max_connections and wanted > room:
        log.warning("the limit of open files allows fewer connections", wanted=wanted, allowed=room, open_files=files)
    return ConnectionLimits(min(wanted, room), settings.max_connections_per_address, settings.request_seconds)


class ClientConnection(Protocol):
    """One connection; times are the event loop's."""

    address: str
    since: float

    def waits_for_client(self) -> bool: ...

    def end_if_late(self, now: float) -> None: ...

    def abort(self) -> None: ...


class ClientConnections:
    """The open connections of one server."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.trusted: tuple[str, ...] = ()
        self._open: dict[ClientConnection, None] = {}
        self._per_address: Counter[str] = Counter()
        self._closed: Counter[tuple[str, str]] = Counter()
        self._logged_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None
        self._polled_at = 0.0

    def admit(self, new: ClientConnection, loop: asyncio.AbstractEventLoop) -> bool:
        """Add it, closing others that wait for their clients if necessary; False: all are busy."""
        crowded = self._is_limited(new.address) and self._per_address[new.address] >= self.limits.per_address
        if crowded and not self._make_room("too many from one address", (c for c in self._open if _same(c, new))):
            return False
        if len(self._open) >= self.limits.total and not self._make_room("too many connections", self._open):
            return False
        self._open[new] = None
        self._per_address[new.address] += 1
        if self._timer is None:
            self._polled_at = loop.time()
            self._timer = loop.call_later(POLL_SECONDS, self._poll, loop)
        return True

    def leave(self, gone: ClientConnection) -> None:
        if gone not in self._open:
            return
        del self._open[gone]
        self._per_address[gone.address] -= 1
        if not self._per_address[gone.address]:
            del self._per_address[gone.address]

    def note(self, reason: str, address: str) -> None:
        """For the log, which gets one line for all of a kind."""
        self._closed[reason, address] += 1

    def _make_room(self, reason: str, among: Iterable[ClientConnection]) -> bool:
        """Close the oldest that wait, first those of the address with the most: a flood then harms only itself.

        Several at a time, because sorting all of them for each new connection would make a flood expensive.
        """
        waiting = [connection for connection in among if connection.waits_for_client()]
        waiting.sort(key=lambda connection: (-self._per_address[connection.address], connection.since))
        for connection in waiting[: max(1, self.limits.total // 16)]:
            self.note(reason, connection.address)
            connection.abort()
            self.leave(connection)
        return bool(waiting)

    def _is_limited(self, address: str) -> bool:
        """Loopback and proxies are not limited: many people may be behind them."""
        return bool(self.limits.per_address) and not _is_listed(address, self.trusted)

    def _poll(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        late = now - self._polled_at - POLL_SECONDS
        self._polled_at = now
        for connection in list(self._open):
            # While the loop was blocked nothing was read: that time does not count against the client.
            connection.since += max(0.0, late)
            connection.end_if_late(now)
        if self._closed and now - self._logged_at >= LOG_SECONDS:
            self._write_log(now)
        self._timer = loop.call_later(POLL_SECONDS, self._poll, loop) if self._open or self._closed else None

    def _write_log(self, now: float) -> None:
        self._logged_at = now
        for reason in sorted({reason for reason, _ in self._closed}):
            counts = Counter({address: n for (why, address), n in self._closed.items() if why == reason})
            most = ", ".join(f"{address} ({n})" for address, n in counts.most_common(3))
            log.warning("connections were closed", reason=reason, count=counts.total(), most_from=most)
        self._closed.clear()


def _same(one: ClientConnection, other: ClientConnection) -> bool:
    return one.address == other.address


def counted_address(host: str | None) -> str:
    """What counts as one client: an IPv4 address, an IPv6 network, everything that has no address."""
    try:
        address = ipaddress.ip_address(host or "")
    except ValueError:
        return host or "local"
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback and not address.ipv4_mapped:
        return str(ipaddress.ip_network((address, IPV6_NETWORK), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)


def trusted_addresses(given: list[str] | str) -> tuple[str, ...]:
    """The proxies whose X-Forwarded-… headers count (FORWARDED_ALLOW_IPS)."""
    parts = given.split(",") if isinstance(given, str) else given
    return tuple(part.strip() for part in parts if part.strip())


def _is_listed(address: str, listed: tuple[str, ...]) -> bool:
    if address == "local" or is_loopback(address) or "*" in listed:
        return True
    try:
        network = ipaddress.ip_network(address)
        networks = [ipaddress.ip_network(entry, strict=False) for entry in listed]
    except ValueError:
        return address in listed
    return any(one.version == network.version and one.overlaps(network) for one in networks)
