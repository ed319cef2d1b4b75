"""Which blocks of a page are its main text."""

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.features.block_table import PageHints, block_features
from nexus.text.extraction.model import BlockModel
from nexus.text.extraction.select_blocks import choose, layout_of


def main_blocks(page: Page, hints: PageHints, model: BlockModel) -> list[int]:
    """Indexes of the kept blocks, in document order."""
    if not page.blocks:
        return []
    table, groups = block_features(page, hints, model.lexicon)
    return choose(layout_of(page), table, model.probabilities(table.matrix, groups))
