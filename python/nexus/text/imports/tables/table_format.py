"""What all tables have in common: recognised by the names of their columns, read row by row."""

import json
import re
from collections.abc import Callable, Iterator

from nexus.text.imports.documents import Document
from nexus.text.imports.format import Format, one_by_one
from nexus.text.imports.records import ImportedHighlight, ImportProblem, ImportRecord
from nexus.text.imports.tables.csv_rows import Row, columns_of, read_rows
from nexus.text.imports.values import read_tags, read_text, split_tags

MAX_TAGS_CHARS = 100_000
LITERAL = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
ESCAPED = re.compile(r"\\(.)", re.DOTALL)
NO_TAG = frozenset({"no_tag"})

ReadRow = Callable[[Document, Row], ImportRecord]


def table(source: str, label: str, columns: set[str], read_row: ReadRow) -> Format:
    """`columns`: those that only this program's table has."""

    def is_this(document: Document) -> bool:
        return columns <= columns_of(document)

    def read(document: Document) -> Iterator[ImportRecord]:
        return read_records(document, read_row)

    return Format(source, label, one_by_one(read), recognises=is_this)


def read_records(document: Document, read_row: ReadRow) -> Iterator[ImportRecord]:
    for row in read_rows(document):
        yield row if isinstance(row, ImportProblem) else read_row(document, row)


def json_tags(cell: str) -> tuple[str, ...]:
    """`["a", "b"]`."""
    try:
        values = json.loads(cell[:MAX_TAGS_CHARS]) if cell.startswith("[") else None
    except (ValueError, RecursionError):
        values = None
    return read_tags(values) if isinstance(values, list) else any_tags(cell)


def literal_tags(cell: str) -> tuple[str, ...]:
    """Python's `['a', "o'clock", 'x, y']`."""
    found = LITERAL.findall(cell[:MAX_TAGS_CHARS])
    return read_tags(ESCAPED.sub(r"\1", single or double) for single, double in found)


def any_tags(cell: str) -> tuple[str, ...]:
    """However a program or a person wrote them: a list in brackets, or with `|`, `;` or `,` between them."""
    text = cell.strip()[:MAX_TAGS_CHARS]
    if text.startswith("[") and text.endswith("]"):
        if tags := literal_tags(text):
            return tags
        text = text[1:-1]
    separator = next((character for character in "|;," if character in text), ",")
    return tuple(tag for tag in split_tags(text, separator) if tag not in NO_TAG)


def marked_highlights(cell: str, note_mark: str) -> tuple[tuple[ImportedHighlight, ...], str]:
    """A cell with a section for each highlight, begun by `Highlight:` at the start of a line, and the notes in it that
    belong to none."""
    first, *sections = re.split(r"(?:^|\n)[ \t]*Highlight:", cell.replace("\r\n", "\n"), flags=re.IGNORECASE)
    highlights, stray = [], ""
    for section in (first, *sections):
        quote, *notes = re.split(rf"(?:^|\n)[ \t]*{note_mark}:", section, flags=re.IGNORECASE)
        note = "\n".join(note.strip() for note in notes)
        if text := read_text(quote):
            highlights.append(ImportedHighlight(text, note=read_text(note)))
        else:
            stray += note
    return tuple(highlights), stray
