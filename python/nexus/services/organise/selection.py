"""Which entries are changed at once: those with given ids, or those that filters and a search find."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError, TooManyEntriesError
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.library.query_plan import match_ids
from nexus.services.lifecycle import lock_removed
from nexus.services.locks import hold_many
from nexus.services.search.indexes import Indexes
from nexus.services.search.search import search_ids
from nexus.services.users import CurrentUser

MAX_ENTRIES = 10_000

# An id may be one under which the user knew a media that was merged away.
OWN_IDS = text("""
    SELECT given.id AS given_id, library_media.media_id
    FROM unnest(CAST(:ids AS uuid[])) AS given(id)
    LEFT JOIN media_aliases ON media_aliases.alias_id = given.id AND media_aliases.user_id = :user_id
    JOIN library_media ON library_media.library_id = :library_id
        AND library_media.media_id = coalesce(media_aliases.media_id, given.id)
""")


@dataclass(frozen=True)
class Chosen:
    """Either by their ids or by filters, with the words of a search where there are some."""

    media_ids: Sequence[UUID] | None = None
    filters: Filters = field(default_factory=Filters)
    query: str | None = None


def lock_chosen(
    session: Session, user: CurrentUser, indexes: Indexes, chosen: Chosen, *, removing: bool = False
) -> list[UUID]:
    """Their media, held, or locked to be removed. The library is locked already. One may be merged away while this
    waits."""
    while True:
        found = find_chosen(session, user, indexes, chosen)
        with session.begin_nested() as attempt:
            there = lock_removed(session, user, found) if removing else hold_many(session, found)
            if there == set(found) == set(own_media(session, user, found).values()):
                return found
            attempt.rollback()


def find_chosen(session: Session, user: CurrentUser, indexes: Indexes, chosen: Chosen) -> list[UUID]:
    if chosen.media_ids is not None:
        own = own_media(session, user, chosen.media_ids)
        if missing := [media_id for media_id in chosen.media_ids if media_id not in own]:
            raise NotFoundError(f"{missing[0]} is not in your library, so nothing was changed.")
        return sorted(set(own.values()))
    if chosen.query is not None:
        found = search_ids(session, user, indexes, chosen.query, chosen.filters, limit=MAX_ENTRIES + 1)
    else:
        conditions = build_conditions(session, user, chosen.filters, archived="false")
        found = match_ids(session, chosen.filters, conditions, limit=MAX_ENTRIES + 1)
    if len(found) > MAX_ENTRIES:
        raise TooManyEntriesError(f"This would change more than {MAX_ENTRIES} entries; do it in several steps.")
    return sorted(found)


def own_media(session: Session, user: CurrentUser, media_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """Those that are in the user's library, by the ids they were given as."""
    values = {"ids": list(media_ids), "user_id": user.user_id, "library_id": user.default_library_id}
    return {row.given_id: row.media_id for row in session.execute(OWN_IDS, values)}
