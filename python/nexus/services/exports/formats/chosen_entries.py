"""The entries of an export, read page by page, so that a library is never in memory as a whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from nexus.db.session import Database
from nexus.services.library.counts import count_all
from nexus.services.library.entries import Entry
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.library.listing import list_entries
from nexus.services.library.sorting import write_page_cursor
from nexus.services.search.hits import check_entries
from nexus.services.users import CurrentUser

PAGE_SIZE = 100
EVERYTHING = Filters(archived="any")


@dataclass(frozen=True)
class ChosenEntries:
    """`media_ids`: of the chosen entries; None: the whole library. `requested_at`: by the database's clock."""

    database: Database
    user: CurrentUser
    media_ids: Sequence[UUID] | None
    total: int
    requested_at: datetime
    query: str | None = None

    @property
    def base_name(self) -> str:
        return f"nexus-{self.requested_at:%Y-%m-%d}"

    @property
    def title(self) -> str:
        """For formats that show a title."""
        if self.query:
            return f"Search: {' '.join(self.query.split())}"
        return "Library" if self.media_ids is None else "Selection"

    def entries(self, after: str | None = None) -> Iterator[Entry]:
        """The oldest first, or in the order they were chosen in; those that left the library meanwhile are not there,
        and no transaction is open while the caller works on one. `after`: a cursor that `cursor_of` gave."""
        for page in self.pages(after):
            yield from page

    def cursor_of(self, entry: Entry) -> str:
        if self.media_ids is None:
            return write_page_cursor("oldest", entry)
        return str(self.media_ids.index(entry.media_id))

    def pages(self, after: str | None = None) -> Iterator[Sequence[Entry]]:
        if self.media_ids is None:
            yield from self._all(after)
            return
        for start in range(0 if after is None else int(after) + 1, len(self.media_ids), PAGE_SIZE):
            with self.database.transaction() as session:
                conditions = build_conditions(session, self.user, EVERYTHING, archived="any")
                found = check_entries(session, conditions, self.media_ids[start : start + PAGE_SIZE])
            yield found

    def _all(self, cursor: str | None) -> Iterator[Sequence[Entry]]:
        while True:
            with self.database.transaction() as session:
                page = list_entries(session, self.user, EVERYTHING, limit=PAGE_SIZE, cursor=cursor, sort="oldest")
            yield page.entries
            cursor = page.next_cursor
            if cursor is None:
                return


def count_entries(database: Database, user: CurrentUser, media_ids: Sequence[UUID] | None) -> int:
    if media_ids is not None:
        return len(media_ids)
    with database.transaction() as session:
        return count_all(session, user.default_library_id)
