"""Embeds among the kept text become links at their place: a player or a map cannot be shown in a text."""

from dataclasses import dataclass
from html import escape

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.pictures.element_blocks import ElementBlocks
from nexus.text.extraction.pictures.element_names import ElementNames

_OUTSIDE = frozenset(("nav", "footer", "aside", "form", "button"))
_MAX_LEVELS = 12
# An element with this many words beside the embed is what the embed stands in, not a wrapper with a caption.
_WRAPPER_WORDS = 30


@dataclass(frozen=True, slots=True)
class EmbedCard:
    node: int
    html: str


def embed_cards(page: Page, kept: set[int]) -> list[EmbedCard]:
    nodes = [node for node, tag in enumerate(page.tags) if tag == "embed" and page.elements[node].get("title")]
    if not nodes or not kept:
        return []
    ranges, names = ElementBlocks(page, kept), ElementNames(page)
    cards: dict[str, EmbedCard] = {}
    for node in nodes:
        url = page.elements[node].get("src") or ""
        if url and url not in cards and _stands_in_text(page, ranges, names, node):
            title = page.elements[node].get("title") or url
            link = f'<a href="{escape(url)}">{escape(title, quote=False)}</a>'
            cards[url] = EmbedCard(node, f"<p>{link}</p>")
    return list(cards.values())


def _stands_in_text(page: Page, ranges: ElementBlocks, names: ElementNames, node: int) -> bool:
    """Kept text is on both sides of it, or on one side in a container whose text is mostly kept."""
    container = _container(page, ranges, names, node)
    if container < 0:
        return False
    before = ranges.before(node)
    if before in ranges.kept and before + 1 in ranges.kept:
        return True
    inside = ranges.inside(container)
    near = any(block in inside and block in ranges.kept for block in (before, before + 1))
    return near and 2 * ranges.kept_words(inside) > ranges.words(inside)


def _container(page: Page, ranges: ElementBlocks, names: ElementNames, node: int) -> int:
    """The nearest element with text of its own, or -1 if a menu, a form or an advertisement is around the embed."""
    for _ in range(_MAX_LEVELS):
        node = page.parents[node]
        inside = ranges.inside(node)
        if ranges.kept_words(inside) or ranges.words(inside) > _WRAPPER_WORDS:
            return node
        if not node or page.tags[node] in _OUTSIDE or names.is_decoration(node):
            return -1
    return -1
