"""How many entries a library has, by status, kind and state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.capabilities import Kind
from nexus.services.items import ItemStatus
from nexus.services.users import CurrentUser

KINDS: tuple[Kind, ...] = get_args(Kind)
STATUSES: tuple[ItemStatus, ...] = get_args(ItemStatus)

COUNTS = text("""
    SELECT kind, status, is_read, is_archived, is_starred, sum(difference)::bigint AS entries FROM shelf_counts
    WHERE library_id = :library_id GROUP BY kind, status, is_read, is_archived, is_starred
""")

# Counts the entries themselves: other counts are sums that are kept.
COUNT_ALL = text("SELECT count(*) FROM library_media WHERE library_id = :library_id")


@dataclass(frozen=True)
class Counts:
    """How many entries the whole library has, whatever is filtered."""

    all: int
    inbox: int
    archived: int
    starred: int
    unread: int  # of the Inbox
    by_status: Mapping[ItemStatus, int]
    by_kind: Mapping[Kind, int]


@dataclass(frozen=True)
class EntryCount:
    kind: Kind
    status: ItemStatus
    is_read: bool
    is_archived: bool
    is_starred: bool
    entries: int


def entry_counts(session: Session, library_id: UUID) -> list[EntryCount]:
    return [EntryCount(*row) for row in session.execute(COUNTS, {"library_id": library_id})]


def count_all(session: Session, library_id: UUID) -> int:
    return int(session.scalars(COUNT_ALL, {"library_id": library_id}).one())


def count_entries(session: Session, user: CurrentUser) -> Counts:
    by_status, by_kind = dict.fromkeys(STATUSES, 0), dict.fromkeys(KINDS, 0)
    inbox = starred = unread = 0
    for row in entry_counts(session, user.default_library_id):
        by_status[row.status] += row.entries
        by_kind[row.kind] += row.entries
        starred += row.entries if row.is_starred else 0
        if not row.is_archived:
            inbox += row.entries
            unread += row.entries if row.status == "succeeded" and not row.is_read else 0
    every = sum(by_kind.values())
    return Counts(every, inbox, every - inbox, starred, unread, by_status, by_kind)
