"""From probabilities to the blocks that are kept."""

import numpy as np
import numpy.typing as npt

from nexus.services.extraction.nodes import Floats

Mask = npt.NDArray[np.bool_]


def best_expected_f1(probability: Floats, words: Floats) -> Mask:
    """The set of blocks with the highest expected word F1. Against a fixed threshold of 0.5 this is worth
    +0.008 over all page types and +0.07 on collections and listings, where every block is uncertain."""
    order = np.argsort(-probability, kind="stable")
    hits = np.cumsum((probability * words)[order])
    expected = 2 * hits / (np.cumsum(words[order]) + hits[-1] + 1e-9)
    kept = np.zeros(len(words), dtype=np.bool_)
    kept[order[: int(expected.argmax()) + 1]] = True
    return kept
