"""Features of a block's context: the containers around it, its neighbours, the blocks of the same template."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.element_features import Floats, Ints

_LEVELS = 5
_REACH = 3
_WINDOWS = (4, 12)
_MIN_TITLE = 3


@dataclass(frozen=True, slots=True)
class BlockRanges:
    """Ranges of blocks: [low, high)."""

    low: Ints
    high: Ints

    def sums(self, values: Floats) -> Floats:
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        total: Floats = (running[self.high] - running[self.low]).astype(np.float32)
        return total


def find_subtrees(page: Page) -> BlockRanges:
    """For each element the blocks below it."""
    count = len(page.elements)
    low, size = [len(page.blocks)] * count, [0] * count
    for index, block in enumerate(page.blocks):
        low[block.node] = min(low[block.node], index)
        size[block.node] += 1
    parents = page.parents
    for i in range(count - 1, 0, -1):
        up = parents[i]
        size[up] += size[i]
        low[up] = min(low[up], low[i])
    first = np.array(low, dtype=np.int64)
    return BlockRanges(first, first + np.array(size, dtype=np.int64))


def find_containers(page: Page, below: BlockRanges) -> BlockRanges:
    """For each block and level the blocks of its container. An ancestor that contains no more blocks than the element
    inside it is a wrapper, not a level."""
    parents, size = page.parents, (below.high - below.low).tolist()
    above = [0] * len(parents)
    for i in range(1, len(parents)):
        up = parents[i]
        above[i] = up if size[up] > size[i] else above[up]
    step = np.array(above, dtype=np.int64)
    node = np.array([b.node for b in page.blocks], dtype=np.int64)
    levels = []
    for _ in range(_LEVELS):
        node = step[node]
        levels.append(node)
    chain = np.stack(levels, axis=1)
    return BlockRanges(below.low[chain], below.high[chain])


def container_features(within: BlockRanges, words: Floats, links: Floats, is_p: Floats, is_heading: Floats) -> Floats:
    inside = np.maximum(within.sums(words), 1.0)
    blocks = (within.high - within.low).astype(np.float32)
    before = np.concatenate([[0.0], np.cumsum(words, dtype=np.float64)])[:-1]
    parts = [
        inside,
        within.sums(links) / inside,
        within.sums(words * is_p) / inside,
        within.sums(is_heading),
        blocks,
        inside / max(1.0, float(words.sum())),
        words[:, None] / inside,
        inside / blocks,
        (before[:, None] - before[within.low]) / inside,
    ]
    return np.concatenate(parts, axis=1, dtype=np.float32)


def shifted(values: Floats, by: int, fill: float = -1.0) -> Floats:
    out = np.full_like(values, fill)
    if by > 0:
        out[by:] = values[:-by]
    else:
        out[:by] = values[-by:]
    return out


def window_mean(values: Floats, reach: int) -> Floats:
    running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    index = np.arange(len(values))
    low, high = np.maximum(index - reach, 0), np.minimum(index + reach + 1, len(values))
    mean: Floats = ((running[high] - running[low]) / (high - low)).astype(np.float32)
    return mean


def neighbour_features(own: Floats, near: Floats, signatures: Ints) -> Floats:
    # Columns of OWN_NAMES: tag_code, words, ends_sentence, link_density, word_score_mean.
    tag_code, words, ends, density, speech = (own[:, i] for i in (10, 12, 16, 20, 33))
    count = len(own)
    position = np.arange(count, dtype=np.float32)
    total = max(1.0, float(words.sum()))
    columns: list[Any] = [
        position,
        position / count,
        (np.cumsum(words) - words) / total,
        count - position,
    ]
    signature = signatures.astype(np.float32)
    for by in (*range(1, _REACH + 1), *range(-_REACH, 0)):
        columns += [
            shifted(words, by),
            shifted(density, by),
            shifted(tag_code, by),
            shifted(ends, by),
            shifted(near, by, 0.0),
            (shifted(signature, by) == signature).astype(np.float32),
        ]
    for reach in _WINDOWS:
        columns += [
            window_mean(words, reach),
            window_mean(density, reach),
            window_mean(words * density, reach),
            window_mean(near, reach),
            window_mean(speech, reach),
            window_mean((tag_code == 1).astype(np.float32), reach),
        ]
    heading_one = np.flatnonzero(own[:, 2] == 1)
    first = float(heading_one[0]) if len(heading_one) else -1.0
    columns.append((position - first if first >= 0 else np.full(count, -999.0)).astype(np.float32))
    columns.append(np.full(count, float(len(heading_one)), dtype=np.float32))
    return np.stack(columns, axis=1).astype(np.float32)


def template_features(group: Ints, words: Floats, link_words: Floats) -> Floats:
    """Blocks with the same tag-and-class path come from one template: each gets the totals of all."""
    size = np.bincount(group).astype(np.float32)
    group_words = np.bincount(group, weights=words).astype(np.float32)
    group_links = np.bincount(group, weights=link_words).astype(np.float32)
    total = max(1.0, float(words.sum()))
    mean_words = group_words / np.maximum(size, 1.0)
    density = group_links / np.maximum(group_words, 1.0)
    columns = [size[group], group_words[group] / total, mean_words[group], density[group]]
    return np.stack(columns, axis=1).astype(np.float32)


def teaser_features(group: Ints, words: Floats, link_density: Floats) -> Floats:
    """A teaser is a paragraph after a heading that is a link, and there are several of one template."""
    linked = np.where(words >= _MIN_TITLE, link_density, 0)
    after_link = shifted(linked, 1, 0.0)
    size = np.bincount(group).astype(np.float32)
    share = (np.bincount(group, weights=after_link) / np.maximum(size, 1.0)).astype(np.float32)
    columns = [after_link, share[group], np.where(size[group] > 1, share[group], 0)]
    return np.stack(columns, axis=1).astype(np.float32)
