"""When two addresses are the same link, and when two pictures are the same picture."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from lxml import etree

_LAZY = (
    "src",
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-hi-res-src",
    "data-url",
    "data-image",
    "data-full-src",
)
_SETS = ("srcset", "data-srcset", "data-lazy-srcset")
_SIZE = re.compile(r"[-_@]?(?:\d{2,4}x\d{2,4}|\d{2,4}px|[23]x)$|^\d{2,4}px-")
_INNER = re.compile(r"https?://", re.IGNORECASE)
_HASH = re.compile(r"[0-9a-f-]{24,}")
_MIN_NAME_CHARS = 5
_PIXEL = 2
_MAX_SERVICES = 4  # ours is behind the project's own one


def link_key(address: str, base: str) -> str:
    """Without what servers ignore: scheme, "www.", a slash at the end, and how characters are escaped."""
    parts = urlsplit(urljoin(base, address.strip()))
    query, fragment = (f"{mark}{part}" if part else "" for mark, part in (("?", parts.query), ("#", parts.fragment)))
    return unquote(f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}{fragment}")


def _unwrapped(address: str) -> str:
    """The picture behind a service that scales it: the address in its query or at the end of its path."""
    parts = urlsplit(address)
    inner = next((v for _, v in parse_qsl(parts.query) if _INNER.match(v)), None)
    if inner:
        return inner
    path = unquote(parts.path)
    found = _INNER.search(path)
    return path[found.start() :] if found else address


def _address_keys(address: str, base: str) -> Iterator[str]:
    if not address or address.startswith(("data:", "blob:", "about:")):
        return
    address = urljoin(base, address.strip())
    for _ in range(_MAX_SERVICES):
        address = _unwrapped(address)
    parts = urlsplit(address)
    path = unquote(parts.path).rstrip("/")
    yield f"{parts.netloc.lower()}{path}"
    name = path.rpartition("/")[2].lower()
    stem = _SIZE.sub("", name.rpartition(".")[0] or name)
    if len(stem) >= _MIN_NAME_CHARS:
        yield stem
    yield from _HASH.findall(path)


def _from_set(value: str) -> Iterator[str]:
    for candidate in re.split(r",\s+", value):
        yield from candidate.split()[:1]


def picture_keys(image: etree._Element, base: str) -> frozenset[str]:
    """Two pictures are the same if they share one of these; none: a placeholder or a tracking pixel."""
    if any(size.isdigit() and int(size) <= _PIXEL for size in (image.get("width", ""), image.get("height", ""))):
        return frozenset()
    # libxml2 does not know that <source> is empty: the picture's <img> may lie inside it.
    around = next(image.iterancestors("picture"), image)
    holders = [image, *around.iter("source")]
    found = [e.get(name) or "" for e in holders for name in _LAZY]
    found += [a for e in holders for name in _SETS for a in _from_set(e.get(name) or "")]
    return frozenset(key for address in found for key in _address_keys(address, base))
