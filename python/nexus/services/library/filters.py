"""Which entries of a library are meant, for lists, searches and changes of many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Archived = Literal["true", "false", "any"]


@dataclass(frozen=True)
class Filters:
    kind: str | None = None
    status: str | None = None
    unread: bool = False
    starred: bool = False
    archived: Archived | None = None  # None: what the list or the search takes by itself


@dataclass(frozen=True)
class Condition:
    """Of a row of library_media, under the name `entry`."""

    sql: str
    values: dict[str, Any]


def archived_values(archived: Archived | None, default: Archived) -> list[bool]:
    return {"true": [True], "false": [False], "any": [False, True]}[archived or default]


def conditions(filters: Filters, *, archived: Archived) -> Sequence[Condition]:
    """`archived`: what is meant where the filters do not say."""
    found = []
    if filters.kind:
        found.append(Condition("entry.kind = :kind", {"kind": filters.kind}))
    if filters.status:
        found.append(Condition("entry.status = :status", {"status": filters.status}))
    if filters.unread:
        found.append(Condition("entry.status = 'succeeded' AND entry.read_at IS NULL", {}))
    if filters.starred:
        found.append(Condition("entry.starred_at IS NOT NULL", {}))
    if len(wanted := archived_values(filters.archived, archived)) == 1:
        found.append(Condition("entry.is_archived = :is_archived", {"is_archived": wanted[0]}))
    return found
