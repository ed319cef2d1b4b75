"""Features of where a block is: in or near the part of the page that has most of its prose."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.context_features import BlockRanges
from nexus.text.extraction.features.element_features import Floats, Ints, Mask

_MAX_LEVELS = 8
_PARENT_SHARES = (1.0, 0.5, 1 / 6, 1 / 9, 1 / 12)
_MIN_CHARS = 25
_MIN_PROSE = 12
_LONG_PROSE = 30
_PROSE_LINKS = 0.3
_CORE_SHARES = (0.55, 0.8)
_SHORT_BLOCK = 4.0
_NOT_PROSE = 0.8


@dataclass(frozen=True, slots=True)
class ProseMeasures:
    """Per block, what tells prose from the rest."""

    words: Floats
    chars: Floats  # those of scripts without spaces count more
    clauses: Floats
    link_density: Floats
    ends_sentence: Floats
    is_heading: Floats

    @property
    def is_prose(self) -> Mask:
        sentence = (self.words >= _MIN_PROSE) & (self.ends_sentence > 0) | (self.words >= _LONG_PROSE)
        result: Mask = sentence & (self.link_density < _PROSE_LINKS) & (self.is_heading == 0)
        return result


def prose_features(page: Page, below: BlockRanges, prose: ProseMeasures) -> Floats:
    prose_words = np.where(prose.is_prose, prose.words, 0).astype(np.float32)
    columns = [
        *_candidate_columns(page, below, prose),
        *_core_columns(page, below, prose.words, prose_words),
        *_run_columns(prose.words, prose_words),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _paragraph_scores(prose: ProseMeasures) -> Floats:
    score = (1 + prose.clauses + np.minimum(prose.chars / 100, 3)) * (1 - prose.link_density)
    result: Floats = np.where((prose.chars >= _MIN_CHARS) & (prose.is_heading == 0), score, 0).astype(np.float32)
    return result


def _element_scores(page: Page, below: BlockRanges, prose: ProseMeasures) -> Floats:
    """Each paragraph adds its score to the elements that contain it, a smaller share to the outer ones."""
    parents = np.array(page.parents, dtype=np.int64)
    node = np.array([b.node for b in page.blocks], dtype=np.int64)
    # Paragraphs that are separated only by line breaks share an element, which is then their container.
    shared = np.bincount(node, minlength=len(parents))[node] > 1
    at, scores = np.where(shared, node, parents[node]), _paragraph_scores(prose)
    total = np.zeros(len(parents), dtype=np.float64)
    for share in _PARENT_SHARES:
        total += np.bincount(at, weights=np.where(at > 0, scores * share, 0), minlength=len(parents))
        at = parents[at]
    words = np.maximum(below.sums(prose.words), 1.0)
    links = below.sums(prose.words * prose.link_density)
    result: Floats = (total * (1 - np.minimum(1.0, links / words))).astype(np.float32)
    return result


def _levels_up(page: Page, below: BlockRanges, node: int, count: int) -> Floats:
    """How many levels above `node` the first element is that contains the block."""
    levels = np.full(count, float(_MAX_LEVELS + 1), dtype=np.float32)
    for level in range(_MAX_LEVELS + 1):
        inside = slice(int(below.low[node]), int(below.high[node]))
        levels[inside] = np.minimum(levels[inside], level)
        if not node:
            break
        node = page.parents[node]
    return levels


def _distance(low: int, high: int, count: int) -> Ints:
    """Blocks between a block and a range: below 0 before it, 0 inside, above 0 after it."""
    at = np.arange(count)
    return np.where(at < low, at - low, np.maximum(at - high + 1, 0))


def _best_above(page: Page, scores: Floats) -> Floats:
    best = scores.tolist()
    for node, up in enumerate(page.parents):
        best[node] = max(best[node], best[up])
    return np.array([best[b.node] for b in page.blocks], dtype=np.float32)


def _candidate_columns(page: Page, below: BlockRanges, prose: ProseMeasures) -> list[Any]:
    scores = _element_scores(page, below, prose)
    count, top = len(page.blocks), int(scores.argmax())
    best = max(float(scores[top]), 1e-6)
    low, high = int(below.low[top]), int(below.high[top])
    apart = (below.high <= low) | (below.low >= high)
    second = int(np.where(apart, scores, 0).argmax())
    words = max(1.0, float(prose.words.sum()))
    distance = _distance(low, high, count)
    return [
        _levels_up(page, below, top, count),
        distance,
        distance == 0,
        _best_above(page, scores) / best,
        _distance(int(below.low[second]), int(below.high[second]), count),
        np.full(count, float(scores[second]) * bool(apart[second]) / best),
        np.full(count, best),
        np.full(count, float(prose.words[low:high].sum()) / words),
    ]


def _core_columns(page: Page, below: BlockRanges, words: Floats, prose_words: Floats) -> list[Any]:
    """The smallest elements that hold a bit more than half, and most, of the prose."""
    held, total = below.sums(prose_words), float(prose_words.sum())
    sizes, count = below.sums(words), len(words)
    columns: list[Any] = []
    for share in _CORE_SHARES:
        core = int(np.flatnonzero(held >= share * total)[-1]) if total else 0
        levels = _levels_up(page, below, core, count)
        gained, larger = np.ones(count), np.ones(count)
        node = core
        for level in range(_MAX_LEVELS + 1):
            at = levels == level
            gained[at] = held[node] / max(1.0, float(held[core]))
            larger[at] = sizes[node] / max(1.0, float(sizes[core]))
            node = page.parents[node]
        distance = _distance(int(below.low[core]), int(below.high[core]), count)
        columns += [levels, distance, gained, larger]
    columns += [np.full(count, total), np.full(count, total / max(1.0, float(words.sum())))]
    return columns


def _run_columns(words: Floats, prose_words: Floats) -> list[Any]:
    """The stretch of blocks with most prose and least else in it."""
    count = len(words)
    gain = np.where(prose_words > 0, words, -_NOT_PROSE * words - _SHORT_BLOCK)
    running = np.concatenate([[0.0], np.cumsum(gain, dtype=np.float64)])
    end = int(np.argmax(running - np.minimum.accumulate(running)))
    start = int(np.argmin(running[: end + 1]))
    distance = _distance(start, max(end, start + 1), count)
    total = max(1.0, float(prose_words.sum()))
    after = np.cumsum(prose_words) - prose_words
    at = np.arange(count)
    gap = np.where(prose_words > 0, at, -1)
    before = np.maximum.accumulate(np.concatenate([[-1], gap[:-1]]))
    following = np.where(prose_words > 0, at, count)[::-1]
    next_prose = np.minimum.accumulate(np.concatenate([[count], following[:-1]]))[::-1]
    return [
        distance,
        at - start,
        end - at,
        np.full(count, float(prose_words[start:end].sum()) / total),
        after / total,
        at - before,
        next_prose - at,
    ]
