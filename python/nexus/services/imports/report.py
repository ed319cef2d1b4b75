"""The report of an import as a table, written while it is sent."""

import csv
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from io import StringIO
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.services.imports.listing import ListedRow, find_import, read_rows
from nexus.services.users import CurrentUser

PAGE_SIZE = 1000
COLUMNS = ("row", "file", "line", "outcome", "url", "title", "status", "code", "message")
# Spreadsheets run a cell that begins with one of these; an apostrophe makes it text. What a cell is trimmed of before
# that is white space to them, too.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")  # noqa: RUF001 - full width
BYTE_ORDER_MARK = "\ufeff"  # without it Excel takes UTF-8 for Windows-1252


def report_name(session: Session, user: CurrentUser, import_id: UUID) -> str:
    return f"Import from {find_import(session, user, import_id).label}"


def write_report(transaction: Callable[[], AbstractContextManager[Session]], import_id: UUID) -> Iterator[bytes]:
    """No transaction is open while the client takes what it got."""
    yield (BYTE_ORDER_MARK + _lines([COLUMNS])).encode()
    after = -1
    while True:
        with transaction() as session:
            page = read_rows(session, import_id, after=after, limit=PAGE_SIZE)
        if page:
            yield _lines([_cells(row) for row in page]).encode()
        if len(page) < PAGE_SIZE:
            return
        after = page[-1].number


def _cells(row: ListedRow) -> tuple[str, ...]:
    values = (
        row.number + 1, row.file, row.line, row.outcome or "waiting", row.url, row.title, row.item_status, row.code,
        row.message,
    )  # fmt: skip
    return tuple(safe_cell("" if value is None else str(value)) for value in values)


def safe_cell(value: str) -> str:
    return f"'{value}" if value.lstrip().startswith(FORMULA_STARTS) or value.startswith(FORMULA_STARTS) else value


def _lines(rows: list[tuple[str, ...]]) -> str:
    out = StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()
