"""Features of where the article ends: what a block comes after, and which headings it stands under."""

from typing import Any

import numpy as np

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.context_features import BlockRanges
from nexus.text.extraction.features.element_features import Floats, Ints
from nexus.text.extraction.features.naming_words import COMMENTS, KINDS, RELATED, named_kind

_FAR = 10_000.0
_MAJORITY_SHARE = 0.5
_HEADLINE_WORDS = 4
_BYLINE_REACH = 3


def boundary_features(
    page: Page, within: BlockRanges, words: Floats, heading_level: Floats, has_date: Floats, title_cover: Floats
) -> Floats:
    kinds = np.array([named_kind(b.text) for b in page.blocks], dtype=np.int64)
    before = (np.cumsum(words, dtype=np.float64) - words).astype(np.float32)
    columns = [
        *_naming_columns(kinds, before),
        *_under_columns(kinds, within, words, heading_level),
        *_headline_columns(words, before, heading_level, has_date, title_cover),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def _last(flags: Ints) -> Ints:
    """The index of the last flagged block before each one, or -1."""
    at = np.where(flags > 0, np.arange(len(flags)), -1)
    return np.maximum.accumulate(np.concatenate([[-1], at[:-1]]))


def _since(flags: Ints, before: Floats) -> list[Any]:
    last = _last(flags)
    blocks = np.where(last >= 0, np.arange(len(flags)) - last, _FAR)
    return [blocks, np.where(last >= 0, before - before[last], _FAR)]


def _naming_columns(kinds: Ints, before: Floats) -> list[Any]:
    last = _last(kinds)
    ahead = _last(kinds[::-1])[::-1]
    count = len(kinds)
    following = np.where(ahead >= 0, count - 1 - ahead, -1)
    return [
        kinds,
        *_since(kinds, before),
        *_since(kinds == RELATED, before),
        *_since(kinds == COMMENTS, before),
        np.where(last >= 0, kinds[last], 0),
        np.cumsum(kinds > 0) - (kinds > 0),
        np.where(following >= 0, following - np.arange(count), _FAR),
    ]


def _under_columns(kinds: Ints, within: BlockRanges, words: Floats, heading_level: Floats) -> list[Any]:
    """Whether a naming text stands before the block in its container, and under which naming heading it stands."""
    count, total = len(kinds), max(1.0, float(words.sum()))
    running = np.concatenate([[0.0], np.cumsum(words, dtype=np.float64)])
    held = [np.zeros(count) for _ in range(len(KINDS) + 1)]
    for index in np.flatnonzero(kinds).tolist():
        low, high = int(within.low[index, 0]), int(within.high[index, 0])
        if running[high] - running[low] < _MAJORITY_SHARE * total:
            held[kinds[index]][index + 1 : high] = 1
    is_heading = (heading_level > 0).astype(np.int64)
    heading = _last(is_heading)
    return [*held[1:], np.where(heading >= 0, kinds[heading], 0)]


def _headline_columns(
    words: Floats, before: Floats, heading_level: Floats, has_date: Floats, title_cover: Floats
) -> list[Any]:
    """A heading that a date follows begins an article; the one that the title names begins the article."""
    count = len(words)
    is_heading = heading_level > 0
    dated = np.zeros(count, dtype=bool)
    for by in range(1, _BYLINE_REACH + 1):
        dated[:-by] |= has_date[by:] > 0
    begins = (is_heading & dated & (words >= _HEADLINE_WORDS)).astype(np.int64)
    covers = np.where(is_heading, title_cover, 0)
    title = int(covers.argmax()) if covers.max(initial=0) > 0 else 0
    at = np.arange(count)
    return [
        begins,
        np.cumsum(begins) - begins,
        *_since(begins, before),
        at - title,
        before - before[title],
        np.full(count, float(covers[title])),
    ]
