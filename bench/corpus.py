"""Reading a corpus of pages with gold text, splitting it by site, scoring predictions."""

import hashlib
import json
import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

WORD = re.compile(r"\w+")
FOLDS = 5
_SECOND_LEVEL = frozenset(("co", "com", "org", "net", "ac", "gov", "edu"))


@dataclass(frozen=True, slots=True)
class Sample:
    id: str
    url: str
    html: str
    kind: str
    gold: str


def load_corpus(path: Path) -> list[Sample]:
    raw = path.read_bytes()
    lines = (lzma.decompress(raw) if path.suffix == ".xz" else raw).split(b"\n")
    rows = [json.loads(line) for line in lines if line]
    return [Sample(r["id"], r["url"] or "", r["html"], r.get("type", "page"), r["text"] or "") for r in rows]


def site_of(sample: Sample) -> str:
    """The registrable name, near enough: pages of one site must not be on both sides of a split."""
    labels = (urlsplit(sample.url).hostname or sample.id).split(".")
    keep = 3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL else 2  # noqa: PLR2004
    return ".".join(labels[-keep:])


def fold_of(sample: Sample) -> int:
    return hashlib.sha256(site_of(sample).encode()).digest()[0] % FOLDS


def word_f1(gold: str, predicted: str) -> tuple[float, float, float]:
    """WCXB's metric: case-folded bag of words; precision, recall, F1 of one page."""
    want, got = Counter(WORD.findall(gold.lower())), Counter(WORD.findall(predicted.lower()))
    if not want:
        return (0.0, 0.0, 0.0) if got else (1.0, 1.0, 1.0)
    hit = (want & got).total()
    precision, recall = (hit / got.total() if got else 0.0), hit / want.total()
    return precision, recall, 2 * precision * recall / (precision + recall) if hit else 0.0


def score_by_kind(samples: Sequence[Sample], predictions: Iterable[str]) -> dict[str, dict[str, float]]:
    groups: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for sample, text in zip(samples, predictions, strict=True):
        scores = word_f1(sample.gold, text)
        groups["all"].append(scores)
        groups[sample.kind].append(scores)
    return {
        kind: {
            "pages": len(rows),
            "precision": round(fmean(r[0] for r in rows), 4),
            "recall": round(fmean(r[1] for r in rows), 4),
            "f1": round(fmean(r[2] for r in rows), 4),
        }
        for kind, rows in sorted(groups.items())
    }
