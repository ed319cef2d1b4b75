"""A user's imports, and the rows of one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import select, text, tuple_
from sqlalchemy.orm import Session

from nexus.db.models import Import
from nexus.errors import NotFoundError
from nexus.services.cursors import ListPosition, read_cursor, read_key_cursor, refusal, write_cursor, write_key_cursor
from nexus.services.imports.details import ImportDetails, details_of
from nexus.services.imports.progress import fetching_now
from nexus.services.imports.rows.apply_rows import RowOutcome
from nexus.services.imports.states import UNKNOWN
from nexus.services.users import CurrentUser

LIST = "imports"
OutcomeFilter = Literal[RowOutcome, "waiting"]

ROWS = """
    SELECT r.number, r.file, r.line, r.url, r.title, r.outcome, r.code, r.message, r.item_id, r.media_id,
           items.status AS item_status
    FROM import_rows r LEFT JOIN items ON items.id = r.item_id
    WHERE r.import_id = :import_id AND r.number > :after {condition}
    ORDER BY r.number LIMIT :limit
"""
CONDITIONS = {"waiting": "AND r.outcome IS NULL", None: ""}
OF_OUTCOME = "AND r.outcome = :outcome"


@dataclass(frozen=True)
class ListedRow:
    number: int
    file: str
    line: int
    url: str | None
    title: str | None
    outcome: RowOutcome | None
    code: str | None
    message: str | None
    item_id: UUID | None
    media_id: UUID | None
    item_status: str | None


@dataclass(frozen=True)
class ImportPage:
    imports: Sequence[ImportDetails]
    next_cursor: str | None


@dataclass(frozen=True)
class RowPage:
    rows: Sequence[ListedRow]
    next_cursor: str | None


def get_import(session: Session, user: CurrentUser, import_id: UUID) -> ImportDetails:
    found = find_import(session, user, import_id)
    return details_of(found, fetching_now(session, found))


def find_import(session: Session, user: CurrentUser, import_id: UUID) -> Import:
    found = session.scalars(select(Import).where(Import.id == import_id, Import.user_id == user.user_id)).one_or_none()
    if found is None:
        raise NotFoundError(UNKNOWN)
    return found


def list_imports(session: Session, user: CurrentUser, *, limit: int, cursor: str | None) -> ImportPage:
    query = select(Import).where(Import.user_id == user.user_id)
    if cursor is not None:
        query = query.where(tuple_(Import.created_at, Import.id) < tuple_(*read_cursor(LIST, cursor)))
    ordered = query.order_by(Import.created_at.desc(), Import.id.desc())
    found = list(session.scalars(ordered.limit(limit + 1)))
    last = found[limit - 1] if len(found) > limit else None
    next_cursor = write_cursor(LIST, ListPosition(last.created_at, last.id)) if last else None
    return ImportPage([details_of(each) for each in found[:limit]], next_cursor)


def list_rows(
    session: Session,
    user: CurrentUser,
    import_id: UUID,
    *,
    outcome: OutcomeFilter | None,
    limit: int,
    cursor: str | None,
) -> RowPage:
    find_import(session, user, import_id)
    after = _read_cursor(import_id, outcome, cursor) if cursor is not None else -1
    found = read_rows(session, import_id, outcome=outcome, after=after, limit=limit + 1)
    if len(found) <= limit:
        return RowPage(found, None)
    return RowPage(found[:limit], write_key_cursor(_name(outcome), str(found[limit - 1].number), import_id))


def read_rows(
    session: Session, import_id: UUID, *, outcome: OutcomeFilter | None = None, after: int = -1, limit: int
) -> list[ListedRow]:
    statement = text(ROWS.format(condition=CONDITIONS.get(outcome, OF_OUTCOME)))
    values: dict[str, Any] = {"import_id": import_id, "after": after, "limit": limit}
    if outcome in {"added", "merged", "unchanged", "failed"}:
        values["outcome"] = outcome
    return [ListedRow(*row) for row in session.execute(statement, values)]


def _read_cursor(import_id: UUID, outcome: OutcomeFilter | None, cursor: str) -> int:
    key, of_import = read_key_cursor(_name(outcome), cursor)
    if of_import != import_id or not key.isdecimal():
        raise refusal()
    return int(key)


def _name(outcome: OutcomeFilter | None) -> str:
    return f"rows{(outcome or 'all')[:4]}"
