"""One score per block from the words around it: class names above it, its own words, the heading above it.

Fitted together, so that "product" in a class name may mean one thing and "product" in a heading another. As
features of the block model: +0.0036 over all page types, +0.015 on products, +0.02 on listings, +0.002 on articles
(before the labels were corrected, with a regression fitted by stochastic descent).
"""

from typing import Any

import numpy as np

from nexus.text.extraction.blocks import HEADING_TAGS, Page
from nexus.text.extraction.features.context_features import shifted, window_mean
from nexus.text.extraction.features.element_features import Floats
from nexus.text.extraction.features.lexicon import class_tokens, naming, text_tokens

_ABOVE, _NEAR, _TEXT, _HEADING = "a:", "n:", "t:", "h:"
_HEADING_WORDS = 12
_MAX_LEVELS = 200


class _PathTokens:
    """Per element its own tokens and those of the whole path, each token once."""

    def __init__(self, page: Page) -> None:
        self.page = page
        known: dict[str, list[str]] = {}
        self.own: list[list[str]] = []
        for tag, element in zip(page.tags, page.elements, strict=True):
            names = naming(element)
            key = f"{tag} {names}"
            if key not in known:
                known[key] = ["<" + tag, *class_tokens(names)]
            self.own.append(known[key])
        self.cache: dict[int, list[str]] = {}

    def of(self, node: int) -> list[str]:
        found = self.cache.get(node)
        if found is None:
            parents, own = self.page.parents, self.own
            near = dict.fromkeys(own[node] + (own[parents[node]] if parents[node] else [])) if node else {}
            above: dict[str, None] = {}
            at, levels = node, 0
            while at and levels < _MAX_LEVELS:
                above.update(dict.fromkeys(own[at]))
                at, levels = parents[at], levels + 1
            found = self.cache[node] = [_NEAR + t for t in near] + [_ABOVE + t for t in above]
        return found


def block_tokens(page: Page) -> list[tuple[list[str], list[str]]]:
    """For each block the tokens of its path, which blocks of one element share, and those of its text."""
    paths = _PathTokens(page)
    heading: list[str] = []
    found = []
    for block in page.blocks:
        words = text_tokens(block.text)
        found.append((paths.of(block.node), [_TEXT + w for w in words] + heading))
        if page.tags[block.node] in HEADING_TAGS:
            heading = [_HEADING + w for w in words[:_HEADING_WORDS]]
    return found


def token_scores(page: Page, weights: dict[str, float]) -> Floats:
    """`weights` holds the constant under the empty name."""
    paths: dict[int, float] = {}
    scores = []
    constant = weights.get("", 0.0)
    for block, (path, text) in zip(page.blocks, block_tokens(page), strict=True):
        if block.node not in paths:
            paths[block.node] = sum(weights.get(t, 0.0) for t in path)
        scores.append(constant + paths[block.node] + sum(weights.get(t, 0.0) for t in text))
    return np.array(scores, dtype=np.float32)


def token_features(scores: Floats, words: Floats) -> Floats:
    """The score, the scores around it, and the run of blocks that would be kept by this score alone."""
    count = len(scores)
    likely = (1 / (1 + np.exp(-np.clip(scores, -30, 30)))).astype(np.float32)
    running = np.concatenate([[0.0], np.cumsum(words * (likely - 0.5), dtype=np.float64)])
    end = int(np.argmax(running - np.minimum.accumulate(running)))
    start = int(np.argmin(running[: end + 1]))
    position = np.arange(count, dtype=np.float32)
    columns: list[Any] = [
        scores,
        shifted(scores, 1, 0.0),
        shifted(scores, -1, 0.0),
        window_mean(scores, 2),
        window_mean(scores, 6),
        window_mean(likely * words, 12) / np.maximum(window_mean(words, 12), 1e-6),
        (position >= start) & (position < end),
        position - start,
        end - position,
        np.full(count, float((likely * words).sum()) / max(1.0, float(words.sum()))),
        np.argsort(np.argsort(-scores, kind="stable"), kind="stable") / count,
    ]
    return np.stack(columns, axis=1).astype(np.float32)
