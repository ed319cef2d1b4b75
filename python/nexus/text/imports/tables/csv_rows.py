"""Rows of a table, whatever wrote it: any of the usual separators, cells of several lines, quotes that never close.

A row that cannot be read is a problem with its line, and the rows after it arrive.
"""

import csv
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from itertools import islice
from typing import TextIO

from nexus.text.imports.documents import Document
from nexus.text.imports.records import ImportProblem

MAX_ROW_CHARS = 16_000_000
MAX_HEADER_CHARS = 10_000
CHUNK_CHARS = 1 << 20
# What may be read a second time in a file with quotes that do not close: without a bound, a file of nothing but such
# quotes would take hours.
MAX_CHARS_AGAIN = 100_000_000
SEPARATORS = ",;\t|"
LOOK_AHEAD = 3
FIRST_ROWS = 100
URL_COLUMNS = ("url", "link", "href", "address", "given_url", "uri", "website", "page url", "source url", "source_url")


@dataclass(frozen=True, slots=True)
class Row:
    """Cells by the lower-case names of their columns. A column that the row does not have is an empty cell."""

    line: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def first(self, columns: Sequence[str]) -> str:
        """The first that is not empty."""
        return next((cell for column in columns if (cell := self[column].strip())), "")


def header_of(document: Document) -> tuple[str, ...]:
    """Lower-case names of the first row; none where the file is no table."""
    beginning = document.beginning
    return () if beginning[:1] in ("", "<", "{", "[") else _header(_first_line(beginning))[1]


def columns_of(document: Document) -> frozenset[str]:
    return frozenset(header_of(document))


def read_rows(document: Document) -> Iterator[Row | ImportProblem]:
    with document.open_text() as file:
        yield from _Table(document, file).rows()


def first_rows(document: Document) -> list[Row]:
    """Those in the beginning of the file."""
    rows = _Table(document, StringIO(document.beginning, newline="")).rows()
    return [row for row in islice(rows, FIRST_ROWS) if isinstance(row, Row)]


def _first_line(beginning: str) -> str:
    lines = (line for line in beginning[:MAX_HEADER_CHARS].splitlines() if line.strip() and not _is_sep_line(line))
    return next(lines, "")


def _is_sep_line(line: str) -> bool:
    """`sep=;`, written for Excel."""
    return line.lower().startswith("sep=") and len(line.strip()) <= len("sep=;")


@lru_cache(maxsize=16)
def _header(line: str) -> tuple[str, tuple[str, ...]]:
    csv.field_size_limit(2 * MAX_ROW_CHARS)  # of the whole process: whoever was here before may have set less
    separator = max(SEPARATORS, key=line.count)
    names = next(csv.reader([line], delimiter=separator), [])
    return separator, tuple(" ".join(name.removeprefix("\ufeff").lower().split()) for name in names)


class _RowTooLongError(Exception):
    pass


class _Lines:
    """Lines for the CSV reader, which takes as many as a row has; those of the current row are kept."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._again: deque[str] = deque()
        self.taken = 0
        self.row: list[str] = []
        self._chars = 0
        self.ended = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._file.readline(MAX_ROW_CHARS)
        if not line:
            self.ended = True
            raise StopIteration
        self.taken += 1
        self.row.append(line)
        self._chars += len(line)
        if self._chars >= MAX_ROW_CHARS:
            raise _RowTooLongError
        return line

    def start_row(self) -> None:
        self.row = []
        self._chars = 0

    def take_back(self, lines: Sequence[str]) -> None:
        """They are read again, as rows of their own."""
        self._again.extendleft(reversed(lines))
        self.taken -= len(lines)
        self.ended = False

    def skip_row(self, separator: str) -> None:
        """To the end of the row, whose last line was read up to the bound."""
        last = self.row[-1]
        quoted = len(self.row) > 1 or last.startswith('"')
        opens = re.compile(rf'{re.escape(separator)}"')
        at = 0 if len(self.row) > 1 else 1
        while True:
            quoted = _is_quoted_at_end(last, at, quoted, opens)
            ends_line = last.endswith(("\n", "\r"))
            if ends_line and not quoted:
                return
            last, at = self._again.popleft() if self._again else self._file.readline(CHUNK_CHARS), 0
            self.taken += ends_line and last != ""
            if not last:
                return


def _is_quoted_at_end(text: str, at: int, quoted: bool, opens: re.Pattern[str]) -> bool:
    while True:
        if quoted:
            at = text.find('"', at)
            if at < 0:
                return True
            # Two quotes stand for one. (A pair that is cut in two by the end of a chunk counts as an end and a start.)
            quoted = text.startswith('"', at + 1)
            at += 2 if quoted else 1
        else:
            found = opens.search(text, at)
            if found is None:
                return False
            quoted, at = True, found.end()


class _Table:
    def __init__(self, document: Document, file: TextIO) -> None:
        self._document = document
        self._lines = _Lines(file)
        self._separator = ","
        self._columns: tuple[str, ...] = ()
        self._url_at: int | None = None
        self._chars_again = MAX_CHARS_AGAIN

    def rows(self) -> Iterator[Row | ImportProblem]:
        csv.field_size_limit(2 * MAX_ROW_CHARS)
        lines = self._lines
        if not self._read_header():
            return
        reader = csv.reader(lines, delimiter=self._separator)
        columns = self._columns
        while True:
            lines.start_row()
            start = lines.taken + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except _RowTooLongError:
                yield self._too_long(start)
                continue
            except csv.Error as error:
                yield self._problem(start, f"This row cannot be read: {error}.")
                continue
            if (len(lines.row) > 1 or lines.ended) and (problem := self._unclosed(start, cells)):
                yield problem
            elif any(cells):
                yield Row(start, dict(zip(columns, cells, strict=False)))

    def _read_header(self) -> bool:
        for line in self._lines:
            self._lines.start_row()
            if line.strip("\ufeff \t\r\n") and not _is_sep_line(line):
                self._separator, self._columns = _header(line.strip("\r\n")[:MAX_HEADER_CHARS])
                self._url_at = next((at for at, name in enumerate(self._columns) if name in URL_COLUMNS), None)
                return True
        return False

    def _too_long(self, start: int) -> ImportProblem:
        if self._swallowed_rows():
            return self._read_again(start)
        self._lines.skip_row(self._separator)
        return self._problem(start, f"This row has more than {MAX_ROW_CHARS:,} characters.")

    def _unclosed(self, start: int, cells: list[str]) -> ImportProblem | None:
        """A row that goes to the end of the file, or has several lines and the wrong number of cells, may have taken
        the rows after it for its text."""
        ended = self._lines.ended
        if not ended and len(cells) == len(self._columns):
            return None
        if self._swallowed_rows():
            return self._read_again(start)
        return self._not_closed(start) if ended else None

    def _swallowed_rows(self) -> bool:
        rest = self._lines.row[1:]
        size = sum(map(len, rest))
        if not rest or size > self._chars_again:
            return False
        looked_at = csv.reader(rest[:50], delimiter=self._separator)
        return any(self._is_row(cells) for cells in islice(looked_at, LOOK_AHEAD))

    def _is_row(self, cells: list[str]) -> bool:
        if len(cells) != len(self._columns) or len(cells) == 1:
            return False
        return self._url_at is None or cells[self._url_at].lstrip()[:8].lower().startswith(("http://", "https://"))

    def _read_again(self, start: int) -> ImportProblem:
        rest = self._lines.row[1:]
        self._chars_again -= sum(map(len, rest))
        self._lines.take_back(rest)
        return self._not_closed(start)

    def _not_closed(self, start: int) -> ImportProblem:
        return self._problem(start, "A quotation mark in this row is never closed.")

    def _problem(self, line: int, message: str) -> ImportProblem:
        return ImportProblem(self._document.name, line, "unreadable_row", message)
