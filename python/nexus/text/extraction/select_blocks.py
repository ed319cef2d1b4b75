"""Selects the blocks to keep from their probabilities."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.block_table import BlockTable
from nexus.text.extraction.features.element_features import Floats, Mask
from nexus.text.extraction.rules.copies import without_copies
from nexus.text.extraction.rules.headings import with_headings, without_last_headings
from nexus.text.extraction.rules.last_section import without_named_end
from nexus.text.extraction.rules.lists import TextList, find_lists, whole_lists
from nexus.text.extraction.rules.neighbours import blocks_beside, mostly_kept
from nexus.text.extraction.rules.notes import find_notes, with_notes
from nexus.text.extraction.rules.other_articles import Article, find_articles, only_named_article
from nexus.text.extraction.rules.page_links import Link, links_within

_SURER = 1.6
# How far the log-odds of a whole page are off, and how often: a normal distribution of spread 4 at five points.
_MISJUDGED = ((-6.0, 0.103), (-3.0, 0.239), (0.0, 0.316), (3.0, 0.239), (6.0, 0.103))
_CLEAR_PAGE = 0.85
_CLEAR_BLOCK = 0.6
_CLEAR_SHARE = 0.85
_MIN_CELLS = 4
_MAX_CELL = 15
_REACH = 3
_PROSE_LINKS = 0.3
_SENTENCE_WORDS = 8
_LINK_SHARE = 0.6
_PROSE_FACTOR = 1.5
_MIN_F1 = 0.25
_SCRAP_BLOCKS = 3
_PROSE_WORDS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """What the selection needs beside the features: per block its text and the element around it."""

    texts: list[str]
    holders: list[int]
    tables: list["Table"]
    lists: list[TextList] = field(default_factory=list)
    articles: list[Article] = field(default_factory=list)
    notes: list[Link] = field(default_factory=list)


def layout_of(page: Page) -> Layout:
    holders = [page.parents[b.node] for b in page.blocks]
    texts = [b.text for b in page.blocks]
    links = links_within(page)
    return Layout(texts, holders, find_tables(page), find_lists(page, links), find_articles(page), find_notes(links))


def best_expected_f1(probability: Floats, words: Floats) -> tuple[Mask, float]:
    """The set of blocks with the highest expected word F1. Against a fixed threshold of 0.5: +0.007 over all
    page types, +0.06 on collections and listings, where every block is uncertain; -0.002 on articles, -0.02
    on products. The blocks of a page are misjudged together, all too high or all too low, so the expectation runs over
    pages on which each is surer than the model says, moved up and down as one: another +0.0018 over all, +0.01 on
    listings, +0.005 on products, +0.002 on forums."""
    order = np.argsort(-probability, kind="stable")
    size = np.cumsum(words[order])
    with np.errstate(divide="ignore"):  # a probability of 0 stays 0
        log_odds = np.log(probability) - np.log1p(-probability)
    expected = np.zeros(len(words))
    for shift, weight in _MISJUDGED:
        hits = np.cumsum((words / (1 + np.exp(-(_SURER * log_odds + shift))))[order])
        expected += weight * 2 * hits / (size + hits[-1] + 1e-9)
    kept = np.zeros(len(words), dtype=np.bool_)
    kept[order[: int(expected.argmax()) + 1]] = True
    return kept, float(expected.max())


def without_doubtful(layout: Layout, kept: Mask, expected: float, probability: Floats, words: Floats) -> Mask:
    """On a page that is clear as a whole, a doubtful block is more likely one too many: news and blogs end with author
    boxes and notices that the expected F1 gains too little from leaving out. Lists between clear prose stay: their
    items are short, and short texts are always doubtful."""
    clear = kept & (probability >= _CLEAR_BLOCK)
    if expected < _CLEAR_PAGE or float(words[clear].sum()) < _CLEAR_SHARE * float(words[kept].sum()):
        return kept
    prose = np.flatnonzero(clear & (words >= _PROSE_WORDS))
    for found in layout.lists if len(prose) else ():
        if prose[0] < found.items.start and found.items.stop <= prose[-1]:
            clear[found.items] = kept[found.items]
    return clear


@dataclass(frozen=True, slots=True)
class Table:
    """The blocks of an innermost table or of a <pre>, and those beside it in the same container."""

    cells: list[int]
    beside: list[int]
    is_code: bool


def find_tables(page: Page) -> list[Table]:
    innermost = [-1] * len(page.tags)
    for i, parent in enumerate(page.parents):
        innermost[i] = i if page.tags[i] in ("table", "pre") else innermost[parent]
    found: dict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(page.blocks):
        if innermost[block.node] >= 0:
            found[innermost[block.node]].append(index)
    return [
        Table(cells, blocks_beside(page, node, range(cells[0], cells[-1] + 1)), page.tags[node] == "pre")
        for node, cells in found.items()
    ]


def whole_tables(tables: list[Table], kept: Mask, words: Floats) -> Mask:
    """A table of data is kept whole when most of it is kept, when the text before and after it is, or when
    most of the blocks beside it are: single cells ("4.2", "Ohio") are too short to judge. +0.0035 on
    articles, +0.004 on documentation. Tables with long cells are layout and left to the block decision."""
    result = kept.copy()
    for table in tables:
        cells = table.cells
        if table.is_code:
            continue
        if len(cells) < _MIN_CELLS or float(words[cells].mean()) > _MAX_CELL:
            continue
        first, last = cells[0], cells[-1]
        enclosed = kept[max(0, first - _REACH) : first].any() and kept[last + 1 : last + 1 + _REACH].any()
        if enclosed or any(mostly_kept(group, kept, words) for group in (cells, table.beside)):
            result[cells] = True
    return result


def with_code(tables: list[Table], kept: Mask, words: Floats) -> Mask:
    """Code right after kept text is kept when most of the text beside it is: the short last <pre> of a post was
    lost, since the model does not recognise a line of code. +0.002 on documentation."""
    result = kept.copy()
    for table in tables:
        if table.is_code and table.cells[0] and result[table.cells[0] - 1] and mostly_kept(table.beside, kept, words):
            result[table.cells] = True
    return result


def without_link_tail(kept: Mask, words: Floats, link_density: Floats, heading: Mask) -> Mask:
    """Drops what follows the last sentence of a text and is mostly links ("read next"):
    +0.0007 on articles, -0.005 on collections, nothing over all. A page of links is not changed."""
    prose = kept & (link_density < _PROSE_LINKS)
    sentences = np.flatnonzero(prose & ~heading & (words >= _SENTENCE_WORDS))
    if not len(sentences):
        return kept
    tail = kept.copy()
    tail[: sentences[-1] + 1] = False
    tail_words = float(words[tail].sum())
    mostly_links = float((words * link_density)[tail].sum()) > _LINK_SHARE * tail_words
    if mostly_links and float(words[prose].sum()) > _PROSE_FACTOR * tail_words:
        return kept & ~tail
    return kept


def by_rule(traits: BlockTable) -> Mask:
    """For pages where the model finds no text. If a page is mostly prose, keep the prose. A page of menus is a shell
    whose text is loaded by scripts: keep nothing, so that the browser is tried. +0.003 over all page
    types: five pages in 1 459, three of them of one shop."""
    words = traits.words
    prose: Mask = (words >= _PROSE_WORDS) & (traits.link_density < _PROSE_LINKS)
    if float(words[prose].sum()) > float(words.sum()) / 2:
        return prose
    return np.full(len(words), len(words) <= _SCRAP_BLOCKS)


def choose(layout: Layout, traits: BlockTable, probability: Floats) -> list[int]:
    """Indexes of the kept blocks, in document order."""
    words, tables = traits.words, layout.tables
    likely = without_copies(layout.texts, layout.holders, probability, words)
    kept, expected = best_expected_f1(likely, words)
    if expected < _MIN_F1:
        kept = by_rule(traits)
    else:
        kept = only_named_article(layout.articles, traits.title_overlap, traits.has_date, kept, words)
        kept = without_doubtful(layout, kept, expected, likely, words)
        kept = with_code(tables, whole_tables(tables, kept, words), words)
        kept = without_link_tail(kept, words, traits.link_density, traits.is_heading)
        kept = whole_lists(layout.lists, kept, words, traits.link_density)
        kept = with_notes(layout.notes, kept)
        kept = with_headings(layout.holders, traits.is_heading, kept, words, traits.link_density)
        kept = without_named_end(layout.texts, traits.is_heading, kept, words)
        kept = without_last_headings(traits.is_heading, kept, words, traits.link_density)
    indexes: list[int] = np.flatnonzero(kept).tolist()
    return indexes
