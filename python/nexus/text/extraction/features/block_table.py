"""The features of the block model. Their order and meaning are part of the model: retrain it after a change."""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nexus.text.extraction.blocks import Block, Page
from nexus.text.extraction.features.block_groups import Groups
from nexus.text.extraction.features.boundary_features import boundary_features
from nexus.text.extraction.features.context_features import (
    container_features,
    find_containers,
    find_subtrees,
    neighbour_features,
    teaser_features,
    template_features,
)
from nexus.text.extraction.features.element_features import FLAG_NAMES, Floats, Ints, NodeTable, node_table
from nexus.text.extraction.features.lexicon import Lexicon, text_tokens
from nexus.text.extraction.features.prose_features import ProseMeasures, prose_features
from nexus.text.extraction.features.token_score import token_features, token_scores

_WIDE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.!?\u3002\uff01\uff1f\u061f\u0964][\"'\u201d\u2019)\]]*(?=\s|$)|[\u3002\uff01\uff1f]")
_CLOSERS = '.!?\u3002\uff01\uff1f\u061f"\u201d\u2019)'
_CLAUSE = re.compile(r"[,;:\uff0c\u3001\uff1b\uff1a\u060c]")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:/.-]\d{1,2}\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\bago\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|USD|EUR|GBP)")
_TAG_CODES = {
    "p": 1,
    "h1": 2,
    "h2": 3,
    "h3": 4,
    "h4": 5,
    "h5": 6,
    "h6": 7,
    "li": 8,
    "dd": 9,
    "dt": 10,
    "td": 11,
    "th": 12,
    "pre": 13,
    "blockquote": 14,
    "figcaption": 15,
    "caption": 16,
    "div": 17,
    "section": 18,
    "article": 19,
    "button": 20,
    "label": 21,
    "summary": 22,
    "legend": 23,
    "header": 24,
    "footer": 25,
    "nav": 26,
    "body": 27,
    "form": 28,
    "address": 29,
}
OWN_NAMES = [
    "is_p",
    "is_heading",
    "heading_level",
    "is_li",
    "is_cell",
    "is_pre",
    "is_quote",
    "is_caption",
    "is_div",
    "is_control",
    "tag_code",
    "chars",
    "words",
    "mean_word",
    "sentences",
    "clauses",
    "ends_sentence",
    "starts_upper",
    "digit_share",
    "upper_share",
    "link_density",
    "links",
    "strong_share",
    "has_date",
    "has_money",
    "ends_colon",
    "has_copyright",
    "has_bar",
    "lower_share",
    "repeats",
    "title_overlap",
    "title_cover",
    "description_overlap",
    "word_score_mean",
    "word_score_min",
    "word_score_max",
    "seen_before",
    "quoted",
    "wide_share",
]
_AT = {name: index for index, name in enumerate(OWN_NAMES)}
_WORDS, _LINK_DENSITY, _MONEY_AT, _DATE_AT, _HEADING_AT = (
    _AT[n] for n in ("words", "link_density", "has_money", "has_date", "is_heading")
)
# A character of a script without spaces says as much as this many letters.
_WIDE_CHARS = 2.5
_PROBE = 60


@dataclass(frozen=True, slots=True)
class PageHints:
    """What the block model uses of the page's head."""

    title: str
    description: str
    kinds: frozenset[str]
    # The long texts of the page's JSON-LD as bare words: many sites repeat the main text there.
    quoted: str = ""


def bare_words(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))


def words_feature(text: str) -> int:
    """Scripts without spaces count two characters as a word. Part of the model: another rule needs another model."""
    words = text.count(" ") + 1
    return words if text.isascii() else words + len(_WIDE.findall(text)) // 2


def _tag_features(tag: str) -> list[float]:
    level = int(tag[1]) if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit() else 0  # noqa: PLR2004
    return [
        tag == "p",
        level > 0,
        level,
        tag in ("li", "dd", "dt"),
        tag in ("td", "th"),
        tag == "pre",
        tag == "blockquote",
        tag in ("figcaption", "caption"),
        tag in ("div", "section", "article", "body"),
        tag in ("button", "label", "legend"),
        _TAG_CODES.get(tag, 0),
    ]


class _OwnFeatures:
    def __init__(self, page: Page, hints: PageHints, lexicon: Lexicon) -> None:
        self.tags = page.tags
        self.tag_cache: dict[str, list[float]] = {}
        self.repeats = Counter(b.text for b in page.blocks)
        self.title = set(hints.title.lower().split())
        self.description = set(hints.description.lower().split())
        self.odds = lexicon.text
        self.seen: Counter[str] = Counter()
        self.quoted = f" {hints.quoted} "

    def word_scores(self, text: str) -> tuple[float, float, float]:
        odds = self.odds
        scores = [odds[w] for w in text_tokens(text) if w in odds]
        if not scores:
            return 0.0, 0.0, 0.0
        return sum(scores) / len(scores), min(scores), max(scores)

    def overlaps(self, text: str) -> tuple[float, float, float]:
        words = set(text[:300].lower().split())
        shared = len(words & self.title)
        return (
            shared / len(words),
            shared / (len(self.title) or 1),
            len(words & self.description) / len(words),
        )

    def quoted_share(self, text: str) -> float:
        """Searches for both ends: a text that was cut or edited in between still counts."""
        if len(self.quoted) < _PROBE:
            return 0.0
        whole = len(text) <= _PROBE
        ends = (text, text) if whole else (text[:_PROBE].rpartition(" ")[0], text[-_PROBE:].partition(" ")[2])
        return sum(f" {bare_words(end)} " in self.quoted for end in ends) / 2

    def times_seen(self, text: str) -> int:
        self.seen[text] += 1
        return self.seen[text] - 1

    def row(self, block: Block) -> list[float]:
        text, tag = block.text, self.tags[block.node]
        chars, words = len(text), words_feature(text)
        tag_part = self.tag_cache.get(tag)
        if tag_part is None:
            tag_part = self.tag_cache[tag] = _tag_features(tag)
        sample = text[:400]
        return [
            *tag_part,
            chars,
            words,
            chars / words,
            len(_SENTENCE_END.findall(text)),
            len(_CLAUSE.findall(text)),
            text[-1] in _CLOSERS,
            text[0].isupper(),
            sum(map(str.isdigit, sample)) / len(sample),
            sum(map(str.isupper, sample)) / len(sample),
            min(1.0, block.link_chars / chars),
            block.links,
            min(1.0, block.strong_chars / chars),
            _DATE.search(sample) is not None,
            _MONEY.search(sample) is not None,
            text[-1] == ":",
            "©" in sample or "opyright" in sample,
            "|" in sample,
            sum(w[0].islower() for w in sample.split()) / words,
            self.repeats[text],
            *self.overlaps(text),
            *self.word_scores(text),
            self.times_seen(text),
            self.quoted_share(text),
            0.0 if sample.isascii() else len(_WIDE.findall(sample)) / len(sample),
        ]


_KINDS = ("article", "product", "forum", "list", "recipe", "faq", "website")


def _page_features(page: Page, own: Floats, nodes: NodeTable, hints: PageHints) -> Floats:
    words = own[:, _WORDS]
    total = float(words.sum()) or 1.0
    values = [
        len(page.blocks),
        total,
        float((words * own[:, _LINK_DENSITY]).sum()) / total,
        float(words[own[:, 0] > 0].sum()) / total,
        page.tags.count("article"),
        float(nodes.depth.max(initial=0.0)),
        float(own[:, _MONEY_AT].mean()),
        float(own[:, _DATE_AT].mean()),
        len(hints.quoted),
        float((own[:, _AT["wide_share"]] * words).sum()) / total,
        *(float(k in hints.kinds) for k in _KINDS),
    ]
    return np.tile(np.array(values, dtype=np.float32), (len(page.blocks), 1))


def _node_features(nodes: NodeTable, at: Ints) -> Floats:
    bits = np.arange(len(FLAG_NAMES), dtype=np.int64)
    flags = (nodes.flags[at][:, None] >> bits) & 1
    scores = (nodes.depth, nodes.own_score, nodes.path_sum, nodes.path_min, nodes.path_max, nodes.near_score)
    return np.concatenate(
        [flags.astype(np.float32), np.stack([s[at] for s in scores], axis=1)], axis=1, dtype=np.float32
    )


@dataclass(frozen=True, slots=True)
class BlockTable:
    """One row per block; the columns that select_blocks uses have names."""

    matrix: Floats

    @property
    def words(self) -> Floats:
        return self.matrix[:, _WORDS]

    @property
    def link_density(self) -> Floats:
        return self.matrix[:, _LINK_DENSITY]

    @property
    def is_heading(self) -> npt.NDArray[np.bool_]:
        return self.matrix[:, _HEADING_AT] > 0

    @property
    def has_date(self) -> Floats:
        return self.matrix[:, _DATE_AT]

    @property
    def title_overlap(self) -> Floats:
        return self.matrix[:, _AT["title_overlap"]]


def _prose(own: Floats) -> ProseMeasures:
    wide = own[:, _AT["wide_share"]]
    return ProseMeasures(
        words=own[:, _WORDS],
        chars=own[:, _AT["chars"]] * (1 + (_WIDE_CHARS - 1) * wide),
        clauses=own[:, _AT["clauses"]],
        link_density=own[:, _LINK_DENSITY],
        ends_sentence=own[:, _AT["ends_sentence"]],
        is_heading=own[:, _HEADING_AT],
    )


def block_features(page: Page, hints: PageHints, lexicon: Lexicon) -> tuple[BlockTable, Groups]:
    """`page` must have at least one block."""
    rows = _OwnFeatures(page, hints, lexicon)
    own = np.array([rows.row(b) for b in page.blocks], dtype=np.float32)
    nodes = node_table(page, lexicon)
    at = np.array([b.node for b in page.blocks], dtype=np.int64)
    words, link_words = own[:, _WORDS], own[:, _WORDS] * own[:, _LINK_DENSITY]
    below = find_subtrees(page)
    within = find_containers(page, below)
    signatures = np.array([nodes.signature[n] for n in at], dtype=np.int64)
    parts = [
        own,
        _node_features(nodes, at),
        _page_features(page, own, nodes, hints),
        container_features(within, words, link_words, own[:, 0], own[:, 1]),
        neighbour_features(own, nodes.near_score[at], signatures),
        template_features(signatures, words, link_words),
        teaser_features(signatures, words, own[:, _LINK_DENSITY]),
        token_features(token_scores(page, lexicon.weights), words),
        prose_features(page, below, _prose(own)),
        boundary_features(page, within, words, *(own[:, _AT[n]] for n in ("heading_level", "has_date", "title_cover"))),
    ]
    return BlockTable(np.concatenate(parts, axis=1, dtype=np.float32)), Groups.of(within, signatures)
