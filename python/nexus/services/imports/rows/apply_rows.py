"""Applies the next rows of a running import: they become library entries, with their outcomes, in one transaction.

A worker that is killed has changed nothing. A second worker finds the import's row locked and leaves it alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.db.bulk_load import analyze_if_grown, disable_full_scans
from nexus.db.json_rows import text_with_rows
from nexus.services.imports.limits import MAX_MESSAGE_CHARS
from nexus.services.imports.rows.batch_tags import BatchTags
from nexus.services.imports.rows.entry import BatchEntry, EntryChange
from nexus.services.imports.rows.entry_lookup import load_earlier, load_entries
from nexus.services.imports.rows.entry_writer import NOT_FETCHED, TEXT_IS_COMING, write_changes, write_entries
from nexus.services.imports.rows.merge_rules import EarlierRows, merge
from nexus.services.imports.rows.normalized_row import NormalizedRow, RejectedRow, normalize_row
from nexus.services.library.library_lock import lock_library
from nexus.services.library.tags import notify_tags, tags_by_key
from nexus.services.notifications import notify
from nexus.services.saving import SaveContext
from nexus.services.users import CurrentUser

RowOutcome = Literal["added", "merged", "unchanged", "failed"]
REMOVED = (
    "You removed this from your library after an earlier import, so it was not added again. Save its link to add"
    " it again."
)

# Locked until the transaction ends: a pause takes effect between two batches.
TAKE_IMPORT = text("""
    SELECT options, started_at, loaded, now() AS now FROM imports
    WHERE id = :import_id AND user_id = :user_id AND status = 'running' FOR NO KEY UPDATE SKIP LOCKED
""")
TAKE_ROWS = text("""
    SELECT number, record, content IS NOT NULL AS has_content,
           CASE WHEN content IS NULL THEN NULL WHEN record ? 'url' THEN '' ELSE md5(content) END AS content_key
    FROM import_rows
    WHERE import_id = :import_id AND outcome IS NULL ORDER BY number LIMIT :limit
""")
WRITE_OUTCOMES = text_with_rows("""
    UPDATE import_rows
    SET outcome = given.outcome, code = given.code, message = given.message, item_id = given.item_id,
        media_id = given.media_id, undo = given.undo, url_key = decode(given.key, 'hex'), applied_at = now(),
        content = CASE WHEN given.drop_content THEN NULL ELSE coalesce(given.content, import_rows.content) END,
        content_type = CASE WHEN given.drop_content THEN NULL WHEN given.content IS NOT NULL THEN 'html'
                            ELSE import_rows.content_type END,
        content_due = given.content_due
    FROM jsonb_to_recordset(:rows) AS given (
        number integer, outcome text, code text, message text, item_id uuid, media_id uuid, undo jsonb, key text,
        drop_content boolean, content text, content_due boolean)
    WHERE import_rows.import_id = :import_id AND import_rows.number = given.number
""")


@dataclass(frozen=True)
class ApplyResult:
    """`has_more`: call again. Nothing is applied to an import that is not running, or that another worker is at."""

    outcomes: Mapping[RowOutcome, int] = field(default_factory=dict)
    has_more: bool = False

    @property
    def rows(self) -> int:
        return sum(self.outcomes.values())


def apply_rows(session: Session, user: CurrentUser, context: SaveContext, import_id: UUID, limit: int) -> ApplyResult:
    values: dict[str, Any] = {"import_id": import_id, "user_id": user.user_id, "limit": limit}
    disable_full_scans(session)
    running_import = session.execute(TAKE_IMPORT, values).one_or_none()
    if running_import is None:
        return ApplyResult()
    analyze_if_grown(session, "import_rows", running_import.loaded)
    rows = session.execute(TAKE_ROWS, values).all()
    if not rows:
        return ApplyResult()
    lock_library(session, user)
    batch = _Batch(session, user, context, running_import)
    results = batch.apply(rows)
    session.execute(WRITE_OUTCOMES, {"import_id": import_id, "rows": results})
    analyze_if_grown(session, "library_media", rows[-1].number, "media", "items", "entry_tags")
    counted = Counter[RowOutcome](result["outcome"] for result in results)
    if counted["added"] or counted["merged"]:
        notify(session, user.user_id, "shelf")
        notify_tags(session, user)
    return ApplyResult(counted, has_more=len(rows) == limit)


class _Batch:
    def __init__(self, session: Session, user: CurrentUser, context: SaveContext, running_import: Row[Any]) -> None:
        self._session = session
        self._user = user
        self._context = context
        self._now: datetime = running_import.now
        self._started_at: datetime = running_import.started_at
        self._fetches: bool = running_import.options.get("fetch", True)
        self._with_feed_items: bool = running_import.options.get("include_feed_items", False)
        self._saves: list[dict[str, Any]] = []
        self._changes: list[EntryChange] = []

    def apply(self, rows: Sequence[Row[Any]]) -> list[dict[str, Any]]:
        read = {row.number: self._read(row) for row in rows}
        normalized = [each for each in read.values() if isinstance(each, NormalizedRow)]
        entries = load_entries(self._session, self._user, normalized) if normalized else {}
        earlier = dict(load_earlier(self._session, self._user, normalized, self._now))
        tags = BatchTags({key: tag.id for key, tag in tags_by_key(self._session, self._user).items()})
        results = []
        for row in rows:
            given = read[row.number]
            if isinstance(given, RejectedRow):
                results.append(_rejection(row.number, given))
                continue
            before = earlier.setdefault(given.key, EarlierRows())
            results.append(self._apply(row, given, entries, before, tags))
            before.add(given)
        unique = {id(entry): entry for entry in entries.values()}
        for position, save in enumerate(self._saves):
            save["ahead"] = len(self._saves) - position
        about = {"request_id": self._context.request_id, "max_attempts": self._context.max_attempts}
        write_entries(self._session, self._user, unique.values(), self._saves, **about)
        write_changes(self._session, self._user, self._changes, tags)
        return results

    def _read(self, row: Row[Any]) -> NormalizedRow | RejectedRow:
        return normalize_row(
            row.record,
            content_key=row.content_key,
            allow=self._context.allow,
            with_feed_items=self._with_feed_items,
            now=self._now,
        )

    def _apply(
        self,
        row: Row[Any],
        normalized: NormalizedRow,
        entries: dict[bytes, BatchEntry],
        earlier: EarlierRows,
        tags: BatchTags,
    ) -> dict[str, Any]:
        entry = entries.get(normalized.key)
        if entry is None and earlier.rows:
            return _result(row.number, normalized, "unchanged") | {"code": "removed_before", "message": REMOVED}
        is_new = entry is None
        content = _quotes_as_html(normalized) if is_new and not (row.has_content or normalized.link) else None
        has_content = row.has_content or content is not None
        if entry is None:
            entry = entries[normalized.key] = self._save(row.number, normalized, has_content=has_content)
        change = merge(entry, normalized, earlier, tags)
        keeps_content = has_content and not entry.has_content and entry.item_status not in (None, "succeeded")
        entry.has_content |= keeps_content
        is_filled = keeps_content and entry.needs_text
        outcome = "added" if is_new else "merged" if change or is_filled else "unchanged"
        if is_new or change:
            self._changes.append(change)
        result = _result(row.number, normalized, outcome) | {
            "item_id": str(entry.item_id) if entry.item_id else None,
            "media_id": str(entry.media_id),
            "undo": change.as_undo(is_added=is_new) if is_new or change else None,
            "content": content,
            "content_due": is_filled,
            "drop_content": not keeps_content,
        }
        if change.warnings:
            message = " ".join(dict.fromkeys(change.warnings))[:MAX_MESSAGE_CHARS]
            result |= {"code": "left_out", "message": message}
        return result

    def _save(self, number: int, normalized: NormalizedRow, *, has_content: bool) -> BatchEntry:
        """A row without a time was saved when the import began, in the order of the file."""
        fetch = self._fetches and normalized.link is not None
        entry = BatchEntry(
            media_id=uuid4(),
            item_id=uuid4(),
            created_at=normalized.saved_at or self._started_at - timedelta(microseconds=number),
            title=normalized.title,
            item_status="queued" if fetch else "needs_user_text",
            is_new=True,
        )
        self._saves.append(
            {
                "media_id": str(entry.media_id),
                "item_id": str(entry.item_id),
                "url": normalized.link.url if normalized.link else None,
                "key": normalized.key.hex(),
                "title": normalized.title,
                "is_queued": fetch,
                "detail": TEXT_IS_COMING if has_content else NOT_FETCHED,
                "created_at": entry.created_at.isoformat(),
            }
        )
        return entry


def _result(number: int, normalized: NormalizedRow, outcome: str) -> dict[str, Any]:
    return {
        "number": number,
        "outcome": outcome,
        "key": normalized.key.hex(),
        "drop_content": True,
        "content_due": False,
    }


def _rejection(number: int, rejected: RejectedRow) -> dict[str, Any]:
    message = rejected.message[:MAX_MESSAGE_CHARS]
    about = {"outcome": rejected.outcome, "code": rejected.code, "message": message}
    # What came along may be wanted when the row is tried again.
    return {"number": number, "drop_content": False, "content_due": False} | about


def _quotes_as_html(normalized: NormalizedRow) -> str:
    """The text of what is known by its highlights alone."""
    quotes = (f"<blockquote><p>{escape(highlight.quote)}</p></blockquote>" for highlight in normalized.highlights)
    by = f"<p>{escape(normalized.author)}</p>" if normalized.author else ""
    return by + "".join(quotes)
