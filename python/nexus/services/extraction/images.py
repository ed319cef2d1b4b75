"""Which pictures of a page belong to its text."""

from bisect import bisect_right
from dataclasses import dataclass

from lxml import etree

from nexus.services.extraction.blocks import LINE_BREAK, Block, Page
from nexus.services.text.image_source import image_candidates

_SMALLEST_SIDE = 60
_NOT_ADDRESSES = ("data:", "blob:", "about:")
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


def kept_pictures(page: Page, kept: set[int]) -> list[Picture]:
    """A picture stays when the text right before and after it stays, or when its figure's caption does."""
    nodes = [i for i, tag in enumerate(page.tags) if tag == "img"]
    if not nodes or not kept:
        return []
    spans = [_span(page, b) for b in page.blocks]
    first, last = min(spans[k][0] for k in kept), max(spans[k][1] for k in kept)
    captions = sorted(page.blocks[k].node for k in kept if page.tags[page.blocks[k].node] == "figcaption")
    pictures = []
    following = 0
    for node in nodes:
        while following < len(spans) and spans[following][1] < node:
            following += 1
        if following < len(spans) and spans[following][0] < node:
            continue  # inside a line of text: an emoji or an icon
        between = following in kept and following - 1 in kept and first < node < last
        holder = page.parents[node]
        while holder and page.tags[holder] in ("a", "picture", "div", "span"):
            holder = page.parents[holder]
        next_caption = bisect_right(captions, holder)
        captioned = (
            page.tags[holder] == "figure"
            and next_caption < len(captions)
            and captions[next_caption] < page.ends[holder]
        )
        source = _source(page, node)
        if (between or captioned) and source and not _is_icon(page, node) and not _in_furniture(page, node):
            pictures.append(Picture(node, source, (page.elements[node].get("alt") or "").strip()))
    return pictures
