"""The open index writers. They stay open, because the engine goes on merging in the background after a commit."""

from collections import OrderedDict
from uuid import UUID

from nexus.errors import BrokenIndexError
from nexus.logging import get_logger
from nexus.search.index import Batch, LibraryIndex
from nexus.services.search.index_folder import IndexFolder

log = get_logger(__name__)

# Each takes 30 MB and threads.
MAX_OPEN = 3


class Writers:
    def __init__(self, folder: IndexFolder) -> None:
        self._folder = folder
        self._open: OrderedDict[UUID, Batch] = OrderedDict()

    def batch(self, library_id: UUID) -> Batch:
        found = self._open.get(library_id)
        if found is None:
            if len(self._open) >= MAX_OPEN:
                self.drop(next(iter(self._open)))
            found = self._open[library_id] = LibraryIndex(self._folder.index_path(library_id)).open_batch()
        self._open.move_to_end(library_id)
        return found

    def opened(self, library_id: UUID) -> Batch | None:
        return self._open.get(library_id)

    def drop(self, library_id: UUID) -> None:
        found = self._open.pop(library_id, None)
        if found is None:
            return
        try:
            found.close()
        except BrokenIndexError as error:
            log.warning("a search index could not be closed", library=str(library_id), reason=str(error))

    def close(self) -> None:
        for library_id in list(self._open):
            self.drop(library_id)
