"""URLs: parsed by the WHATWG rules that browsers use, and written in one canonical form."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import ada_url

from nexus.errors import BlockedAddressError, InvalidUrlError
from nexus.web.public_address import AllowList, is_public

HostAndPort = tuple[str, int]

DEFAULT_PORTS = {"http:": 80, "https:": 443}
# With those of web sockets: a page may open them, but no link can be one.
CONNECTED_PORTS = DEFAULT_PORTS | {"ws:": 80, "wss:": 443}
# Ports that no browser opens (the Fetch standard's list): an HTTP request would reach a mail, chat or print server.
BAD_PORTS = frozenset(
    {0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109}
    | {110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530}
    | {531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190}
    | {5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080}
)
# How single-page apps write a route into the fragment. Without a route after it the fragment names no separate page.
ROUTES = ("#/", "#!")
EMPTY_ROUTES = frozenset({"#/", "#!", "#!/"})
FRAGMENT_DIRECTIVE = ":~:"
LOCAL_NAMES = ("localhost", "local", "internal")


def normalize_url(url: str) -> str:
    """The canonical URL: as WHATWG serializes it, without an empty query and without a fragment that is no route."""
    return _canonical(_parse(url))


def route_of(url: str) -> str:
    """The fragment where it names a page of a single-page app (`#/one`, `#!one`), else ""."""
    return _route(_parse(url))


def check_url(url: str, *, max_length: int, allow: AllowList) -> str:
    """The canonical URL of a link that may be fetched, or an error with the reason. Does not resolve names."""
    if len(url) > max_length:
        raise InvalidUrlError(f"The link is longer than {max_length} characters.")
    parsed = _parse(url)
    if parsed.username or parsed.password:
        raise InvalidUrlError("The link contains a user name or password; remove the part before the @.")
    host, port = host_and_port(parsed)
    if not allow.allows_endpoint(host, port):
        _check_host(host, allow)
        if port in BAD_PORTS:
            raise BlockedAddressError(f"Port {port} is not used for web pages.")
    return _canonical(parsed)


def may_request(url: str, *, max_length: int, allow: AllowList) -> bool:
    """Whether ``check_url`` accepts it."""
    try:
        check_url(url, max_length=max_length, allow=allow)
    except (InvalidUrlError, BlockedAddressError):
        return False
    return True


def host_of(url: str) -> str:
    """The host that a browser would connect to."""
    return _parse(url).hostname


def host_and_port(parsed: ada_url.URL) -> HostAndPort:
    """The host and port of a connection: an IPv6 address without its brackets, the scheme's port if none is given."""
    host = parsed.hostname.removeprefix("[").removesuffix("]")
    return host, int(parsed.port) if parsed.port else CONNECTED_PORTS[parsed.protocol]


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
    # Deleting the query also drops the question mark of an empty one.
    if not parsed.search:
        del parsed.search
    if route := _route(parsed):
        parsed.hash = route
    else:
        del parsed.hash
    return parsed.href


def _route(parsed: ada_url.URL) -> str:
    # What follows is for the browser ("scroll to these words"); scripts of the page do not see it.
    fragment = parsed.hash.partition(FRAGMENT_DIRECTIVE)[0]
    return fragment if fragment.startswith(ROUTES) and fragment not in EMPTY_ROUTES else ""


def _check_host(host: str, allow: AllowList) -> None:
    name = host.removesuffix(".")
    if name.rpartition(".")[2] in LOCAL_NAMES:
        raise BlockedAddressError(f"{host} is a local name, not that of a public site.")
    address = _address_literal(host)
    if address is not None and not allow.allows_address(address) and not is_public(address):
        raise BlockedAddressError(f"{host} is a private or reserved address, not a public site.")


def _address_literal(host: str) -> IPv4Address | IPv6Address | None:
    # The URL parser has already turned 0x7f.1, 2130706433, 0177.0.0.1 and full-width digits into dotted form.
    try:
        return ip_address(host)
    except ValueError:
        return None
