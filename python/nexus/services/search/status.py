"""How far the search indexes of this machine are, for its operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from sqlalchemy import text

from nexus.db.session import Database
from nexus.services.search.change_log import count_changes, wake_indexers
from nexus.services.search.index_folder import IndexFolder

LIBRARIES = text("SELECT id FROM libraries WHERE EXISTS (SELECT FROM library_media WHERE library_id = libraries.id)")


@dataclass(frozen=True)
class Building:
    library_id: UUID
    done: int
    total: int


@dataclass(frozen=True)
class Status:
    path: Path
    is_kept: bool  # a process writes it
    libraries: int
    building: Sequence[Building]
    waiting: int  # entries
    bytes: int
    is_requested: bool  # a rebuild that has not begun yet

    @property
    def is_done(self) -> bool:
        return not self.building and not self.is_requested


def get_status(database: Database, folder: IndexFolder) -> Status:
    reached = folder.reached()
    with database.transaction() as session:
        waiting = 0 if reached is None else count_changes(session, reached)
    builds = ((library_id, folder.build(library_id)) for library_id in folder.unfinished())
    return Status(
        path=folder.path,
        is_kept=not folder.lock().is_free(),
        libraries=len(folder.libraries()),
        building=[Building(library_id, build.done, build.total) for library_id, build in builds if build],
        waiting=waiting,
        bytes=folder.size(),
        is_requested=any(folder.requested()),
    )


def request_rebuild(database: Database, folder: IndexFolder) -> None:
    """Requests it for all libraries. The process that writes the indexes does it."""
    with database.transaction() as session:
        for library_id in session.scalars(LIBRARIES):
            folder.request_rebuild(library_id)
        wake_indexers(session)
