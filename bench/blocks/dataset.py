"""The corpus as rows of block features, labels and weights."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import numpy.typing as npt
from lxml import etree

from bench.blocks.labels import label_blocks
from bench.blocks.token_weights import common_tokens, fit_weights, named_weights, token_rows
from bench.blocks.weak_labels import weak_labels
from bench.corpus import FOLDS, METRIC, Sample, fold_of, site_of
from nexus.errors import UnparsableHtmlError
from nexus.text.extraction.blocks import Page, collect_blocks
from nexus.text.extraction.features.block_groups import Groups
from nexus.text.extraction.features.block_table import block_features, words_feature
from nexus.text.extraction.features.element_features import Floats
from nexus.text.extraction.features.lexicon import Lexicon, class_tokens, naming, text_tokens
from nexus.text.extraction.features.page_hints import read_hints
from nexus.text.extraction.features.token_score import block_tokens
from nexus.text.extraction.parse_html import parse_html
from nexus.text.extraction.prepare.prepare_tree import prepare_tree
from nexus.text.extraction.select_blocks import Layout, layout_of

_MIN_SITES = 8
_SMOOTHING = 2.0
_DAMPING = 0.8
# How much a page of each set counts. Those of wild-dev weigh less: at 1 they cost 0.006 on WCXB.
_PAGE_WEIGHT = {"wcxb": 1.0, "traf": 0.3, "mozilla": 0.6, "magic": 0.6}


@dataclass(slots=True)
class Labelled:
    """The training data of one page: per block its label and weight, and the tokens around and in it."""

    layout: Layout
    labels: Floats
    trust: Floats
    words: Floats
    path_tokens: list[list[str]]
    text_tokens: list[list[str]]
    around: list[list[str]]


def page_of(sample: Sample) -> tuple[Page, etree._Element]:
    try:
        root = parse_html(sample.html)
    except UnparsableHtmlError:  # a page of nothing teaches nothing
        root = parse_html("<body></body>")
    prepare_tree(root)
    body = root.find("body")
    return collect_blocks(root if body is None else body), root


def _ancestor_tokens(page: Page) -> list[list[str]]:
    tokens = [["<" + t, *class_tokens(naming(e))] for t, e in zip(page.tags, page.elements, strict=True)]
    collected = []
    for block in page.blocks:
        seen: set[str] = set()
        node = block.node
        while node:
            seen.update(tokens[node])
            node = page.parents[node]
        collected.append(sorted(seen))
    return collected


def _labels(texts: list[str], sample: Sample) -> tuple[Floats, Floats]:
    """Per block its label and how much it can be trusted."""
    if METRIC[sample.set] == "snippets":
        return weak_labels(texts, sample, _Shared.votes[sample.id])
    labels = np.array(label_blocks(texts, sample.gold), dtype=np.float32)
    return labels, np.ones_like(labels)


def label_page(sample: Sample) -> Labelled:
    page, _ = page_of(sample)
    layout = layout_of(page)
    texts = layout.texts
    labels, trust = _labels(texts, sample)
    return Labelled(
        layout,
        labels,
        trust * _PAGE_WEIGHT[sample.set],
        np.array([words_feature(t) for t in texts], dtype=np.float32),
        _ancestor_tokens(page),
        [text_tokens(t) for t in texts],
        [path + text for path, text in block_tokens(page)],
    )


def _log_odds(pages: Iterable[tuple[Sample, Labelled]], tokens_of: str, keep: int) -> dict[str, float]:
    """Each page has one vote per token, split by the share of its blocks that are main text."""
    good: dict[str, float] = defaultdict(float)
    bad: dict[str, float] = defaultdict(float)
    sites: dict[str, set[str]] = defaultdict(set)
    for sample, labelled in pages:
        votes: dict[str, list[float]] = defaultdict(list)
        for tokens, label in zip(getattr(labelled, tokens_of), labelled.labels.tolist(), strict=True):
            for token in tokens:
                votes[token].append(label)
        for token, shares in votes.items():
            mean = sum(shares) / len(shares)
            good[token] += mean
            bad[token] += 1 - mean
            sites[token].add(site_of(sample))
    common = sorted((t for t in sites if len(sites[t]) >= _MIN_SITES), key=lambda t: (-len(sites[t]), t))[:keep]
    return {t: round(math.log((good[t] + _SMOOTHING) / (bad[t] + _SMOOTHING)), 3) for t in common}


class _Shared:
    """What the forked workers inherit instead of having it sent: a third of a gigabyte of tokens."""

    samples: list[Sample]
    pages: list[Labelled]
    votes: dict[str, list[str]]


def learn_lexicon(without_fold: int | None) -> Lexicon:
    samples, pages = _Shared.samples, _Shared.pages
    used = [(s, p) for s, p in zip(samples, pages, strict=True) if fold_of(s) != without_fold]
    columns = common_tokens((site_of(s), p.around) for s, p in used)
    rows = [row for _, page in used for row in token_rows(page.around, columns)]
    labels = np.concatenate([p.labels for _, p in used])
    theta = fit_weights(rows, labels, np.concatenate([_weights(p) for _, p in used]), len(columns))
    return Lexicon(
        _log_odds(used, "path_tokens", 3000), _log_odds(used, "text_tokens", 3000), named_weights(theta, columns)
    )


def _features(task: tuple[Sample, Lexicon]) -> tuple[Floats, Groups] | None:
    sample, lexicon = task
    page, root = page_of(sample)
    if not page.blocks:
        return None
    table, groups = block_features(page, read_hints(root), lexicon)
    return table.matrix, groups


@dataclass(slots=True)
class Dataset:
    samples: list[Sample]
    pages: list[Labelled]
    matrix: Floats
    page_of_row: npt.NDArray[np.int64]
    fold_of_row: npt.NDArray[np.int64]
    labels: Floats
    weights: Floats
    groups: list[Groups | None]
    lexicon: Lexicon


def build_dataset(samples: list[Sample], votes: dict[str, list[str]], processes: int) -> Dataset:
    """`votes` has what other extractors take from the pages that have no gold text."""
    _Shared.votes = votes
    fork = get_context("fork")
    with fork.Pool(processes) as pool:
        pages = pool.map(label_page, samples, chunksize=16)
    _Shared.samples, _Shared.pages = samples, pages
    with fork.Pool(processes) as pool:
        everything, *lexicons = pool.map(learn_lexicon, [None, *range(FOLDS)], chunksize=1)
        tasks = [(s, lexicons[fold_of(s)]) for s in samples]
        found = pool.map(_features, tasks, chunksize=16)
    folds = [fold_of(s) for s in samples]
    sizes = [len(p.layout.texts) for p in pages]
    return Dataset(
        samples,
        pages,
        np.concatenate([f[0] for f in found if f]),
        np.repeat(np.arange(len(samples)), sizes),
        np.repeat(folds, sizes),
        np.concatenate([p.labels for p in pages]),
        np.concatenate([_weights(p) for p in pages]),
        [f[1] if f else None for f in found],
        everything,
    )


def _weights(page: Labelled) -> Floats:
    """A block counts by its words, damped, and a page counts once: the score is a mean over pages."""
    raw = (page.words + 1.0) ** _DAMPING
    return (raw / max(1.0, float(raw.sum())) * 100 * page.trust).astype(np.float32)
