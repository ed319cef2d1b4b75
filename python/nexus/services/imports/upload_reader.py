"""Reads uploaded files in a child process that can be killed, and stores the rows and their preview. Nothing is added
to the library yet."""

import asyncio
import json
from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from nexus.db.models import Import
from nexus.db.session import Database
from nexus.errors import ImportUnreadableError, ProcessPoolError, TooManyUploadsError
from nexus.logging import get_logger
from nexus.services.imports.archives import find_zip, preview_in_child, read_chunks
from nexus.services.imports.limits import check_room
from nexus.services.imports.stored_rows import compress_rows
from nexus.services.imports.uploads import Upload, UploadedFile, Uploads
from nexus.services.notifications import notify
from nexus.services.users import CurrentUser
from nexus.store import Blob, BlobStore
from nexus.store.rows import keep_blob
from nexus.system.daemon_threads import DaemonThreads
from nexus.text.imports.read_export import ImportSummary, read_export_in_child
from nexus.web.egress.shares import SharedSlots

log = get_logger(__name__)

MAX_PREVIEWS = 2
MAX_UPLOADS_PER_USER = 3
MAX_PREVIEWS_PER_USER = 1
ROWS = "rows"
MAX_FILES_SHOWN = 100
MAX_SOURCE_CHARS, MAX_LABEL_CHARS = 100, 200
UNREADABLE = "The files could not be read; they may be damaged."


class UploadReader:
    """One per process, with threads of its own, so that a large file delays no other request; nor does it delay the end
    of the server, which an ordinary pool of threads would wait for."""

    def __init__(self, database: Database, store: BlobStore, uploads: Uploads) -> None:
        self.uploads = uploads
        self._database = database
        self._store = store
        self._slots = SharedSlots(MAX_PREVIEWS)
        self._uploading: Counter[UUID] = Counter()  # changed on the event loop only
        self._threads = DaemonThreads("nexus-imports")

    @contextmanager
    def uploading(self, user: CurrentUser) -> Iterator[None]:
        """A slow upload takes disk and a connection, for hours if its client likes."""
        if self._uploading[user.user_id] >= MAX_UPLOADS_PER_USER:
            raise TooManyUploadsError("You have other unfinished uploads. Try again when they have finished.")
        self._uploading[user.user_id] += 1
        try:
            yield
        finally:
            self._uploading[user.user_id] -= 1
            self._uploading += Counter()  # drops zero counts

    def check_room(self, user: CurrentUser) -> None:
        """Before anything is received; `preview` checks it once more."""
        with self._database.transaction() as session:
            check_room(session, user)

    async def preview(self, user: CurrentUser, upload: Upload, source: str | None) -> UUID:
        shares: dict[Hashable, int] = {("owner", user.user_id): MAX_PREVIEWS_PER_USER}
        future = await self._slots.submit(self._threads, shares, partial(self._preview, user, upload, source))
        return await asyncio.wrap_future(future)

    def _preview(self, user: CurrentUser, upload: Upload, source: str | None) -> UUID:
        path = upload.folder / ROWS
        archive = find_zip(upload, source)
        if archive is not None and (made := self._preview_archive(user, upload, archive)) is not None:
            return made
        summary = self._read(upload, source)
        upload.leave_reserve(0)
        rows = self._store.put(compress_rows(path))
        return self._keep(user, upload, summary, rows)

    def _preview_archive(self, user: CurrentUser, upload: Upload, archive: UploadedFile) -> UUID | None:
        """Stores the archive as it is, since most of it is files. None if it is not an archive of Nexus."""
        try:
            summary = preview_in_child(archive.path)
        except ProcessPoolError as error:
            log.exception("an uploaded archive could not be read")
            raise ImportUnreadableError(UNREADABLE) from error
        if summary is None:
            return None
        with archive.path.open("rb") as file:
            kept = self._store.put(read_chunks(file))
        return self._keep(user, upload, summary, kept)

    def _read(self, upload: Upload, source: str | None) -> ImportSummary:
        files = [(file.name, file.path) for file in upload.files]
        try:
            return read_export_in_child(files, upload.folder / ROWS, source=source, reserve=upload.reserve)
        except ProcessPoolError as error:
            log.exception("an upload could not be read")
            raise ImportUnreadableError(UNREADABLE) from error

    def _keep(self, user: CurrentUser, upload: Upload, summary: ImportSummary, rows: Blob) -> UUID:
        with self._database.transaction() as session:
            check_room(session, user, lock=True)
            keep_blob(session, rows)
            made = Import(
                user_id=user.user_id,
                files=[{"name": file.name, "size": file.size} for file in upload.files[:MAX_FILES_SHOWN]],
                rows_sha256=rows.sha256,
                **_columns(summary, user, len(upload.files)),
            )
            session.add(made)
            session.flush()
            notify(session, user.user_id, "imports")
            return made.id


def _columns(summary: ImportSummary, user: CurrentUser, files: int) -> dict[str, Any]:
    kept = {
        "is_operator": user.is_operator,  # an archive's pages may be shared where the operator is alone
        "counts": asdict(summary.counts) | {"files": files},
        "rows": [asdict(row) for row in summary.rows],
        "problems": [asdict(problem) for problem in summary.problems],
    }
    return {
        "source": "+".join(summary.sources)[:MAX_SOURCE_CHARS],
        "label": ", ".join(summary.labels)[:MAX_LABEL_CHARS],
        "total": summary.total,
        "summary": json.loads(json.dumps(kept, default=datetime.isoformat)),
    }
