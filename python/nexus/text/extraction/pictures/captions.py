"""Which blocks are the caption of a picture: a caption follows its picture, whatever the model thinks of it."""

from collections.abc import Callable

from nexus.text.extraction.blocks import BLOCK_TAGS, HEADING_TAGS, Page
from nexus.text.extraction.pictures.element_blocks import ElementBlocks
from nexus.text.extraction.pictures.element_names import ElementNames

_MAX_LEVELS = 6
_MAX_BLOCKS = 4
_MAX_WORDS = 120
_NOT_WRAPPERS = frozenset(("body", "main", "article", "section", "ul", "ol", "blockquote", "nav"))


def figure_around(page: Page, node: int) -> int:
    """The <figure> around a picture, or 0."""
    holder = page.parents[node]
    for _ in range(_MAX_LEVELS):
        if page.tags[holder] == "figure":
            return holder
        if not holder or page.tags[holder] in _NOT_WRAPPERS:
            return 0
        holder = page.parents[holder]
    return 0


def figure_caption(page: Page, ranges: ElementBlocks, names: ElementNames, figure: int) -> list[int]:
    """The blocks of its figcaption, also of one right after it; without one, those whose class says caption."""
    inside = ranges.inside(figure)
    if len(inside) > _MAX_BLOCKS * _MAX_LEVELS:
        return []
    after = page.ends[figure]
    follows = after < len(page.tags) and page.parents[after] == page.parents[figure]
    return (
        [i for i in inside if _any_ancestor(page, i, figure, lambda node: page.tags[node] == "figcaption")]
        or (list(ranges.inside(after)) if follows and page.tags[after] == "figcaption" else [])
        or [i for i in inside if _any_ancestor(page, i, figure, names.is_caption)]
    )


def captioned_wrapper(
    page: Page, ranges: ElementBlocks, names: ElementNames, node: int, count: Callable[[int], int]
) -> tuple[int, list[int]]:
    """For a picture or a <figure> without a <figcaption>: the nearest element that holds this picture alone and a short
    text which a class calls its caption (`wp-caption`, `thumbcaption`, a credit line), and that text's blocks. `count`
    says how many pictures an element holds."""
    holder = page.parents[node]
    own = count(node)
    for _ in range(_MAX_LEVELS):
        if not holder or page.tags[holder] in _NOT_WRAPPERS:
            break
        inside = ranges.inside(holder)
        if inside and page.tags[holder] in BLOCK_TAGS:
            if len(inside) > _MAX_BLOCKS or ranges.words(inside) > _MAX_WORDS or count(holder) > own:
                break
            caption = [i for i in inside if _any_ancestor(page, i, holder, names.is_caption)]
            if caption:
                return holder, caption
        holder = page.parents[holder]
    return 0, []


def _any_ancestor(page: Page, block: int, top: int, test: Callable[[int], bool]) -> bool:
    """Whether the test holds for the block's element or an ancestor up to `top`. A heading is no caption."""
    node = page.blocks[block].node
    if page.tags[node] in HEADING_TAGS:
        return False
    for _ in range(_MAX_LEVELS):
        if test(node):
            return True
        if node <= top:
            return False
        node = page.parents[node]
    return False
