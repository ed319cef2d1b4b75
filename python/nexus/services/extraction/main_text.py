"""Which blocks of a page are its main text: the model's answer, or a plain rule where it has none."""

from nexus.services.extraction.blocks import Page
from nexus.services.extraction.features import PageHints, block_features, count_words
from nexus.services.extraction.model import BlockModel
from nexus.services.extraction.select import choose, find_tables

_SURE = 0.15
_LONG_WORDS = 12
_MOST_LINKS = 0.3


def main_blocks(page: Page, hints: PageHints, model: BlockModel) -> list[int]:
    """Indexes of the kept blocks, in document order."""
    if not page.blocks:
        return []
    table = block_features(page, hints, model.lexicon)
    probability = model.forest.probabilities(table.matrix)
    if float(probability.max()) < _SURE:
        return _by_rule(page)
    return choose(find_tables(page), table, probability)


def _by_rule(page: Page) -> list[int]:
    """The model knows no page like this: keep what reads like prose and is not mostly links."""
    prose = [
        i
        for i, b in enumerate(page.blocks)
        if count_words(b.text) >= _LONG_WORDS and b.link_chars < _MOST_LINKS * len(b.text)
    ]
    return prose or list(range(len(page.blocks)))
