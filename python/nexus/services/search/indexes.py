"""The search indexes of this machine, opened read-only."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.errors import BrokenIndexError
from nexus.logging import get_logger
from nexus.search.index import LibraryIndex, Snapshot
from nexus.search.query import Filter, Query, read_query
from nexus.search.schema import EXACT, TEXT_FIELDS
from nexus.services.library.counts import count_all
from nexus.services.search.change_log import identity, wake_indexers
from nexus.services.search.index_folder import IndexFolder

log = get_logger(__name__)

MAX_OPEN = 64


@dataclass(frozen=True)
class IndexState:
    """`building`: `done` of `total` entries can be found."""

    state: Literal["ready", "building"]
    done: int
    total: int


@dataclass(frozen=True)
class OpenedIndex:
    snapshot: Snapshot | None  # None: there is nothing to search yet
    state: IndexState


class Indexes:
    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._folder: IndexFolder | None = None
        self._open: OrderedDict[UUID, LibraryIndex] = OrderedDict()
        self._lock = threading.Lock()

    def folder(self, session: Session) -> IndexFolder:
        if self._folder is None:
            self._folder = IndexFolder(self._data_dir, identity(session))
        return self._folder

    def open(self, session: Session, library_id: UUID) -> OpenedIndex:
        """Asks for a rebuild when the index is broken."""
        folder = self.folder(session)
        build = folder.build(library_id)
        snapshot = None
        if folder.exists(library_id):
            try:
                snapshot = self._snapshot(folder, library_id)
            except BrokenIndexError as error:
                self.report(session, library_id, error)
        if snapshot and folder.is_complete(library_id):
            return OpenedIndex(snapshot, IndexState("ready", snapshot.entries, snapshot.entries))
        total = count_all(session, library_id)
        if total and build is None and snapshot is None:
            self._request_build(session, folder, library_id)
        done = min(build.done, total) if build and snapshot else 0
        return OpenedIndex(snapshot, IndexState("building" if total else "ready", done, total))

    def report(self, session: Session, library_id: UUID, error: BrokenIndexError) -> None:
        """A search failed. Only an index that cannot even be opened and read is rebuilt: the query may be at fault."""
        folder = self.folder(session)
        with self._lock:
            self._open.pop(library_id, None)
        if _is_sound(folder, library_id):
            return
        log.warning("a search index cannot be read", library=str(library_id), reason=str(error))
        if folder.build(library_id) is None:
            self._request_build(session, folder, library_id)

    def _request_build(self, session: Session, folder: IndexFolder, library_id: UUID) -> None:
        try:
            folder.request_rebuild(library_id)
        except OSError as error:  # a full disk
            log.warning("cannot request a build of the search index", reason=str(error))
        wake_indexers(session)

    def _snapshot(self, folder: IndexFolder, library_id: UUID) -> Snapshot:
        with self._lock:
            index = self._open.get(library_id)
            if index is None:
                if len(self._open) >= MAX_OPEN:
                    self._open.popitem(last=False)
                index = self._open[library_id] = LibraryIndex(folder.index_path(library_id), create=False)
            self._open.move_to_end(library_id)
            return index.snapshot()


def _is_sound(folder: IndexFolder, library_id: UUID) -> bool:
    try:
        snapshot = LibraryIndex(folder.index_path(library_id), create=False).snapshot()
        everything = snapshot.prepare(Query(filters=(Filter("until", str(2**62)),)))
        snapshot.hits(everything, limit=10)
        for field in TEXT_FIELDS:
            snapshot.words(field + EXACT, "", 10)
        snapshot.hits(snapshot.prepare(read_query("a ")), limit=10)
    except BrokenIndexError:
        return False
    return True
