"""Code is often printed in two cells: the numbers of its lines, and the lines."""

from collections.abc import Sequence

from lxml import etree

from nexus.text.extraction.prepare.edits import hide

_MAX_CHARS = 100_000


def hide_line_numbers(cells: Sequence[etree._Element]) -> None:
    """Only beside code: other numbers that follow each other may be a result."""
    codes = [cell for cell in cells if next(cell.iter("pre", "code"), None) is not None]
    for cell in codes[:-1]:
        if _counts_lines(cell):
            hide(cell)


def _counts_lines(cell: etree._Element) -> bool:
    text = " ".join(map(str, cell.itertext()))
    numbers = text.split() if len(text) < _MAX_CHARS else []
    if not numbers or not all(number.isascii() and number.isdigit() for number in numbers):
        return False
    first = int(numbers[0][:9])
    return all(number == str(first + step) for step, number in enumerate(numbers))
