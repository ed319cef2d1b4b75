"""Weights of the words around a block, fitted together: a logistic regression on its tokens."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.features.element_features import Floats

_STEPS = 60
_RATE = 0.06
_SHRINK = 5e-4
_MIN_SITES = 6
_MIN_WEIGHT = 0.01


def common_tokens(pages: Iterable[tuple[str, list[list[str]]]]) -> dict[str, int]:
    """Tokens met on enough sites, each with its column."""
    sites: dict[str, set[str]] = defaultdict(set)
    for site, blocks in pages:
        for token in {t for tokens in blocks for t in tokens}:
            sites[token].add(site)
    return {t: i for i, t in enumerate(sorted(t for t, s in sites.items() if len(s) >= _MIN_SITES))}


def token_rows(blocks: list[list[str]], columns: dict[str, int]) -> list[npt.NDArray[np.int32]]:
    return [np.array([columns[t] for t in tokens if t in columns], dtype=np.int32) for tokens in blocks]


def fit_weights(rows: list[npt.NDArray[np.int32]], labels: Floats, weights: Floats, size: int) -> Floats:
    """Full-batch Adam: no sampling, so the same rows give the same weights. The last one is the constant."""
    lengths = np.array([len(r) for r in rows])
    columns = np.concatenate(rows)
    owner = np.repeat(np.arange(len(rows)), lengths)
    share = weights / weights.sum()
    theta, first, second = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size + 1)
    for step in range(1, _STEPS + 1):
        raw = np.bincount(owner, theta[columns], minlength=len(rows)) + theta[-1]
        error = share * (1 / (1 + np.exp(-raw)) - labels)
        slope = np.append(np.bincount(columns, error[owner], minlength=size), error.sum())
        slope[:-1] += _SHRINK * theta[:-1]
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        rate = _RATE * (1 - step / (_STEPS + 1)) * np.sqrt(1 - 0.99**step) / (1 - 0.9**step)
        theta -= rate * first / (np.sqrt(second) + 1e-7)
    return theta.astype(np.float32)


def named_weights(theta: Floats, columns: dict[str, int]) -> dict[str, float]:
    named = {t: round(float(theta[i]), 3) for t, i in columns.items()}
    return {"": round(float(theta[-1]), 3), **{t: w for t, w in named.items() if abs(w) >= _MIN_WEIGHT}}
