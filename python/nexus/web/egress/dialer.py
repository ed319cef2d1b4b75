"""Opens a connection to an address that was checked, and to no other: no second look-up can change its mind."""

import socket
from collections.abc import Sequence
from ipaddress import ip_address

from nexus.errors import BlockedAddressError, ConnectionFailedError, EgressError, FetchTimeoutError
from nexus.web.egress.limits import Deadline
from nexus.web.egress.resolver import PatientResolver, Resolver, system_resolver
from nexus.web.public_address import Address, AllowList, is_public

ADDRESSES_TRIED = 4  # each gets its share of the connect time


class Dialer:
    def __init__(self, allow: AllowList, resolver: Resolver = system_resolver) -> None:
        self.allow = allow
        self._resolver = PatientResolver(resolver)

    def dial(self, host: str, port: int, deadline: Deadline, connect_seconds: float) -> socket.socket:
        addresses = self.checked_addresses(host, port, deadline, connect_seconds)[:ADDRESSES_TRIED]
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
        """All addresses of the host, or an error if a single one is not public: the next answer may lead there."""
        try:
            addresses: Sequence[Address] = (ip_address(host),)
        except ValueError:
            found = self._resolver.addresses(host, port, deadline, seconds)
            addresses = tuple(ip_address(address) for address in found)
        if not self.allow.names(host, port):
            for address in addresses:
                if not self.allow.covers(address) and not is_public(address):
                    # The address itself stays out of the message: it would tell strangers about this network.
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
