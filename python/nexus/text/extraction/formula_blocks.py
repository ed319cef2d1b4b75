"""Formulas that stand alone are kept with the text around them: the block model was trained on words, not on TeX."""

from collections.abc import Iterable

from nexus.text.extraction.blocks import LINE_BREAK, Block, Page
from nexus.text.extraction.prepare.edits import FORMULA_CLASS

_NUMBER_CHARS = 12  # "(2.14)" beside a formula, or the comma after it


def with_formulas(page: Page, kept: Iterable[int]) -> list[int]:
    """Adds the formulas between two kept blocks, also several in a row."""
    chosen = set(kept)
    run: list[int] = []
    for index, block in enumerate(page.blocks):
        if index not in chosen and _is_formula(page, block):
            run.append(index)
            continue
        if run and index in chosen and run[0] - 1 in chosen:
            chosen.update(run)
        run.clear()
    return sorted(chosen)


def _is_formula(page: Page, block: Block) -> bool:
    slots = [slot for slot in block.slots if slot != LINE_BREAK]
    formulas = [slot for slot in slots if not slot & 1 and page.elements[slot >> 1].get("class") == FORMULA_CLASS]
    if not formulas:
        return False
    chars = sum(len(page.elements[slot >> 1].text or "") for slot in formulas)
    return len(block.text) - chars <= _NUMBER_CHARS
