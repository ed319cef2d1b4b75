"""Entries of a user's library that are like one of them."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import BrokenIndexError
from nexus.search.languages import guess_language
from nexus.search.related import MAX_CHARS
from nexus.services.library.entries import Entry
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.locks import find_readable
from nexus.services.search.hits import check_entries
from nexus.services.search.indexes import Indexes
from nexus.services.users import CurrentUser

# Some may have been removed a moment ago, and one is the text itself.
SPARE = 5
TEXT = text("""
    SELECT media.title, media.lang, left(string_agg(canonical_text, chr(10) ORDER BY idx), :chars) AS words
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = :media_id GROUP BY media.id
""")


def related_entries(
    session: Session, user: CurrentUser, indexes: Indexes, media_id: UUID, *, limit: int
) -> Sequence[Entry]:
    """The closest first; none while there is no text, or no index yet."""
    found = find_readable(session, user, media_id)
    row = session.execute(TEXT, {"media_id": found, "chars": MAX_CHARS}).one_or_none()
    snapshot = indexes.open(session, user.default_library_id).snapshot if row else None
    if row is None or snapshot is None:
        return []
    try:
        near = snapshot.related(
            f"{row.title or ''}\n{row.words}", row.lang or guess_language(row.words), limit=limit + SPARE
        )
    except BrokenIndexError as error:
        indexes.report(session, user.default_library_id, error)
        return []
    conditions = build_conditions(session, user, Filters(), archived="any")
    return check_entries(session, conditions, [other for other in near if other != found])[:limit]
