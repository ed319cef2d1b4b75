"""Tables that only place formulas (LaTeXML, old textbooks) become a paragraph for each row."""

import re
from collections.abc import Iterable

from lxml import etree

from nexus.text.extraction.prepare.edits import FORMULA_CLASS, empty, names_of, writable

_NUMBER = re.compile(r"[(\[]?[\w.\-\u2013*]{1,12}[)\]]?")
_NAMES = frozenset(("ltx_equation", "ltx_equationgroup", "ltx_eqn_table"))
_LEVELS = 6
_MAX_CELLS = 1_000

# The formulas of a row in order, and the text beside them (its number).
Row = tuple[list[str], str]


def write_equations(formulas: Iterable[etree._Element]) -> None:
    tables = dict.fromkeys(table for each in formulas if (table := _table_around(each)) is not None)
    for table in tables:
        rows = _rows(table)
        if rows is not None:
            _write(table, rows)


def _table_around(formula: etree._Element) -> etree._Element | None:
    for up, _ in zip(formula.iterancestors(), range(_LEVELS), strict=False):
        if up.tag == "table":
            return up
    return None


def _rows(table: etree._Element) -> list[Row] | None:
    """None for a table with more than formulas and their numbers."""
    cells = sum(1 for _ in table.iter("td"))
    if cells > _MAX_CELLS or next(table.iter("th", "caption"), None) is not None:
        return None
    named = not _NAMES.isdisjoint(names_of(table))
    rows = []
    for line in table.iter("tr"):
        codes = ["".join(map(str, code.itertext())) for code in line.iter("code")]
        beside = _text_beside(line)
        if beside and not named and not _NUMBER.fullmatch(beside):
            return None
        if codes or beside:
            rows.append((codes, beside))
    # Without a name that says so, several formulas in a row may be the cells of a data table.
    return rows if named or all(len(codes) == 1 for codes, _ in rows) else None


def _text_beside(line: etree._Element) -> str:
    inside = {each for code in line.iter("code") for each in code.iter()}
    parts = [line.text or ""]
    for element in line.iterdescendants():
        parts += ["" if element in inside else element.text or "", element.tail or ""]
    return " ".join("".join(parts).split())


def _write(table: etree._Element, rows: list[Row]) -> None:
    empty(table)
    table.tag = "div"
    for codes, beside in rows:
        paragraph = etree.SubElement(table, "p")
        if not codes:
            paragraph.text = writable(beside)
            continue
        code = etree.SubElement(paragraph, "code", {"class": FORMULA_CLASS})
        code.text = writable(" ".join(codes))
        code.tail = writable(f" {beside}") if beside else None
