"""The URL of a picture: lazy loaders keep it in other attributes, srcset lists several, the proxy wraps it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import quote, unquote

PICTURE_PROXY = "/media/image?url="

# Larger copies are refused by the proxy (4096 px a side) or are wider than any reading column.
MAX_USEFUL_PX = 2048

LAZY_ATTRIBUTES = (
    "data-src",
    "data-original",
    "data-lazy-src",
    "data-original-src",
    "data-actualsrc",
    "data-full-src",
    "data-hi-res-src",
    "data-ll-src",
    "data-cfsrc",
    "data-echo",
    "data-lazy",
    "nitro-lazy-src",
)
LAZY_SRCSET_ATTRIBUTES = ("data-srcset", "data-lazy-srcset", "nitro-lazy-srcset")

_PLACEHOLDER_NAME = re.compile(
    r"(?:^|[/_.-])(?:blank|spacer|transparent|placeholder|lazy(?:load)?|loading|pixel|1x1|grey|gray)"
    r"(?:[_.-][^/]{0,100})?\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)",
    re.IGNORECASE,
)
# Whatever a lazy loader calls its attribute ("file", "data-hires"), this is the address of a picture.
PICTURE_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".bmp", ".svg")
_NOT_LAZY = frozenset(("src", "srcset", "alt", "title", "class", "id", "style", "longdesc", *LAZY_ATTRIBUTES))
_DESCRIPTOR = re.compile(r"([0-9]*\.?[0-9]+)([wx])")

Resolve = Callable[[str], str | None]


def picture_source(
    attributes: Mapping[str, str | None], sources: Iterable[Mapping[str, str | None]], resolve: Resolve
) -> str | None:
    """The proxied URL of the best copy, or None."""
    own = attributes.get("src") or ""
    if is_proxied(own, resolve):
        return own
    for candidate in picture_candidates(attributes, sources):
        url = resolve(candidate)
        if url is not None:
            return PICTURE_PROXY + quote(url, safe="")
    return None


def is_proxied(value: str, resolve: Resolve) -> bool:
    """True only for what picture_source writes: sanitizing twice must not proxy the proxy."""
    if not value.startswith(PICTURE_PROXY):
        return False
    url = unquote(value.removeprefix(PICTURE_PROXY), errors="replace")
    return "://" in url and resolve(url) == url and PICTURE_PROXY + quote(url, safe="") == value


def best_of_srcset(srcset: str) -> str | None:
    best: tuple[tuple[bool, float], str] | None = None
    for url, descriptor in _srcset_candidates(srcset):
        match = _DESCRIPTOR.fullmatch(descriptor)
        size, unit = (float(match[1]), match[2]) if match else (1.0, "x")
        fits = unit == "x" or size <= MAX_USEFUL_PX
        rank = (fits, size if fits else -size)
        if best is None or rank > best[0]:
            best = (rank, url)
    return best[1] if best else None


def _srcset_candidates(srcset: str) -> Iterator[tuple[str, str]]:
    """Splits as the standard does: a URL may contain commas (image CDNs), only one at its end finishes it.

    Token by token, because a regular expression needed 10 s for 200 000 commas.
    """
    tokens = srcset.split()[::-1]
    while tokens:
        url = tokens.pop().lstrip(",")
        size = ""
        finished = not url or url.endswith(",")
        while tokens and not finished:
            before, comma, rest = tokens.pop().partition(",")
            size = size or before
            finished = bool(comma)
            if rest:
                tokens.append(rest)
        if url:
            yield url.rstrip(","), size


def picture_candidates(
    attributes: Mapping[str, str | None], sources: Iterable[Mapping[str, str | None]]
) -> Iterable[str]:
    """Its URLs as the page writes them, the best first. `sources` are the <source> elements of a <picture>."""
    own = attributes.get("src") or ""
    for name in LAZY_ATTRIBUTES:
        value = (attributes.get(name) or "").strip(" \t\r\n\f")
        # Loaders also keep JSON and templates ("photo_{width}.jpg") in these attributes.
        if value and not re.search(r"[\s{}<>]", value):
            yield value
    yield from _srcsets(attributes, LAZY_SRCSET_ATTRIBUTES)
    placeholder = _PLACEHOLDER_NAME.search(own) is not None
    if own and not placeholder:
        yield own
    yield from _srcsets(attributes, ("srcset",))
    for source in sources:
        yield from _srcsets(source, (*LAZY_SRCSET_ATTRIBUTES, "srcset"))
    yield from _in_other_attributes(attributes)
    if placeholder:
        yield own


def _in_other_attributes(attributes: Mapping[str, str | None]) -> Iterable[str]:
    for name, value in attributes.items():
        if name in _NOT_LAZY or name.startswith("on") or not value or re.search(r"[{}<>]", value):
            continue
        tokens = value.split()
        if len(tokens) == 1 and is_picture_url(tokens[0]):
            yield tokens[0]
        elif len(tokens) > 1 and is_picture_url(tokens[0]) and _DESCRIPTOR.fullmatch(tokens[1].rstrip(",")):
            best = best_of_srcset(value)
            if best is not None:
                yield best


def is_picture_url(url: str) -> bool:
    """By its ending."""
    return url.partition("?")[0].partition("#")[0].lower().endswith(PICTURE_ENDINGS)


def _srcsets(attributes: Mapping[str, str | None], names: Iterable[str]) -> Iterable[str]:
    for name in names:
        best = best_of_srcset(attributes.get(name) or "")
        if best is not None:
            yield best
