"""Resolves a name once, checks all its addresses and connects to one of them, so that DNS rebinding has no effect."""

import socket
from collections.abc import Sequence
from ipaddress import ip_address

from nexus.errors import BlockedAddressError, ConnectionFailedError, EgressError, FetchTimeoutError
from nexus.web.egress.limits import Deadline
from nexus.web.egress.resolver import Resolver, ThreadedResolver, system_resolver
from nexus.web.public_address import Address, AllowList, is_public

MAX_ADDRESSES = 4  # each gets an equal part of the connect time


class Dialer:
    def __init__(self, allow: AllowList, resolver: Resolver = system_resolver) -> None:
        self.allow = allow
        self._resolver = ThreadedResolver(resolver)

    def dial(self, host: str, port: int, deadline: Deadline, connect_seconds: float) -> socket.socket:
        addresses = self.checked_addresses(host, port, deadline, connect_seconds)[:MAX_ADDRESSES]
        budget = Deadline(deadline.bounded(connect_seconds))
        failure: EgressError | None = None
        for index, address in enumerate(addresses):
            share = max(budget.left(), 0.001) / (len(addresses) - index)
            try:
                return _connect(address, port, deadline.bounded(share))
            except TimeoutError:
                failure = FetchTimeoutError(f"{host} did not accept a connection within {connect_seconds:g} seconds.")
            except OSError as error:
                failure = ConnectionFailedError(f"Cannot connect to {host}: {error.strerror or error}.")
        raise failure or ConnectionFailedError(f"The name {host} has no address.")

    def checked_addresses(self, host: str, port: int, deadline: Deadline, seconds: float) -> Sequence[Address]:
        """All addresses of the host; raises if one is not public, since the next look-up may return that one."""
        try:
            addresses: Sequence[Address] = (ip_address(host),)
        except ValueError:
            found = self._resolver.addresses(host, port, deadline, seconds)
            addresses = tuple(ip_address(address) for address in found)
        if not self.allow.allows_endpoint(host, port):
            for address in addresses:
                if not self.allow.allows_address(address) and not is_public(address):
                    # Without the address: the message would disclose this network to whoever saved the link.
                    raise BlockedAddressError(f"{host} leads to a private or reserved address, not to a public site.")
        return addresses


def _connect(address: Address, port: int, seconds: float) -> socket.socket:
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect((str(address), port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        connection.close()
        raise
    return connection
