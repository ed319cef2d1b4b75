"""The orders a library can be listed in, and the cursors of their pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from nexus.services.cursors import ListPosition, read_cursor, read_key_cursor, refusal, write_cursor, write_key_cursor
from nexus.text.characters import storable

Sort = Literal["newest", "oldest", "longest", "shortest", "title", "recently_read"]
FIRST_ID, LAST_ID = UUID(int=0), UUID(int=2**128 - 1)
UNKNOWN = -1  # reading_seconds of what has no text
MAX_SECONDS = 2**31 - 1


@dataclass(frozen=True)
class Order:
    """By a column of library_media, then by the id of the media, both in the same direction."""

    key: str
    sql_type: str
    is_descending: bool
    first: Any  # before all others
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    cursor: str  # at most 8 characters

    @property
    def direction(self) -> str:
        return "DESC" if self.is_descending else "ASC"

    def after(self, key: str, media_id: str) -> str:
        """The condition of a page that follows `:after`."""
        than = "<" if self.is_descending else ">"
        return f"({key}, {media_id}) {than} (CAST(:after AS {self.sql_type}), CAST(:after_id AS uuid))"

    @property
    def first_id(self) -> UUID:
        return LAST_ID if self.is_descending else FIRST_ID


def _read_length(key: str) -> int:
    seconds = int(key)
    if not UNKNOWN <= seconds <= MAX_SECONDS:
        raise ValueError("no length of a text")
    return seconds


def _read_title(key: str) -> str:
    if key != storable(key):
        raise ValueError("no title that could be stored")
    return key


_TIME: dict[str, Any] = {
    "sql_type": "timestamptz",
    "read": datetime.fromisoformat,
    "write": datetime.isoformat,
}
_LENGTH: dict[str, Any] = {"key": "reading_seconds", "sql_type": "integer", "read": _read_length, "write": str}
ORDERS: Mapping[Sort, Order] = {
    "newest": Order("created_at", is_descending=True, first="infinity", cursor="library", **_TIME),
    "oldest": Order("created_at", is_descending=False, first="-infinity", cursor="l-oldest", **_TIME),
    "longest": Order(is_descending=True, first=MAX_SECONDS, cursor="l-long", **_LENGTH),
    "shortest": Order(is_descending=False, first=UNKNOWN, cursor="l-short", **_LENGTH),
    "title": Order("title_key", "text", is_descending=False, first="", read=_read_title, write=str, cursor="l-title"),
    "recently_read": Order("read_order", is_descending=True, first="infinity", cursor="l-read", **_TIME),
}


def read_page_cursor(sort: Sort, cursor: str | None) -> tuple[Any, UUID]:
    """The key and the id of the last entry before the page."""
    order = ORDERS[sort]
    if cursor is None:
        # What has no length comes last in both orders of length.
        return order.first, LAST_ID if sort == "shortest" else order.first_id
    if sort == "newest":
        return read_cursor(order.cursor, cursor)
    key, media_id = read_key_cursor(order.cursor, cursor)
    try:
        return order.read(key), media_id
    except ValueError:
        raise refusal() from None


def write_page_cursor(sort: Sort, last: Any) -> str:
    """`last`: has the column of the order, and `media_id`."""
    order = ORDERS[sort]
    key = getattr(last, order.key)
    if sort == "newest":
        return write_cursor(order.cursor, ListPosition(key, last.media_id))
    return write_key_cursor(order.cursor, order.write(key), last.media_id)
