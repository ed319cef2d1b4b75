"""Tables that only place things on the screen become <div>s, so that their cells are ordinary blocks."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml import etree

from nexus.text.extraction.blocks import SKIPPED_TAGS
from nexus.text.extraction.prepare.line_numbers import hide_line_numbers

_PARTS = frozenset(("table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption"))
_CELLS = frozenset(("td", "th"))
# What no data table holds in its cells.
_PAGE_PARTS = frozenset(("h1", "form", "nav", "article", "section", "aside", "header", "footer", "main"))
_HEADINGS = frozenset(("h2", "h3"))
_PARAGRAPHS = frozenset(("p", "ul", "ol", "blockquote", "pre", "br"))
_LAYOUT_ROLES = ("presentation", "none")
_DATA_ROLES = ("table", "grid", "treegrid")
# A cell with this much text beside little else is the text of a page, not a value.
_LONG_CELL = 400
_FEW_ROWS = 3
_MANY_PARAGRAPHS = 4


@dataclass(slots=True)
class _Table:
    """What stands in a table itself, not in the tables inside it."""

    element: etree._Element
    parts: list[etree._Element] = field(default_factory=list)
    rows: int = 0
    widest: int = 0
    row_cells: int = 0
    heads: int = 0
    captions: int = 0
    inner_tables: int = 0
    page_parts: int = 0
    cells: int = 0
    headed_cells: int = 0
    long_headed_cells: int = 0
    chars: int = 0
    longest: int = 0
    # What the open cell has:
    cell_chars: int = 0
    cell_paragraphs: int = 0
    cell_headings: int = 0
    most_paragraphs: int = 0


def open_layout_tables(candidates: Iterable[etree._Element]) -> None:
    tables: dict[etree._Element, _Table] = {}
    for table in candidates:
        if table not in tables:  # those inside another were read together with it
            tables.update((found.element, found) for found in _read(table))
    for found in tables.values():
        if _is_layout(found):
            cells = [part for part in found.parts if part.tag == "td"]
            for part in found.parts:
                part.tag = "div"
            if found.rows == 1:
                hide_line_numbers(cells)


def _read(outermost: etree._Element) -> list[_Table]:
    found: list[_Table] = []
    opened: list[_Table] = []
    walker = etree.iterwalk(outermost, events=("start", "end"))
    for event, element in walker:
        tag = str(element.tag)
        if event == "start":
            if tag == "table":
                if opened:
                    opened[-1].inner_tables += 1
                opened.append(_Table(element))
                found.append(opened[-1])
            _start(opened[-1], element, tag)
            if tag in SKIPPED_TAGS:
                walker.skip_subtree()
        else:
            _end(opened, tag)
            if opened and tag != "table":
                opened[-1].cell_chars += len((element.tail or "").strip())
    return found


def _start(table: _Table, element: etree._Element, tag: str) -> None:
    if tag in _PARTS:
        table.parts.append(element)
    if tag == "tr":
        table.rows += 1
        table.row_cells = 0
    elif tag in _CELLS:
        table.cells += 1
        table.row_cells += 1
        table.widest = max(table.widest, table.row_cells)
        table.cell_chars = table.cell_paragraphs = table.cell_headings = 0
        if tag == "th" or element.get("scope") or element.get("headers"):
            table.heads += 1
    elif tag == "caption":
        table.captions += 1
    elif tag in _PAGE_PARTS:
        table.page_parts += 1
    elif tag in _HEADINGS:
        table.cell_headings += 1
    elif tag in _PARAGRAPHS:
        table.cell_paragraphs += 1
    if tag not in SKIPPED_TAGS:
        table.cell_chars += len((element.text or "").strip())


def _end(opened: list[_Table], tag: str) -> None:
    table = opened[-1]
    if tag in _CELLS:
        table.chars += table.cell_chars
        table.longest = max(table.longest, table.cell_chars)
        table.most_paragraphs = max(table.most_paragraphs, table.cell_paragraphs)
        if table.cell_headings:
            table.headed_cells += 1
            table.long_headed_cells += table.cell_chars > _LONG_CELL
        table.cell_chars = table.cell_paragraphs = table.cell_headings = 0
    elif tag == "table":
        opened.pop()
        if opened:  # its text is in a cell of the table around it
            opened[-1].cell_chars += table.chars


def _is_layout(table: _Table) -> bool:
    role = (table.element.get("role") or "").strip().lower()
    if role in _LAYOUT_ROLES:
        return True
    if role in _DATA_ROLES or table.heads or table.captions or (table.element.get("summary") or "").strip():
        return False
    # A single row has nothing to compare: a quote between two quotation marks, code beside its line numbers, a row of
    # buttons.
    if table.inner_tables or table.page_parts or table.widest <= 1 or table.rows <= 1:
        return True
    # Cards, each with its title. The heads of rows or columns may be headings too, but are at most half of the cells.
    if 2 * table.headed_cells > table.cells or table.long_headed_cells > 1:
        return True
    holds_page = table.longest > _LONG_CELL and 2 * table.longest > table.chars
    few = table.rows <= _FEW_ROWS
    return holds_page and (few or table.most_paragraphs >= _MANY_PARAGRAPHS or table.long_headed_cells > 0)
