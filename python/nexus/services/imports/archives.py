"""Uploaded archives of Nexus: their preview, and the progress of their restore."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO
from uuid import UUID

from sqlalchemy import TextClause, func, select, text
from sqlalchemy.orm import Session

from nexus.db.models import Import
from nexus.errors import ImportEmptyError, InvalidRecordError, RestoreStoppedError
from nexus.services.archives import layout
from nexus.services.archives.archive_file import ArchiveFile, is_archive
from nexus.services.archives.fields import Row
from nexus.services.archives.outcomes import ListProblem, Outcome
from nexus.services.archives.records import Record, read_record
from nexus.services.archives.restore import Lines
from nexus.services.archives.undo.undo_lists import CreatedRows, merge_created
from nexus.services.imports.limits import MAX_MESSAGE_CHARS
from nexus.services.imports.progress import applied, note_sample
from nexus.services.imports.uploads import Upload, UploadedFile
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser, ensure_user
from nexus.text.imports.read_export import (
    CLOCK_SECONDS,
    FIRST_ROWS,
    MEMORY_BYTES,
    PROCESSOR_SECONDS,
    ImportCounts,
    ImportSummary,
    PreviewRow,
)
from nexus.text.process_pool import ProcessPool

ARCHIVE_SOURCE, LABEL = "nexus", "Nexus archive"
CHUNK_BYTES = 1 << 20
ZIP_START = b"PK\x03\x04"
MAX_TITLE_CHARS = 1000
STOPPED = "The import was paused or cancelled, or another worker continues it."

NEXT = text(f"""
    SELECT id, user_id, loaded, total, rows_sha256, coalesce((summary ->> 'is_operator')::boolean, false) AS is_operator
    FROM imports WHERE status = 'running' AND source = '{ARCHIVE_SOURCE}' AND id <> ALL(:without)
    ORDER BY id IS NOT DISTINCT FROM CAST(:first AS uuid) DESC, updated_at LIMIT 1
""")  # noqa: S608 - our own constants
_GIVEN = """
    json_to_recordset(CAST(:rows AS json)) AS given (
        number integer, file text, line integer, url text, title text, outcome text, code text, message text,
        item_id uuid, media_id uuid, undo jsonb)"""
ADD_ROWS = text(f"""
    INSERT INTO import_rows (import_id, number, file, line, url, title, record, outcome, code, message, item_id,
                             media_id, undo, applied_at)
    SELECT :import_id, number, file, line, url, title, '{{"kind": "archive"}}', outcome, code, message,
           (SELECT id FROM items WHERE id = given.item_id), media_id, undo, now()
    FROM {_GIVEN}
    ON CONFLICT DO NOTHING
""")  # noqa: S608
# Those that are tried again.
CHANGE_ROWS = text(f"""
    UPDATE import_rows AS row
    SET outcome = given.outcome, code = given.code, message = given.message, url = given.url, title = given.title,
        item_id = (SELECT id FROM items WHERE id = given.item_id), media_id = given.media_id, undo = given.undo,
        applied_at = now()
    FROM {_GIVEN}
    WHERE row.import_id = :import_id AND row.number = given.number AND row.outcome IS NULL
""")  # noqa: S608
WAITING = text("SELECT number, file, line FROM import_rows WHERE import_id = :import_id AND outcome IS NULL")


def find_zip(upload: Upload, source: str | None) -> UploadedFile | None:
    """The uploaded ZIP, if there is one. Whether it is an archive is found out in a child process, since its directory
    alone may be huge."""
    if len(upload.files) != 1 or source not in (None, ARCHIVE_SOURCE):
        return None
    with upload.files[0].path.open("rb") as file:
        return upload.files[0] if file.read(len(ZIP_START)) == ZIP_START else None


def preview_in_child(path: Path) -> ImportSummary | None:
    """None: it is something else. One of a newer Nexus is an archive, too; reading it says so."""
    with closing(
        ProcessPool(
            workers=1, deadline_seconds=PROCESSOR_SECONDS, clock_seconds=CLOCK_SECONDS, memory_bytes=MEMORY_BYTES
        )
    ) as pool:
        return pool.run(preview_archive, path)


def preview_archive(path: Path) -> ImportSummary | None:
    if not is_archive(path):
        return None
    with ArchiveFile(path) as archive:
        if not archive.count:
            raise ImportEmptyError(f"There are no entries in this export ({LABEL}).")
        counted = archive.manifest.counts
        counts = ImportCounts(
            items=archive.count, highlights=counted.get("highlights", 0), with_content=counted.get("texts", 0)
        )
        rows = [_preview(record) for record in _records(archive)]
    return ImportSummary((ARCHIVE_SOURCE,), (LABEL,), archive.count, counts, rows)


def _records(archive: ArchiveFile) -> Iterator[Record]:
    for line in islice(archive.media_lines(), FIRST_ROWS):
        try:
            yield read_record(line.content, number=line.number, part=line.part)
        except InvalidRecordError:
            continue  # the report will have it


def _preview(record: Record) -> PreviewRow:
    entry, media = record.entry, record.media
    return PreviewRow(
        file=record.part,
        line=record.number,
        url=media["canonical_url"] or media["requested_url"],
        title=(entry["own_title"] or media["title"] or "")[:MAX_TITLE_CHARS] or None,
        saved_at=datetime.fromisoformat(entry["created_at"]),
        tags=tuple(tag["name"] for tag in record.tags if tag["is_set"]),
        archived=entry["archived_at"] is not None,
        starred=entry["starred_at"] is not None,
        read=entry["read_at"] is not None,
        progress=record.position["fraction"] if record.position else None,
        highlights=sum(highlight["deleted_at"] is None for highlight in record.highlights),
        has_content=bool(record.versions),
    )


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


@dataclass(frozen=True)
class ArchiveImport:
    """`loaded`: so many lines are done. `sha256`: the archive; None: all of it is done."""

    id: UUID
    user_id: UUID
    loaded: int
    total: int
    sha256: bytes | None
    is_operator: bool

    def user(self, session: Session) -> CurrentUser:
        return CurrentUser(self.user_id, ensure_user(session, self.user_id), self.is_operator)

    def lines(self, session: Session) -> Lines:
        """Those that are left, or those that failed and are tried again."""
        if self.loaded < self.total:
            return Lines(after=self.loaded)
        rows = session.execute(WAITING, {"import_id": self.id})
        return Lines(only=frozenset(row.line for row in rows if row.file.startswith(layout.MEDIA_FOLDER)))


def next_archive_import(
    session: Session, first: UUID | None = None, without: Sequence[UUID] = ()
) -> ArchiveImport | None:
    """`first`: the one whose archive is open."""
    row = session.execute(NEXT, {"first": first, "without": list(without)}).one_or_none()
    return ArchiveImport(*row) if row else None


def note_batch(session: Session, import_id: UUID, outcomes: Sequence[Outcome]) -> None:
    """Called in the transaction of the batch, so that a batch is noted exactly if it was written; in the order of the
    lines."""
    found = _lock_running(session, import_id)
    rows = [_row(each) for each in outcomes]
    if found.loaded < found.total:
        _add_rows(session, found, rows)
    else:
        _change_rows(session, found, rows)
    for outcome in outcomes:
        setattr(found, outcome.result, getattr(found, outcome.result) + 1)
    found.is_fetching = found.is_fetching or any(outcome.result == "added" for outcome in outcomes)
    note_sample(found, applied(found))
    session.flush()
    notify(session, found.user_id, "imports")
    notify(session, found.user_id, "shelf")


def _add_rows(session: Session, found: Import, rows: Sequence[Row]) -> None:
    lines = [row["line"] for row in rows]
    if not lines or found.loaded + 1 != min(lines):
        raise RestoreStoppedError(STOPPED)
    _write(session, ADD_ROWS, found, rows)
    found.loaded = max(lines)
    session.flush()  # there are no more outcomes than rows


def _change_rows(session: Session, found: Import, rows: Sequence[Row]) -> None:
    if _write(session, CHANGE_ROWS, found, rows) != len(rows):
        raise RestoreStoppedError(STOPPED)


def record_created(session: Session, import_id: UUID, created: CreatedRows) -> None:
    """Called in the transaction that created the rows."""
    found = _lock_running(session, import_id)
    found.undo = json.loads(json.dumps(merge_created(found.undo or {}, created), default=str))
    session.flush()


def note_end(session: Session, import_id: UUID, problems: Sequence[ListProblem] = ()) -> None:
    """`problems`: lines of lists, which are in the report if they fail."""
    found = _lock_running(session, import_id)
    if found.loaded < found.total:
        raise RestoreStoppedError(STOPPED)
    _note_problems(session, found, problems)
    if not found.failed:
        found.rows_sha256 = None
    found.status, found.finished_at = "finished", func.now()
    found.samples, found.fetching_at = [], None
    session.flush()
    notify(session, found.user_id, "imports")


def _note_problems(session: Session, found: Import, problems: Sequence[ListProblem]) -> None:
    waiting = {(row.file, row.line): row.number for row in session.execute(WAITING, {"import_id": found.id})}
    known = {(problem.member, problem.line) for problem in problems}
    again = [
        _problem(waiting[each.member, each.line], each) for each in problems if (each.member, each.line) in waiting
    ]
    done = [_added_row(number, *key) for key, number in waiting.items() if key not in known]
    new = [each for each in problems if (each.member, each.line) not in waiting]
    added = [_problem(number, each) for number, each in enumerate(new, start=found.total)]
    _write(session, CHANGE_ROWS, found, [*again, *done])
    _write(session, ADD_ROWS, found, added)
    found.total += len(added)
    found.loaded += len(added)
    found.failed += len(again) + len(added)
    found.added += len(done)
    session.flush()


def _write(session: Session, statement: TextClause, found: Import, rows: Sequence[Row]) -> int:
    if not rows:
        return 0
    values = {"import_id": found.id, "rows": json.dumps(rows, default=str)}
    return int(session.execute(statement, values).rowcount)  # type: ignore[attr-defined] # an INSERT or UPDATE has one


def _lock_running(session: Session, import_id: UUID) -> Import:
    query = select(Import).where(Import.id == import_id, Import.status == "running")
    found = session.scalars(query.with_for_update(skip_locked=True)).one_or_none()
    if found is None:
        raise RestoreStoppedError(STOPPED)
    return found


def _added_row(number: int, file: str, line: int) -> Row:
    return {"number": number, "file": file, "line": line, "outcome": "added"}


def _problem(number: int, problem: ListProblem) -> Row:
    about = {"code": InvalidRecordError.code, "message": problem.message[:MAX_MESSAGE_CHARS]}
    return {"number": number, "file": problem.member, "line": problem.line, "outcome": "failed", **about}


def _row(outcome: Outcome) -> Row:
    return {
        "number": outcome.number - 1,
        "file": outcome.part,
        "line": outcome.number,
        "url": outcome.url,
        "title": (outcome.title or "")[:MAX_TITLE_CHARS] or None,
        "outcome": outcome.result,
        "code": outcome.code,
        "message": outcome.message and outcome.message[:MAX_MESSAGE_CHARS],
        "item_id": outcome.item_id,
        "media_id": outcome.media_id,
        "undo": outcome.undo,
    }
