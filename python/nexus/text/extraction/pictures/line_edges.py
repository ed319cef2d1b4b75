"""The line that a picture begins or ends: no word is on its other side."""

from functools import cached_property
from itertools import accumulate

from nexus.text.extraction.blocks import BLOCK_TAGS, Page
from nexus.text.extraction.pictures.element_blocks import ElementBlocks


class LineEdges:
    def __init__(self, page: Page, ranges: ElementBlocks) -> None:
        self._page = page
        self._ranges = ranges

    @cached_property
    def _breaks(self) -> list[int]:
        """How many elements before each begin a new line."""
        starts = (tag == "br" or tag in BLOCK_TAGS for tag in self._page.tags)
        return list(accumulate(starts, initial=0))

    def beside(self, node: int, holder: int) -> int:
        """The block of the same holder right before or after the element, or -1."""
        before = self._ranges.before(node)
        after = before + 1
        ends_line = self._is_of(before, holder)
        if ends_line and not self._break_between(self._after(self._ranges.spans[before][1]), node):
            return before
        if self._is_of(after, holder) and not self._break_between(node + 1, self._after(self._ranges.spans[after][0])):
            return after
        return before if ends_line else -1  # on a line of its own

    def _is_of(self, block: int, holder: int) -> bool:
        return 0 <= block < len(self._page.blocks) and self._page.blocks[block].node == holder

    def _break_between(self, first: int, end: int) -> bool:
        return self._breaks[end] > self._breaks[first]

    @staticmethod
    def _after(place: float) -> int:
        """The first element after a place of text."""
        return int(place) + 1
