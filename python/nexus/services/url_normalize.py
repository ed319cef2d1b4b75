"""What a URL is here: parsed once by the WHATWG rules browsers use, and written in one way."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import ada_url

from nexus.errors import BlockedAddressError, InvalidUrlError
from nexus.services.public_address import AllowList, is_public

DEFAULT_PORTS = {"http:": 80, "https:": 443}
LOCAL_NAMES = ("localhost", "local", "internal")


def normalize_url(url: str) -> str:
    """The canonical URL: fragment and empty query gone, the rest as the WHATWG serialiser writes it."""
    return _canonical(_parse(url))


def check_url(url: str, *, max_length: int, allow: AllowList) -> str:
    """The canonical URL of a stranger's link, or the reason why it is refused. Asks no name server."""
    if len(url) > max_length:
        raise InvalidUrlError(f"The link is longer than {max_length} characters.")
    parsed = _parse(url)
    if parsed.username or parsed.password:
        raise InvalidUrlError("The link holds a user name or password; remove what stands before the @.")
    host = parsed.hostname.removeprefix("[").removesuffix("]")
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[parsed.protocol]
    if not allow.names(host, port):
        _check_host(host, allow)
    return _canonical(parsed)


def _parse(url: str) -> ada_url.URL:
    try:
        parsed = ada_url.URL(url)
    except (ValueError, UnicodeEncodeError):
        raise InvalidUrlError(
            "This is not a web address; write it in full, such as https://example.com/page."
        ) from None
    if parsed.protocol not in DEFAULT_PORTS:
        raise InvalidUrlError(f"Only http and https links can be saved, not {parsed.protocol}")
    return parsed


def _canonical(parsed: ada_url.URL) -> str:
    # Clearing the query also drops the question mark an empty one leaves behind.
    if not parsed.search:
        del parsed.search
    del parsed.hash
    return parsed.href


def _check_host(host: str, allow: AllowList) -> None:
    name = host.removesuffix(".")
    if name.rpartition(".")[2] in LOCAL_NAMES:
        raise BlockedAddressError(f"{host} is a name of this machine or its network, not of a public site.")
    address = _address_literal(host)
    if address is not None and not allow.covers(address) and not is_public(address):
        raise BlockedAddressError(f"{host} is a private or reserved address, not a public site.")


def _address_literal(host: str) -> IPv4Address | IPv6Address | None:
    # The URL parser has already turned 0x7f.1, 2130706433, 0177.0.0.1 and full-width digits into dotted form.
    try:
        return ip_address(host)
    except ValueError:
        return None
