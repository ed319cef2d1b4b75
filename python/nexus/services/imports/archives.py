"""An archive of Nexus among the uploads: its preview, and what is noted while it is restored."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from nexus.db.models import Import
from nexus.errors import ExportEmptyError, InvalidRecordError, RestoreStoppedError
from nexus.services.archives.archive_file import ArchiveFile, is_archive
from nexus.services.archives.records import Record, read_record
from nexus.services.archives.restore import Outcome
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
from nexus.text.process_pool import TextPool

SOURCE, LABEL = "nexus", "Nexus archive"
PIECE = 1 << 20
ZIP_START = b"PK\x03\x04"
MAX_MESSAGE_CHARS, MAX_TITLE_CHARS = 1000, 1000
STOPPED = "The import was paused or cancelled, or another worker goes on with it."

NEXT = text("""
    SELECT id, user_id, loaded, total, rows_sha256, coalesce((summary ->> 'is_operator')::boolean, false) AS is_operator
    FROM imports WHERE status = 'running' AND source = 'nexus' AND id <> ALL(:without) ORDER BY updated_at LIMIT 1
""")
ADD_ROWS = text("""
    INSERT INTO import_rows (import_id, number, file, line, url, title, record, outcome, code, message, item_id,
                             media_id, applied_at)
    SELECT :import_id, number, file, line, url, title, '{"kind": "archive"}', outcome, code, message,
           (SELECT id FROM items WHERE id = given.item_id), media_id, now()
    FROM json_to_recordset(CAST(:rows AS json)) AS given (
        number integer, file text, line integer, url text, title text, outcome text, code text, message text,
        item_id uuid, media_id uuid)
    ON CONFLICT DO NOTHING
""")


def find_zip(upload: Upload, source: str | None) -> UploadedFile | None:
    """That may be an archive: whether it is one is asked in a child process, as its directory alone may be huge."""
    if len(upload.files) != 1 or source not in (None, SOURCE):
        return None
    with upload.files[0].path.open("rb") as file:
        return upload.files[0] if file.read(len(ZIP_START)) == ZIP_START else None


def preview_in_child(path: Path) -> ImportSummary | None:
    """None: it is something else. One of a newer Nexus is an archive, too; reading it says so."""
    with closing(
        TextPool(workers=1, deadline_seconds=PROCESSOR_SECONDS, clock_seconds=CLOCK_SECONDS, memory_bytes=MEMORY_BYTES)
    ) as pool:
        return pool.run(preview_archive, path)


def preview_archive(path: Path) -> ImportSummary | None:
    if not is_archive(path):
        return None
    with ArchiveFile(path) as archive:
        if not archive.count:
            raise ExportEmptyError(f"There are no entries in this export ({LABEL}).")
        said = archive.manifest.counts
        counts = ImportCounts(
            items=archive.count, highlights=said.get("highlights", 0), with_content=said.get("texts", 0)
        )
        rows = [_preview(record) for record in _records(archive)]
    return ImportSummary((SOURCE,), (LABEL,), archive.count, counts, rows)


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


def read_pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


@dataclass(frozen=True)
class Restoring:
    """`loaded`: so many lines are done. `sha256`: the archive; None: all of it is done."""

    id: UUID
    user_id: UUID
    loaded: int
    total: int
    sha256: bytes | None
    is_operator: bool

    def user(self, session: Session) -> CurrentUser:
        return CurrentUser(self.user_id, ensure_user(session, self.user_id), self.is_operator)


def next_restoring(session: Session, without: Sequence[UUID] = ()) -> Restoring | None:
    row = session.execute(NEXT, {"without": list(without)}).one_or_none()
    return Restoring(*row) if row else None


def note_batch(session: Session, import_id: UUID, outcomes: Sequence[Outcome]) -> None:
    """In the transaction of the batch: it is noted if and only if it is done, and in the order of the lines."""
    found = _held(session, import_id)
    numbers = [outcome.number for outcome in outcomes]
    if found is None or not numbers or found.loaded + 1 != min(numbers):
        raise RestoreStoppedError(STOPPED)
    session.execute(ADD_ROWS, {"import_id": import_id, "rows": json.dumps([_row(each) for each in outcomes])})
    for outcome in outcomes:
        setattr(found, outcome.result, getattr(found, outcome.result) + 1)
    found.loaded = max(numbers)
    found.is_fetching = found.is_fetching or any(outcome.result == "added" for outcome in outcomes)
    note_sample(found, applied(found))
    session.flush()
    notify(session, found.user_id, "imports")
    notify(session, found.user_id, "shelf")


def note_end(session: Session, import_id: UUID) -> None:
    found = _held(session, import_id)
    if found is None or found.loaded < found.total:
        raise RestoreStoppedError(STOPPED)
    found.status, found.finished_at, found.rows_sha256 = "finished", func.now(), None
    found.samples, found.fetching_at = [], None
    session.flush()
    notify(session, found.user_id, "imports")


def _held(session: Session, import_id: UUID) -> Import | None:
    query = select(Import).where(Import.id == import_id, Import.status == "running")
    return session.scalars(query.with_for_update(skip_locked=True)).one_or_none()


def _row(outcome: Outcome) -> dict[str, Any]:
    return {
        "number": outcome.number - 1,
        "file": outcome.part,
        "line": outcome.number,
        "url": outcome.url,
        "title": (outcome.title or "")[:MAX_TITLE_CHARS] or None,
        "outcome": outcome.result,
        "code": outcome.code,
        "message": outcome.message and outcome.message[:MAX_MESSAGE_CHARS],
        "item_id": outcome.item_id and str(outcome.item_id),
        "media_id": outcome.media_id and str(outcome.media_id),
    }
