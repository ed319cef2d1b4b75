"""Reading a corpus of pages with gold text, splitting it by site, scoring predictions."""

import hashlib
import json
import lzma
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.metrics import PageScore, mean_score, shingle_score, snippets_score, words_score

Texts = dict[str, str | None]
FOLDS = 5
# What each set's own collection is scored with; a corpus that names no sets is WCXB's.
METRIC = {"wcxb": "words", "traf": "snippets", "mozilla": "shingle", "magic": "shingle"}
_SECOND_LEVEL = frozenset(("co", "com", "org", "net", "ac", "gov", "edu"))
_NO_SITE = "fakehost"
_COUNTED = re.compile(r"-\d+$")


@dataclass(frozen=True, slots=True)
class Sample:
    """A page and what is wanted of it: `gold` or, where a set has no whole text, snippets."""

    id: str
    url: str
    html: str
    kind: str
    gold: str
    set: str = "wcxb"
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    expected_html: str = ""
    expected_metadata: dict[str, Any] = field(default_factory=dict)


def _sample(row: dict[str, Any]) -> Sample:
    url = row.get("url") or ""
    return Sample(
        row["id"],
        url if url.startswith(("http://", "https://")) else "",
        row["html"],
        row.get("type") or row.get("set") or "page",
        row.get("text") or "",
        row.get("set") or "wcxb",
        tuple(row.get("with") or ()),
        tuple(row.get("without") or ()),
        row.get("expected_html") or "",
        row.get("expected_metadata") or {},
    )


def load_corpus(*paths: Path) -> list[Sample]:
    samples = []
    for path in paths:
        raw = path.read_bytes()
        lines = (lzma.decompress(raw) if path.suffix == ".xz" else raw).split(b"\n")
        samples += [_sample(json.loads(line)) for line in lines if line]
    return samples


def _named_in(identity: str) -> str:
    """The site in a name such as "hard::paper.example-fire.html", or the page in "paper-2": those are of one site."""
    _, marked, name = identity.partition("::")
    return name.split("-")[0].removesuffix(".html") if marked else _COUNTED.sub("", identity)


def site_of(sample: Sample) -> str:
    """The registrable name, near enough: pages of one site must not be on both sides of a split."""
    host = urlsplit(sample.url).hostname
    labels = (host if host and host != _NO_SITE else _named_in(sample.id)).split(".")
    keep = 3 if len(labels) > 2 and labels[-2] in _SECOND_LEVEL else 2  # noqa: PLR2004
    return ".".join(labels[-keep:])


def fold_of(sample: Sample) -> int:
    return hashlib.sha256(site_of(sample).encode()).digest()[0] % FOLDS


def page_score(sample: Sample, text: str) -> PageScore:
    """By the metric of the page's set."""
    metric = METRIC[sample.set]
    if metric == "snippets":
        return snippets_score(sample.must, sample.must_not, text)
    return (shingle_score if metric == "shingle" else words_score)(sample.gold, text)


def score_by_kind(samples: Sequence[Sample], predictions: Iterable[str]) -> dict[str, dict[str, float]]:
    """One line for each kind of page, and "all" of them if they are of one set: the sets' metrics differ."""
    groups: dict[tuple[str, str], list[PageScore]] = defaultdict(list)
    several = len({s.set for s in samples}) > 1
    for sample, text in zip(samples, predictions, strict=True):
        score = page_score(sample, text)
        for kind in {sample.set if several else "all", sample.kind}:
            groups[sample.set, kind].append(score)
    return {kind: mean_score(METRIC[name], pages) for (name, kind), pages in sorted(groups.items())}


def scores_by_set(samples: Sequence[Sample], answers: dict[str, Texts]) -> dict[str, Any]:
    """For each set of pages its metric and, by extractor, the figures of all its pages and of each type of page. An
    answer of None is a page that the extractor failed on: an empty text. Predictions may cover some sets only."""
    report: dict[str, Any] = {}
    for name in dict.fromkeys(s.set for s in samples):
        pages = [s for s in samples if s.set == name]
        report[name] = {"metric": METRIC[name], "pages": len(pages)}
        for extractor, texts in answers.items():
            if any(s.id in texts for s in pages):
                found = [texts.get(s.id, "") for s in pages]
                scores = score_by_kind(pages, [text or "" for text in found])
                scores["all"] |= {"empty": sum(not t for t in found), "failed": sum(t is None for t in found)}
                scores.pop(name, None)
                report[name][extractor] = scores
    return report
