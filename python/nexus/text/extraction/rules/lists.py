"""Keeps lists of a text whole: their items are too short or too full of links for the model to recognise.

A list of contents belongs to the headings it links to, a list of references to the text that refers to it, any other
list to the text around it.
"""

import re
from dataclasses import dataclass

from nexus.text.extraction.blocks import HEADING_TAGS, Page
from nexus.text.extraction.features.element_features import Mask
from nexus.text.extraction.rules.neighbours import Numbers, blocks_beside, mostly_kept
from nexus.text.extraction.rules.page_links import Link

_LISTS = frozenset(("ul", "ol", "dl"))
_OUTSIDE = frozenset(("nav", "footer", "aside", "form", "table"))
_MIN_ITEMS = 3
_MIN_CITED = 2
_PROSE_LINKS = 0.3
_MAX_ITEMS = 30  # longer ones are threads of comments
_MIN_WORDS = 3
_NEAR = 3
_REACH = 50
# Headings of lists of sources, and not "See also", "Related", "More": those lead to other pages of the site.
_SOURCES = re.compile(
    r"(?:references?|sources?|(?:foot|end)?notes?|citations?|bibliography|works cited|further reading|external links"
    r"|(?:references|sources|notes) (?:and|&) (?:references|links|notes|sources)"
    r"|einzelnachweise|quellen|literatur|weblinks|anmerkungen|fußnoten"
    r"|références|notes et références|bibliographie|liens externes"
    r"|fuentes|referencias|bibliografía|enlaces externos|notas"
    r"|fonti|note|bibliografia|collegamenti esterni|referências|ligações externas|bronnen|referenties"
    r"|źródła|przypisy|литература|примечания|ссылки|источники"
    r"|参考文献|参考资料|參考資料|注释|註釋|外部链接|外部連結|脚注|出典|참고 문헌|각주|외부 링크)\s*:?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TextList:
    items: range  # of blocks
    beside: list[int]  # the blocks around it in the nearest container that has others
    heading: int  # the block right before it if that is a heading, or that of a section of sources; else -1
    targets: list[int]  # the blocks that its links lead to
    cited_by: list[int]  # the blocks with a link to one of its items
    of_sources: bool
    hosts: int  # how many other sites its links lead to


def find_lists(page: Page, links: list[Link]) -> list[TextList]:
    """The outermost lists, in document order."""
    outermost = [0] * len(page.tags)  # 0: in no list; -1: in none that counts
    for node, parent in enumerate(page.parents):
        tag, around = page.tags[node], outermost[parent]
        outermost[node] = -1 if tag in _OUTSIDE else (node if tag in _LISTS and not around else around)
    found: dict[int, list[int]] = {}
    for index, block in enumerate(page.blocks):
        if outermost[block.node] > 0:
            found.setdefault(outermost[block.node], []).append(index)
    if not found:
        return []
    lists = [(node, range(items[0], items[-1] + 1)) for node, items in found.items()]
    number = {index: i for i, (_, items) in enumerate(lists) for index in items}
    targets: list[set[int]] = [set() for _ in lists]
    cited_by: list[set[int]] = [set() for _ in lists]
    for at, to in links:
        inside, into = number.get(at, -1), number.get(to, -1)
        if inside != into:
            if inside >= 0:
                targets[inside].add(to)
            if into >= 0:
                cited_by[into].add(at)
    return [
        _describe(page, node, items, (sorted(targets[i]), sorted(cited_by[i]))) for i, (node, items) in enumerate(lists)
    ]


def _describe(page: Page, node: int, items: range, links: tuple[list[int], list[int]]) -> TextList:
    heading = _heading_over(page, node, items.start)
    of_sources = heading >= 0 and _SOURCES.fullmatch(page.blocks[heading].text) is not None
    if not of_sources:
        before = items.start - 1
        heading = before if before >= 0 and _is_heading(page, before) else -1
    return TextList(items, blocks_beside(page, node, items), heading, *links, of_sources, len(_hosts(page, node)))


def _heading_over(page: Page, node: int, start: int) -> int:
    """The nearest heading above the list in the same element, or right before it: its section may have more lists."""
    parent = page.parents[node]
    for index in range(start - 1, max(-1, start - 1 - _REACH), -1):
        at = page.blocks[index].node
        frames = (page.parents[at], page.parents[page.parents[at]])
        if _is_heading(page, index) and (index == start - 1 or parent in frames):
            return index
    return -1


def _hosts(page: Page, node: int) -> set[str]:
    links = (page.elements[n].get("href") or "" for n in range(node, page.ends[node]) if page.tags[n] == "a")
    return {href.split("/", 3)[2].lower() for href in links if href.startswith(("http://", "https://"))}


def _is_heading(page: Page, block: int) -> bool:
    node = page.blocks[block].node
    return page.tags[node] in HEADING_TAGS or page.tags[page.parents[node]] in HEADING_TAGS


def whole_lists(lists: list[TextList], kept: Mask, words: Numbers, link_density: Numbers) -> Mask:
    """Lists of references: a third of an encyclopedia article, though some gold texts leave them out (-0.002 on Chinese
    pages, all on one of them); lists of contents: -0.0004; the others change nothing but what the reader sees."""
    result = kept.copy()
    has_contents = False
    for found in lists:
        if len(found.items) < _MIN_ITEMS and not found.of_sources:
            continue
        is_contents = not has_contents and _is_contents(found, kept)
        has_contents = has_contents or is_contents
        # A list of sources may stand between others that are only kept here.
        around = result if found.of_sources else kept
        if is_contents or _belongs(found, around, words, link_density):
            result[found.items] = True
            if found.heading >= 0:
                result[found.heading] = True
    return result


def _belongs(found: TextList, kept: Mask, words: Numbers, link_density: Numbers) -> bool:
    if _is_cited(found, kept):
        return True
    if not mostly_kept(found.beside, kept, words):
        return False
    if found.of_sources:
        return True
    first, last = found.items.start, found.items.stop
    sizes = words[first:last]
    enclosed = first > 0 and last < len(kept) and bool(kept[first - 1] and kept[last])
    # Links to one site are its menu or its other stories; an author links to many.
    if float((link_density[first:last] * sizes).sum()) > _PROSE_LINKS * float(sizes.sum()):
        return enclosed and 2 * found.hosts > len(found.items)
    if len(found.items) > _MAX_ITEMS:
        return False
    return (enclosed and float(sizes.mean()) > _MIN_WORDS) or mostly_kept(list(found.items), kept, words)


def _is_cited(found: TextList, kept: Mask) -> bool:
    return int(kept[found.cited_by].sum()) >= _MIN_CITED


def _is_contents(found: TextList, kept: Mask) -> bool:
    """Most of its items lead to text below it that is kept."""
    if 2 * len(found.targets) <= len(found.items) or found.targets[0] < found.items.stop or _is_cited(found, kept):
        return False
    # The id is on the heading or right behind it, and a note ("Main article: …") may come first.
    return 2 * sum(bool(kept[max(0, to - 1) : to + _NEAR].any()) for to in found.targets) > len(found.targets)
