"""Writes a library into a ZIP, with a bounded part of it in memory.

The rows are read in one REPEATABLE READ transaction, so that they fit together; blobs, which never change, after it. A
blob that was removed in the meantime, or that the store does not have intact, is listed as missing.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain
from typing import IO, Any
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.errors import BlobDamagedError, BlobMissingError
from nexus.services.archives import layout, record_sql
from nexus.services.users import CurrentUser
from nexus.store import BlobStore

PAGE_MEDIA = 100
PAGE_BYTES = 4 << 20
LEVEL = 6

Progress = Callable[[int, int], None]  # done, total; may raise to stop


def _no_progress(done: int, total: int) -> None:
    pass


@dataclass
class ArchiveSummary:
    """What an archive has."""

    media: int = 0
    blobs: int = 0
    missing: list[dict[str, str]] = field(default_factory=list)
    left_out: list[dict[str, Any]] = field(default_factory=list)


def write_archive(
    database: Database,
    store: BlobStore,
    user: CurrentUser,
    sink: IO[bytes],
    *,
    media_ids: Sequence[UUID] | None = None,
    on_progress: Progress = _no_progress,
) -> ArchiveSummary:
    """`sink` need not be seekable. `media_ids`: only these. What `on_progress` raises ends it."""
    with ZipFile(sink, "w", ZIP_DEFLATED, compresslevel=LEVEL) as file:
        return _Writer(store, user, file, on_progress).write(database, media_ids)


class _Writer:
    def __init__(self, store: BlobStore, user: CurrentUser, file: ZipFile, on_progress: Progress) -> None:
        self._store = store
        self._values: dict[str, Any] = {"user_id": user.user_id, "library_id": user.default_library_id}
        self._file = file
        self._on_progress = on_progress
        self._summary = ArchiveSummary()
        now = datetime.now(UTC)
        self._time = now.timetuple()[:6]
        self._manifest = layout.Manifest(now.isoformat(timespec="seconds"), f"nexus {version('nexus')}")
        self._blobs: dict[bytes, int] = {}  # to be read from the store, with their sizes
        self._copied: dict[bytes, int] = {}

    def write(self, database: Database, media_ids: Sequence[UUID] | None) -> ArchiveSummary:
        self._add(layout.README, layout.ABOUT.encode())
        with database.transaction() as session:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            self._add_media(session, media_ids)
            lists = record_sql.LISTS if media_ids is not None else record_sql.LISTS | record_sql.LISTS_OF_ALL
            chosen = None if media_ids is None else list(media_ids)
            found = session.execute(record_sql.COUNTS, self._values | {"chosen": chosen}).one()
            self._manifest.counts |= {"highlights": found.highlights, "texts": found.texts}
            for name, query in lists.items():
                self._add_lines(name, session.scalars(query, self._values | {"chosen": chosen}))
        self._add_blobs()
        self._manifest.counts |= {"media": self._summary.media, "blobs": self._summary.blobs}
        self._manifest.missing_blobs = self._summary.missing[: layout.MAX_NAMED]
        self._manifest.left_out = self._summary.left_out[: layout.MAX_NAMED]
        with self._open(layout.MANIFEST) as member:
            member.write(self._manifest.to_json().encode())
        return self._summary

    def _add_media(self, session: Session, media_ids: Sequence[UUID] | None) -> None:
        ids = None if media_ids is None else list(media_ids)
        found = session.execute(record_sql.MEDIA_IDS, self._values | {"ids": ids}).all()
        number, size = 1, 0
        lines: list[bytes] = []
        for page in _pages([(row.media_id, int(row.size)) for row in found]):
            for line in self._records(session, page):
                if lines and size + len(line) > layout.PART_BYTES:
                    self._add_part(number, lines)
                    number, lines, size = number + 1, [], 0
                lines.append(line)
                size += len(line) + 1
            self._summary.media += len(page)
            self._on_progress(self._summary.media, len(found))
        if lines:
            self._add_part(number, lines)

    def _records(self, session: Session, page: Sequence[tuple[UUID, int]]) -> Iterator[bytes]:
        ids = [media_id for media_id, _ in page]
        left_out = self._too_large(session, *page[0]) if len(page) == 1 else []
        values = self._values | {"ids": ids, "left_out": left_out, "left_out_of": ids[0]}
        for sha256, size in session.execute(record_sql.BLOBS_OF, values):
            self._blobs.setdefault(bytes(sha256), size)
        self._add_waiting(session, ids)
        for _, record in session.execute(record_sql.RECORDS, values):
            yield record.encode()

    def _too_large(self, session: Session, media_id: UUID, size: int) -> list[int]:
        """Old versions of a media that has more text than one record may have."""
        left_out: list[int] = []
        if size > layout.MAX_TEXT_BYTES:
            used = 0
            for row in session.execute(record_sql.VERSION_SIZES, {"media_id": media_id}):
                used += int(row.size)
                if used > layout.MAX_TEXT_BYTES and used > row.size:
                    left_out.append(row.version)
        for number in left_out:
            self._summary.left_out.append({"media_id": str(media_id), "version": number, "reason": "too_large"})
        return left_out

    def _add_waiting(self, session: Session, ids: Sequence[UUID]) -> None:
        """Originals that are on their way into the store."""
        for sha256, content in session.execute(record_sql.WAITING, self._values | {"ids": ids}):
            if bytes(sha256) not in self._copied:
                self._copied[bytes(sha256)] = len(content)
                with self._open_blob(bytes(sha256).hex(), len(content)) as member:
                    member.write(content)

    def _add_part(self, number: int, lines: Sequence[bytes]) -> None:
        self._add(layout.part_name(number), b"\n".join(lines) + b"\n", len(lines))

    def _add_lines(self, name: str, lines: Iterable[str]) -> None:
        encoded = [line.encode() + b"\n" for line in lines]
        self._add(name, b"".join(encoded), len(encoded))
        self._manifest.counts[name.removesuffix(".jsonl")] = len(encoded)

    def _add(self, name: str, content: bytes, lines: int | None = None) -> None:
        with self._open(name) as member:
            member.write(content)
        digest = hashlib.sha256(content).hexdigest()
        self._manifest.members.append(layout.Member(name, len(content), digest, lines))

    def _add_blobs(self) -> None:
        for sha256, size in self._blobs.items():
            if sha256 not in self._copied:
                self._copy_blob(sha256, size)
            self._on_progress(self._summary.media, self._summary.media)
        self._summary.blobs = len(self._copied)
        lines = [json.dumps({"sha256": sha256.hex(), "size": size}) for sha256, size in sorted(self._copied.items())]
        self._add_lines(layout.BLOBS, lines + [json.dumps(each) for each in self._summary.missing])

    def _copy_blob(self, sha256: bytes, size: int) -> None:
        """Its first chunk is there before a member is begun: what is missing leaves none. A large blob that turns out
        to be damaged leaves a member with other bytes than its name says, which whoever reads it finds out."""
        try:
            chunks = self._store.read(sha256)
            first = next(chunks, b"")
            with self._open_blob(sha256.hex(), size) as member:
                for chunk in chain((first,), chunks):
                    member.write(chunk)
        except (BlobMissingError, BlobDamagedError) as error:
            self._summary.missing.append({"sha256": sha256.hex(), "problem": error.code})
        else:
            self._copied[sha256] = size

    def _open(self, name: str) -> IO[bytes]:
        info = ZipInfo(name, self._time)
        info.compress_type = ZIP_DEFLATED
        return self._file.open(info, "w", force_zip64=True)

    def _open_blob(self, sha256: str, size: int) -> IO[bytes]:
        """Not compressed: pictures and originals are already."""
        info = ZipInfo(layout.blob_name(sha256), self._time)
        info.compress_type = ZIP_STORED
        return self._file.open(info, "w", force_zip64=size > 1 << 30)


def _pages(found: Sequence[tuple[UUID, int]]) -> Iterator[list[tuple[UUID, int]]]:
    """Media with the sizes of their texts; a large one is a page of its own."""
    page: list[tuple[UUID, int]] = []
    size = 0
    for each in found:
        if page and (len(page) >= PAGE_MEDIA or size + each[1] > PAGE_BYTES):
            yield page
            page, size = [], 0
        page.append(each)
        size += each[1]
    if page:
        yield page
