"""The blocks beside a table or a list, and whether most of their words are kept."""

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.element_features import Mask

Numbers = npt.NDArray[np.float64] | npt.NDArray[np.float32]

_MAX_BESIDE = 50


def blocks_beside(page: Page, node: int, inside: range) -> list[int]:
    """The other blocks of the nearest ancestor that contains more than the element's: a run before, a run after."""
    blocks = page.blocks
    low, high = inside.start, inside.stop
    # Bounded: a page of five thousand sibling tables would otherwise list every block for each of them.
    lowest, highest = max(0, low - _MAX_BESIDE), min(len(blocks), high + _MAX_BESIDE)
    while node and (low, high) == (inside.start, inside.stop):
        node = page.parents[node]
        around = range(node, page.ends[node])
        while low > lowest and blocks[low - 1].node in around:
            low -= 1
        while high < highest and blocks[high].node in around:
            high += 1
    return [*range(low, inside.start), *range(inside.stop, high)]


def mostly_kept(blocks: list[int], kept: Mask, words: Numbers) -> bool:
    sizes = words[blocks]
    return float(sizes[kept[blocks]].sum()) > float(sizes.sum()) / 2
