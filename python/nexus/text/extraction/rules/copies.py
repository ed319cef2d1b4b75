"""Texts that stand on a page twice: only the likeliest copy counts."""

import numpy as np

from nexus.text.extraction.features.element_features import Floats

_COPY_WORDS = 8
_CLEARLY_LIKELIER = 0.05
_SURE = 0.9
_FEW_COPIES = 2


def without_copies(texts: list[str], holders: list[int], probability: Floats, words: Floats) -> Floats:
    """Pages contain a text twice, once for wide screens and once for phones, or quote a post again under it. Copies
    side by side in one element stay: a refrain is not a second layout. So do one or two that the model is sure of: an
    author repeats a paragraph, a second layout repeats all of them."""
    result = probability.copy()
    best: dict[str, int] = {}
    dropped, sure = [], []
    for index in np.flatnonzero(words >= _COPY_WORDS).tolist():
        other = best.setdefault(texts[index], index)
        if other == index or holders[other] == holders[index]:
            continue
        worse = index
        if result[index] > result[other] + _CLEARLY_LIKELIER:
            best[texts[index]], worse = index, other
        dropped.append(worse)
        if min(probability[index], probability[other]) > _SURE:
            sure.append(worse)
    if len(dropped) > _FEW_COPIES:
        sure = []
    result[[index for index in dropped if index not in sure]] = 0.0
    return result
