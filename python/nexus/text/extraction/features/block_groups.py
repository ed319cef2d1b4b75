"""What the network gathers for a block: its neighbours, the containers around it, the page, its template's blocks."""

from dataclasses import dataclass

import numpy as np

from nexus.text.extraction.features.context_features import BlockRanges
from nexus.text.extraction.features.element_features import Floats, Ints


@dataclass(frozen=True, slots=True)
class Groups:
    # [block, level]: the range of blocks in its page (level 0) or its container (level 1 and up).
    low: Ints
    high: Ints
    template: Ints  # numbered from 0
    by_template: Ints  # the blocks in the order of their templates
    template_starts: Ints  # where each template begins in that order

    @classmethod
    def of(cls, within: BlockRanges, template: Ints) -> "Groups":
        count = len(template)
        page = np.zeros((count, 1), dtype=np.int64)
        numbers = np.unique(template, return_inverse=True)[1]
        return cls.build(np.hstack([page, within.low]), np.hstack([page + count, within.high]), numbers)

    @classmethod
    def build(cls, low: Ints, high: Ints, template: Ints) -> "Groups":
        order = np.argsort(template, kind="stable")
        return cls(low, high, template, order, np.flatnonzero(np.diff(template[order], prepend=-1)))

    def beside(self, values: Floats, by: int) -> Floats:
        """The values `by` blocks earlier (or later, below 0); zero across the edge of a page."""
        out = np.zeros_like(values)
        here, there = (slice(by, None), slice(None, -by)) if by > 0 else (slice(None, by), slice(-by, None))
        same_page = self.low[here, 0] == self.low[there, 0]
        out[here] = values[there] * same_page[:, None]
        return out

    def of_level(self, values: Floats, level: int) -> Floats:
        low, high = self.low[:, level], self.high[:, level]
        running = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0, dtype=np.float64)])
        mean: Floats = ((running[high] - running[low]) / (high - low)[:, None]).astype(np.float32)
        return mean

    def of_template(self, values: Floats) -> Floats:
        totals = np.add.reduceat(values[self.by_template], self.template_starts, axis=0)
        sizes = np.diff(self.template_starts, append=len(values)).astype(np.float32)
        mean: Floats = (totals / sizes[:, None])[self.template].astype(np.float32, copy=False)
        return mean
