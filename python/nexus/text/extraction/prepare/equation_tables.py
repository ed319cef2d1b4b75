"""Tables that only place formulas (LaTeXML, old textbooks) become a paragraph for each row."""

import re
from collections.abc import Iterable
from itertools import groupby, islice
from operator import itemgetter

from lxml import etree

from nexus.text.extraction.blocks import SKIPPED_TAGS
from nexus.text.extraction.prepare.edits import FORMULA_CLASS, empty, names_of, writable

_NUMBER = re.compile(r"[(\[][\w.\-\u2013*]{1,12}[)\]]")
# Without brackets it may be a value: only where there are no other rows to compare it with.
_BARE_NUMBER = re.compile(r"\d[\w.\-\u2013*]{0,11}")
_NAMES = frozenset(("ltx_equation", "ltx_equationgroup", "ltx_eqn_table"))
_PARTS = ("table", "thead", "tbody", "tfoot", "tr", "td")
# What a line of text and formulas would lose.
_KEPT_TAGS = ("a", "img", "picture", "svg", "video", "audio", "iframe", "object", "embed", "pre", "ul", "ol")
_MAX_LEVELS = 6
_MAX_CELLS = 1_000

# The formulas of a row and the text beside them in the order of the page; True for a formula.
Row = list[tuple[bool, str]]


def write_equations(formulas: Iterable[etree._Element]) -> None:
    tables = dict.fromkeys(table for each in formulas if (table := _table_around(each)) is not None)
    for table in tables:
        if table.tag == "table" and not _is_data(table):
            _rewrite(table, named=not _NAMES.isdisjoint(names_of(table)))


def _is_data(table: etree._Element) -> bool:
    many = next(islice(table.iter("td"), _MAX_CELLS, None), None) is not None
    return many or next(table.iter("th", "caption"), None) is not None


def _rewrite(table: etree._Element, *, named: bool) -> None:
    if not _has_more(table):
        lines = list(table.iter("tr"))
        rows = [_row(line) for line in lines]
        # Several formulas in a row may be the cells of a data table.
        if named or (all(len(list(line.iter("code"))) <= 1 for line in lines) and _are_equations(rows)):
            _write(table, rows)
    elif named:
        for part in list(table.iter(*_PARTS)):
            part.tag = "div"


def _table_around(formula: etree._Element) -> etree._Element | None:
    for up, _ in zip(formula.iterancestors(), range(_MAX_LEVELS), strict=False):
        if up.tag == "table":
            return up
    return None


def _has_more(table: etree._Element) -> bool:
    """Pictures, links, tables inside it, or text outside its rows."""
    if next(table.iterdescendants(*_KEPT_TAGS, "table"), None) is not None:
        return True
    around = [table.text, *(part.text for part in table.iterdescendants("thead", "tbody", "tfoot"))]
    around += [part.tail for part in table.iterdescendants("thead", "tbody", "tfoot", "tr")]
    return any(text and not text.isspace() for text in around)


def _are_equations(rows: list[Row]) -> bool:
    """A formula in each row, and at most its number."""
    for row in rows:
        beside = " ".join(text for is_formula, text in row if not is_formula)
        is_number = _NUMBER.fullmatch(beside) or (len(rows) == 1 and _BARE_NUMBER.fullmatch(beside))
        if (beside and not is_number) or (row and not any(is_formula for is_formula, _ in row)):
            return False
    return True


def _row(line: etree._Element) -> Row:
    pieces: Row = []
    walker = etree.iterwalk(line, events=("start", "end"))
    for event, element in walker:
        if element is line and event == "end":
            break
        if event == "end":
            pieces.append((False, (" " if element.tag == "td" else "") + (element.tail or "")))
        elif element.tag == "code" and FORMULA_CLASS in names_of(element):
            pieces.append((True, element.text or ""))
            walker.skip_subtree()
        elif element.tag in SKIPPED_TAGS:
            walker.skip_subtree()
        else:
            pieces.append((False, element.text or ""))
    joined = _joined(pieces, "")
    return _joined([(is_formula, text) for is_formula, text in joined if text], " ")


def _joined(pieces: Row, between: str) -> Row:
    """Neighbours of the same kind as one; formulas always with a space between them."""
    groups = groupby(pieces, key=itemgetter(0))
    return [
        (is_formula, " ".join((" " if is_formula else between).join(text for _, text in group).split()))
        for is_formula, group in groups
    ]


def _write(table: etree._Element, rows: list[Row]) -> None:
    empty(table)
    table.tag = "div"
    for row in filter(None, rows):
        paragraph = etree.SubElement(table, "p")
        code: etree._Element | None = None
        for is_formula, text in row:
            if is_formula:
                code = etree.SubElement(paragraph, "code", {"class": FORMULA_CLASS})
                code.text = writable(text)
            elif code is None:
                paragraph.text = writable(f"{text} ")
            else:
                code.tail = writable(f" {text} ")
