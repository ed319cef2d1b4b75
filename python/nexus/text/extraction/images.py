"""Which images of a page belong to its text."""

from bisect import bisect_right
from dataclasses import dataclass

from lxml import etree

from nexus.text.extraction.blocks import LINE_BREAK, Block, Page
from nexus.text.image_source import image_candidates

_SMALLEST_SIDE = 60
_NOT_ADDRESSES = ("data:", "blob:", "about:")
_WRAPPERS = frozenset(("a", "picture", "span", "p", "figure"))
_MAX_BESIDE = 50
_OUTSIDE = frozenset(("nav", "footer", "aside", "form", "button"))


@dataclass(frozen=True, slots=True)
class Picture:
    node: int
    src: str
    alt: str


def _source(page: Page, node: int) -> str:
    holder = page.elements[page.parents[node]]
    sources = holder.iterchildren("source") if holder.tag == "picture" else ()
    addresses = image_candidates(_attributes(page.elements[node]), map(_attributes, sources))
    return next((address for address in addresses if not address.startswith(_NOT_ADDRESSES)), "")


def _attributes(element: etree._Element) -> dict[str, str | None]:
    return {str(name): str(value) for name, value in element.attrib.items()}


def _is_icon(page: Page, node: int) -> bool:
    sides = (page.elements[node].get("width") or "", page.elements[node].get("height") or "")
    return any(s.removesuffix("px").isdigit() and int(s.removesuffix("px")) < _SMALLEST_SIDE for s in sides)


def _span(page: Page, block: Block) -> tuple[int, int]:
    places = [page.ends[s >> 1] if s & 1 else s >> 1 for s in block.slots if s != LINE_BREAK]
    return min(places), max(places)


def _in_furniture(page: Page, node: int) -> bool:
    while node:
        if page.tags[node] in _OUTSIDE:
            return True
        node = page.parents[node]
    return False


def _ends_text(page: Page, node: int, before: int, kept: set[int]) -> bool:
    """The block before the image is kept and is in its container, most of whose blocks are kept."""
    holder = page.parents[node]
    while holder and page.tags[holder] in _WRAPPERS:
        holder = page.parents[holder]
    if before not in kept or not holder:
        return False
    low = before
    while low >= 0 and before - low < _MAX_BESIDE and holder < page.blocks[low].node < page.ends[holder]:
        low -= 1
    inside = range(low + 1, before + 1)
    return 2 * sum(i in kept for i in inside) > len(inside)


def kept_pictures(page: Page, kept: set[int]) -> list[Picture]:
    """An image is kept when the text right before and after it is kept, when it ends a kept text, or when its
    figure's caption is kept."""
    nodes = [i for i, tag in enumerate(page.tags) if tag == "img"]
    if not nodes or not kept:
        return []
    spans = [_span(page, b) for b in page.blocks]
    captions = sorted(page.blocks[k].node for k in kept if page.tags[page.blocks[k].node] == "figcaption")
    pictures = []
    following = 0
    for node in nodes:
        while following < len(spans) and spans[following][1] < node:
            following += 1
        if following < len(spans) and spans[following][0] < node:
            continue  # inside a line of text: an emoji or an icon
        source = _source(page, node)
        if not source or _is_icon(page, node) or _in_furniture(page, node):
            continue
        if (
            _is_between(page, node, following, kept)
            or _is_captioned(page, node, captions)
            or _ends_text(page, node, following - 1, kept)
        ):
            pictures.append(Picture(node, source, (page.elements[node].get("alt") or "").strip()))
    return pictures


def _is_between(page: Page, node: int, following: int, kept: set[int]) -> bool:
    """The text before it and the text after it are kept; its own caption is skipped."""
    figure = _figure(page, node)
    before = following - 1
    while figure and following < len(page.blocks) and page.blocks[following].node in range(figure, page.ends[figure]):
        following += 1
    return following in kept and before in kept


def _is_captioned(page: Page, node: int, captions: list[int]) -> bool:
    figure = _figure(page, node)
    after = bisect_right(captions, figure)
    return bool(figure) and after < len(captions) and captions[after] < page.ends[figure]


def _figure(page: Page, node: int) -> int:
    """The figure around the image, or 0."""
    holder = page.parents[node]
    while holder and page.tags[holder] in ("a", "picture", "div", "span"):
        holder = page.parents[holder]
    return holder if page.tags[holder] == "figure" else 0
