"""Which texts a download contains: chosen ones, or those that a list or a search shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.errors import NothingToDownloadError, TooManyEntriesError
from nexus.services.library.entries import Entry, get_entry
from nexus.services.library.filters import Filters
from nexus.services.library.listing import list_entries
from nexus.services.media import get_text
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import SearchRequest, search
from nexus.services.users import CurrentUser

MAX_ENTRIES = 100
FAILED = "its text could not be read"
WAITING = "its text is not there yet"


@dataclass(frozen=True)
class LeftOut:
    title: str
    reason: str


@dataclass(frozen=True)
class Selection:
    title: str
    media_ids: Sequence[UUID]
    left_out: Sequence[LeftOut] = ()
    version: int | None = None  # of a single text; None: the current one

    @property
    def is_single(self) -> bool:
        """One text, which gives its title to the file."""
        return len(self.media_ids) == 1 and not self.left_out


def select_one(session: Session, user: CurrentUser, media_id: UUID, version: int | None) -> Selection:
    entry = get_entry(session, user, media_id)
    get_text(session, user, media_id, version)  # there is one to read
    return Selection(entry.title, [entry.media_id], version=version)


def select_media(session: Session, user: CurrentUser, media_ids: Sequence[UUID]) -> Selection:
    if len(media_ids) > MAX_ENTRIES:
        raise _too_many(len(media_ids))
    return _of_entries("Selection", [get_entry(session, user, media_id) for media_id in media_ids])


def select_listed(session: Session, user: CurrentUser, filters: Filters) -> Selection:
    page = list_entries(session, user, filters, limit=MAX_ENTRIES + 1, cursor=None)
    if len(page.entries) > MAX_ENTRIES:
        raise _too_many(None)
    return _of_entries("Library", page.entries)


def select_found(session: Session, user: CurrentUser, indexes: Indexes, request: SearchRequest) -> Selection:
    found = search(session, user, indexes, request, limit=MAX_ENTRIES + 1, cursor=None)
    if len(found.hits) > MAX_ENTRIES:
        raise _too_many(found.total)
    return _of_entries(f"Search: {' '.join(request.typed.split())}", [hit.entry for hit in found.hits])


def _of_entries(title: str, entries: Sequence[Entry]) -> Selection:
    """A single text gives its title to the file."""
    chosen = {entry.media_id: entry for entry in entries}.values()
    ready = [entry for entry in chosen if entry.can_read]
    left_out = [why_left_out(entry) for entry in chosen if not entry.can_read]
    if not ready:
        what = "None of these has a text to read yet" if chosen else "Nothing in your library matches this"
        raise NothingToDownloadError(f"{what}, so there is nothing to download.")
    is_single = len(ready) == 1 and not left_out
    return Selection(ready[0].title if is_single else title, [entry.media_id for entry in ready], left_out)


def why_left_out(entry: Entry) -> LeftOut:
    return LeftOut(entry.title, WAITING if entry.status in ("queued", "processing") else FAILED)


def _too_many(count: int | None) -> TooManyEntriesError:
    has = f"{count} texts" if count else f"more than {MAX_ENTRIES} texts"
    return TooManyEntriesError(
        f"This download would have {has}; one file holds at most {MAX_ENTRIES}. "
        "Search for something, or choose a kind or a status, and download that."
    )
