"""Features a block takes from where it stands: the containers around it, its neighbours, its look-alikes."""

import numpy as np

from nexus.services.extraction.blocks import Page
from nexus.services.extraction.nodes import Floats, Ints, NodeTable

_LEVELS = 5
_REACH = 3
_WINDOWS = (4, 12)


def _subtree_sums(page: Page, at: Ints, values: Floats) -> Floats:
    """Subtrees are ranges in document order, so a sum over one is a difference of running totals."""
    per_node = np.bincount(at, weights=values, minlength=len(page.elements))
    running = np.concatenate([[0.0], np.cumsum(per_node)])
    sums: Floats = (running[np.array(page.ends)] - running[: len(page.elements)]).astype(np.float32)
    return sums


def growing_ancestors(page: Page, blocks_in: Floats) -> Ints:
    """For each element the nearest ancestor that holds more blocks: wrappers around the same text are one level."""
    counts = blocks_in.tolist()
    up = [0] * len(counts)
    for i, parent in enumerate(page.parents):
        up[i] = parent if counts[parent] > counts[i] else up[parent]
    return np.array(up, dtype=np.int64)


def container_features(
    page: Page, at: Ints, words: Floats, link_words: Floats, is_p: Floats, is_heading: Floats
) -> Floats:
    ones = np.ones(len(at), dtype=np.float32)
    sums = [_subtree_sums(page, at, v) for v in (words, link_words, words * is_p, is_heading, ones)]
    words_in, links_in, p_words_in, headings_in, blocks_in = sums
    up = growing_ancestors(page, blocks_in)
    order = np.arange(len(at))
    columns: list[Floats] = []
    total = max(1.0, float(words.sum()))
    before = np.concatenate([[0.0], np.cumsum(words)])[:-1]
    node = at
    for _ in range(_LEVELS):
        node = up[node]
        inside = np.maximum(words_in[node], 1.0)
        first = np.full(len(page.elements), len(at))
        np.minimum.at(first, node, order)
        offset = before - before[np.minimum(first[node], len(at) - 1)]
        columns += [
            words_in[node],
            links_in[node] / inside,
            p_words_in[node] / inside,
            headings_in[node],
            blocks_in[node],
            inside / total,
            words / inside,
            inside / np.maximum(blocks_in[node], 1.0),
            (offset / inside).astype(np.float32),
        ]
    return np.stack(columns, axis=1).astype(np.float32)


def _shifted(values: Floats, by: int, fill: float = -1.0) -> Floats:
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


def neighbour_features(own: Floats, nodes: NodeTable, at: Ints) -> Floats:
    # Columns of OWN_NAMES: tag_code, words, ends_sentence, link_density, word_score_mean.
    tag_code, words, ends, density, speech = (own[:, i] for i in (10, 12, 16, 20, 33))
    count = len(own)
    position = np.arange(count, dtype=np.float32)
    total = max(1.0, float(words.sum()))
    columns = [
        position,
        position / count,
        (np.cumsum(words) - words) / total,
        count - position,
    ]
    near = nodes.near_score[at]
    signature = np.array([nodes.signature[n] for n in at], dtype=np.float32)
    for by in (*range(1, _REACH + 1), *range(-_REACH, 0)):
        columns += [
            _shifted(words, by),
            _shifted(density, by),
            _shifted(tag_code, by),
            _shifted(ends, by),
            _shifted(near, by, 0.0),
            (_shifted(signature, by) == signature).astype(np.float32),
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
    columns += [position - first if first >= 0 else np.full(count, -999.0, np.float32)]
    columns += [np.full(count, float(len(heading_one)), dtype=np.float32)]
    return np.stack(columns, axis=1).astype(np.float32)


def template_features(signatures: list[int], words: Floats, link_words: Floats) -> Floats:
    """Blocks on the same tag-and-class path were made by the same template: their totals speak for each of them."""
    group = np.array(signatures, dtype=np.int64)
    size = np.bincount(group).astype(np.float32)
    group_words = np.bincount(group, weights=words).astype(np.float32)
    group_links = np.bincount(group, weights=link_words).astype(np.float32)
    total = max(1.0, float(words.sum()))
    mean_words = group_words / np.maximum(size, 1.0)
    density = group_links / np.maximum(group_words, 1.0)
    columns = [size[group], group_words[group] / total, mean_words[group], density[group]]
    return np.stack(columns, axis=1).astype(np.float32)
