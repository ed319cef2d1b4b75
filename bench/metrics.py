"""How close a text is to what was wanted: the three measures of the public collections, and their means.

words     Case-folded bag of words; precision, recall and F1 are means over the pages (WCXB).
shingle   Runs of four words, case kept. Precision and recall are means over the pages, F1 is the harmonic mean of
          those two; a page without any text has no precision.
snippets  Sentences that must and must not be in the text, counted over all pages (trafilatura's evaluation).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

WORD = re.compile(r"\w+")
_RUN = 4


@dataclass(frozen=True, slots=True)
class PageScore:
    """The score of one page. Pages are sorted by `f1`; the means are made from the rest."""

    precision: float | None
    recall: float | None
    f1: float
    found: int = 0
    wanted: int = 0
    unwanted_found: int = 0


def harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def word_f1(gold: str, predicted: str) -> tuple[float, float, float]:
    """Precision, recall, F1 of one page."""
    want, got = Counter(WORD.findall(gold.lower())), Counter(WORD.findall(predicted.lower()))
    if not want:
        return (0.0, 0.0, 0.0) if got else (1.0, 1.0, 1.0)
    hit = (want & got).total()
    precision, recall = (hit / got.total() if got else 0.0), hit / want.total()
    return precision, recall, harmonic(precision, recall)


def _runs(text: str) -> Counter[tuple[str, ...]]:
    """A text of fewer than four words is one run. Without spaces, all between two punctuation marks is one word."""
    words = WORD.findall(text)
    return Counter(tuple(words[i : i + _RUN]) for i in range(max(1, len(words) - _RUN + 1))) if words else Counter()


def words_score(gold: str, predicted: str) -> PageScore:
    return PageScore(*word_f1(gold, predicted))


def shingle_score(gold: str, predicted: str) -> PageScore:
    want, got = _runs(gold), _runs(predicted)
    hit = (want & got).total()
    precision = hit / got.total() if got else None
    recall = hit / want.total() if want else None
    return PageScore(precision, recall, harmonic(precision or 0.0, recall or 0.0))


def snippets_score(must: Sequence[str], must_not: Sequence[str], predicted: str) -> PageScore:
    text = " ".join(predicted.split())
    found, unwanted = (sum(" ".join(s.split()) in text for s in snippets) for snippets in (must, must_not))
    right = found + len(must_not) - unwanted
    precision = found / (found + unwanted) if found + unwanted else None
    recall = found / len(must) if must else None
    return PageScore(precision, recall, right / max(1, len(must) + len(must_not)), found, len(must), unwanted)


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None]
    return fmean(known) if known else 0.0


def mean_score(metric: str, pages: Sequence[PageScore]) -> dict[str, float]:
    """Precision, recall and F1 of a group of pages, as `metric` puts them together."""
    if metric == "snippets":
        found, unwanted = sum(p.found for p in pages), sum(p.unwanted_found for p in pages)
        precision = found / (found + unwanted) if found + unwanted else 0.0
        recall = found / max(1, sum(p.wanted for p in pages))
    else:
        precision, recall = _mean([p.precision for p in pages]), _mean([p.recall for p in pages])
    f1 = _mean([p.f1 for p in pages]) if metric == "words" else harmonic(precision, recall)
    return {"pages": len(pages), "precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}
