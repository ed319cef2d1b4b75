"""For every element the range of blocks it contains, and how many of their words are kept."""

from bisect import bisect_right
from itertools import accumulate

from nexus.text.extraction.blocks import LINE_BREAK, Block, Page

_NEARLY_ALL = 0.9
_WORD_CHARS = 6


def text_place(page: Page, slot: int) -> float:
    """Where a slot's text stands among the numbered elements."""
    return page.ends[slot >> 1] - 0.5 if slot & 1 else slot >> 1


def _has_text(page: Page, slot: int) -> bool:
    if slot == LINE_BREAK:
        return False
    element = page.elements[slot >> 1]
    text = element.tail if slot & 1 else element.text
    return bool((text or "").strip())


def text_span(page: Page, block: Block) -> tuple[float, float]:
    """From its first word to its last: white space around a picture is no text."""
    first = next(slot for slot in block.slots if _has_text(page, slot))
    last = next(slot for slot in reversed(block.slots) if _has_text(page, slot))
    return text_place(page, first), text_place(page, last)


class ElementBlocks:
    def __init__(self, page: Page, kept: set[int]) -> None:
        self.page = page
        self.kept = kept
        self.spans = [text_span(page, block) for block in page.blocks]
        self._starts = [span[0] for span in self.spans]
        self.low = [0] * len(page.tags)
        self.size = [0] * len(page.tags)
        self._count_blocks()
        # By characters: some scripts have no spaces.
        words = [len(block.text) // _WORD_CHARS + 1 for block in page.blocks]
        self._words = [0, *accumulate(words)]
        self._kept_words = [0, *accumulate(w if i in kept else 0 for i, w in enumerate(words))]

    def _count_blocks(self) -> None:
        """A block belongs to the element it is the text of and to all around that; those of an element follow
        each other in the page."""
        first = [len(self.page.blocks)] * len(self.low)
        for index, block in enumerate(self.page.blocks):
            self.size[block.node] += 1
            first[block.node] = min(first[block.node], index)
        for node in range(len(first) - 1, 0, -1):
            parent = self.page.parents[node]
            self.size[parent] += self.size[node]
            first[parent] = min(first[parent], first[node])
        self.low = first

    def inside(self, node: int) -> range:
        return range(self.low[node], self.low[node] + self.size[node]) if self.size[node] else range(0)

    def words(self, blocks: range) -> int:
        return self._words[blocks.stop] - self._words[blocks.start]

    def kept_words(self, blocks: range) -> int:
        return self._kept_words[blocks.stop] - self._kept_words[blocks.start]

    def kept_root(self) -> int:
        """The innermost element with nearly all kept words."""
        least = _NEARLY_ALL * self._kept_words[-1]
        enough = (
            n for n in range(len(self.size) - 1, -1, -1) if self.size[n] and self.kept_words(self.inside(n)) > least
        )
        return next(enough, 0)

    def before(self, node: int) -> int:
        """The last block that begins before the element; -1 if there is none."""
        return bisect_right(self._starts, node) - 1

    def around(self, node: int) -> int:
        """The block in whose line the element stands, or -1."""
        index = self.before(node)
        # The text of the element itself or of its parent begins where the element does.
        return index if index >= 0 and self.spans[index][0] < node < self.spans[index][1] else -1
