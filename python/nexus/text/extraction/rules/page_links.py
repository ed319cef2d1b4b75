"""The links of a page that lead to another place on it: lists of contents, references, footnotes."""

from bisect import bisect_right

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.pictures.element_blocks import text_span

Link = tuple[int, int]  # the block of the link, the block that it leads to


def _places(page: Page) -> dict[str, int]:
    """Where each id of the page is."""
    found: dict[str, int] = {}
    for node, element in enumerate(page.elements):
        name = element.get("id") or (element.get("name") if page.tags[node] == "a" else None)
        if name:
            found.setdefault(name, node)
    return found


def links_within(page: Page) -> list[Link]:
    spans = [text_span(page, block) for block in page.blocks]
    starts = [first for first, _ in spans]
    places = _places(page)
    found = []
    for node, tag in enumerate(page.tags):
        if tag == "a":
            fragment = (page.elements[node].get("href") or "").partition("#")[2]
            target = places.get(fragment) if fragment else None
            if target is not None:
                found.append((bisect_right(starts, node) - 1, _block_at(spans, starts, target)))
    return found


def _block_at(spans: list[tuple[float, float]], starts: list[float], target: int) -> int:
    """The block that the place is in, or else the one it stands before."""
    around = bisect_right(starts, target) - 1
    if around >= 0 and target <= spans[around][1]:
        return around
    return min(bisect_right(starts, target - 0.5), len(starts) - 1)
