"""Which blocks of a page make up its gold text: an in-order alignment of their words with the gold's."""

import re
from collections import defaultdict

# A character of a script without spaces is a word: else a block would have to match a whole line of the gold text.
_WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")
_MAX_PLACES = 12
_SHORT = 4
_REORDERED = 10


class _Gold:
    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        self.line_start: set[int] = set()
        self.line_end: set[int] = set()
        for line in text.lower().splitlines():
            found = _WORD.findall(line)
            if found:
                self.line_start.add(len(self.words))
                self.words += found
                self.line_end.add(len(self.words))
        self.singles: dict[str, list[int]] = defaultdict(list)
        self.triples: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i, word in enumerate(self.words):
            self.singles[word].append(i)
            if i + 3 <= len(self.words):
                self.triples[tuple(self.words[i : i + 3])].append(i)

    def places(self, words: list[str]) -> list[int]:
        """Where the whole block stands in the gold; a short one must also begin and end where a line does."""
        size = len(words)
        starts = self.triples.get(tuple(words[:3]), []) if size >= 3 else self.singles.get(words[0], [])  # noqa: PLR2004
        found = [s for s in starts if self.words[s : s + size] == words]
        if size <= _SHORT:
            found = [s for s in found if s in self.line_start and s + size in self.line_end]
        return found[:_MAX_PLACES]

    def coverage(self, words: list[str]) -> float:
        if len(words) < 3:  # noqa: PLR2004
            return 0.0
        grams = [tuple(words[i : i + 3]) for i in range(len(words) - 2)]
        return sum(g in self.triples for g in grams) / len(grams)


class _PrefixMax:
    """Fenwick tree: the best chain that ends at or before a gold position."""

    def __init__(self, size: int) -> None:
        self.best: list[tuple[float, int]] = [(0.0, -1)] * (size + 1)

    def query(self, end: int) -> tuple[float, int]:
        best = (0.0, -1)
        while end > 0:
            best = max(best, self.best[end])
            end -= end & -end
        return best

    def update(self, end: int, value: tuple[float, int]) -> None:
        while end < len(self.best):
            self.best[end] = max(self.best[end], value)
            end += end & -end


def _best_chain(blocks: list[list[str]], gold: _Gold) -> dict[int, int]:
    """The heaviest set of blocks that occur in the gold in the same order without overlapping, and where."""
    tree = _PrefixMax(len(gold.words))
    links: list[tuple[int, int, int]] = []
    for index, words in enumerate(blocks):
        updates = []
        for start in gold.places(words) if words else []:
            weight, previous = tree.query(start)
            links.append((index, start, previous))
            updates.append((start + len(words), (weight + len(words) + 0.1, len(links) - 1)))
        for end, value in updates:
            tree.update(end, value)
    chosen: dict[int, int] = {}
    link = tree.query(len(gold.words))[1]
    while link >= 0:
        index, start, link = links[link]
        chosen[index] = start
    return chosen


def _grow(chosen: dict[int, int], blocks: list[list[str]], gold: _Gold) -> None:
    """A short block inside a gold line ("4.7 out of 5", "$22.40") counts when the gold goes on with it right
    where a chosen neighbour ends or begins: gold texts of shops write a whole card on one line. Ceiling of the
    labels: 0.968 to 0.975, collections 0.917 to 0.935 (with the break between touching links)."""
    covered = [False] * len(gold.words)
    for index, start in chosen.items():
        covered[start : start + len(blocks[index])] = [True] * len(blocks[index])
    for step in (1, -1):
        for index in sorted(chosen, reverse=step < 0):
            here, beside = index, index + step
            while 0 <= beside < len(blocks) and beside not in chosen:
                size = len(blocks[beside])
                start = chosen[here] + len(blocks[here]) if step > 0 else chosen[here] - size
                end = start + size
                if start < 0 or gold.words[start:end] != blocks[beside] or any(covered[start:end]):
                    break
                chosen[beside] = start
                covered[start:end] = [True] * size
                here, beside = beside, beside + step


def label_blocks(texts: list[str], gold_text: str) -> list[float]:
    """The share of each block that belongs to the gold text, 0 to 1."""
    gold = _Gold(gold_text)
    blocks = [_WORD.findall(t.lower()) for t in texts]
    chosen = _best_chain(blocks, gold)
    _grow(chosen, blocks, gold)
    taken = {texts[i] for i in chosen}
    labels = []
    for i, words in enumerate(blocks):
        share = 1.0 if i in chosen else 0.0
        if i not in chosen and len(words) > _SHORT and texts[i] not in taken:
            share = gold.coverage(words)
            if share > 0.5 and len(words) >= _REORDERED:  # noqa: PLR2004
                taken.add(texts[i])
        labels.append(share)
    return labels
