"""Which addresses this server may connect to for a link. Links are checked when saved and on every connection."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

from nexus.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# `is_global` of Python 3.11 is true for 224.0.0.1, 192.0.0.8, 192.88.99.1, fec0::1, 3fff::1, 64:ff9b:1::1.
DENIED: tuple[Network, ...] = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # Azure's platform service, reachable from its virtual machines only
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "100::/63",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")

# Prefixes whose last 32 bits are an IPv4 address: compatible, mapped, translated, NAT64.
EMBEDDING_PREFIXES = tuple(
    IPv6Network(network) for network in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")
)
ISATAP_INTERFACES = frozenset({0x00005EFE, 0x02005EFE})
LOW_32_BITS = 0xFFFF_FFFF


def is_public(address: str | Address) -> bool:
    """Whether it is a public unicast address; an IPv4 address embedded in an IPv6 address is checked too."""
    parsed = ip_address(address) if isinstance(address, str) else address
    if isinstance(parsed, IPv6Address):
        embedded = embedded_ipv4(parsed)
        if embedded:
            # Teredo, 6to4 and the others only carry traffic to the address they embed.
            return parsed.scope_id is None and all(is_public(inner) for inner in embedded)
        if parsed.scope_id is not None or parsed not in GLOBAL_UNICAST_V6:
            return False
    return not any(parsed in network for network in DENIED) and parsed.is_global


def embedded_ipv4(address: IPv6Address) -> tuple[IPv4Address, ...]:
    number = int(address)
    if any(address in network for network in EMBEDDING_PREFIXES):
        return (IPv4Address(number & LOW_32_BITS),)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    if (number >> 32) & LOW_32_BITS in ISATAP_INTERFACES:
        return (IPv4Address(number & LOW_32_BITS),)
    return ()


@dataclass(frozen=True)
class AllowList:
    """Exceptions to the address rules: exact `host:port` (`host:*` for any port) and CIDR entries."""

    endpoints: frozenset[tuple[str, str]] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Self:
        endpoints: set[tuple[str, str]] = set()
        networks: list[Network] = []
        for entry in (entry.strip() for entry in entries):
            try:
                networks.append(ip_network(entry))
            except ValueError:
                endpoints.add(_endpoint(entry))
        return cls(frozenset(endpoints), tuple(networks))

    def allows_endpoint(self, host: str, port: int) -> bool:
        return not self.endpoints.isdisjoint({(host, str(port)), (host, "*")})

    def allows_address(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


def _endpoint(entry: str) -> tuple[str, str]:
    host, _, port = entry.rpartition(":")
    if not host or not (port == "*" or (port.isascii() and port.isdigit())) or "/" in host:
        raise ConfigError(
            f"{entry!r} is not an egress exception: write host:port, host:* or a network such as 10.0.0.0/8."
        )
    host = host.lower().strip("[]")
    try:
        return str(ip_address(host)), port
    except ValueError:
        return host, port
