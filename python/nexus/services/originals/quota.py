"""How much of the originals a user may have: the sum over the media in their libraries, shared ones included."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.access import IS_OWN_ENTRY

# The sum reads an index entry for each media of the user: 0.2 s with 100 000 of them.
CACHE_SECONDS = 600.0
MAX_KNOWN_USERS = 10_000

USERS = text("""
    SELECT DISTINCT libraries.owner_user_id
    FROM library_media JOIN libraries ON libraries.id = library_media.library_id
    WHERE library_media.media_id = :media_id
""")
USED = text(f"""
    SELECT coalesce(sum(size), 0) FROM (
        SELECT DISTINCT originals.sha256, originals.size
        FROM libraries JOIN library_media ON {IS_OWN_ENTRY}
        JOIN originals ON originals.media_id = library_media.media_id
        WHERE originals.sha256 IS NOT NULL
    ) AS kept
""")  # noqa: S608 - our own constant


@dataclass
class _Usage:
    size: int
    until: float


class OriginalQuota:
    """Remembers for ten minutes how much each user has, and adds what it admits meanwhile.

    Several workers may together exceed the limit by what they store in that time.
    """

    def __init__(self, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._known: dict[UUID, _Usage] = {}

    def admits(self, session: Session, media_id: UUID, size: int) -> bool:
        """Whether one of the users who have this media has room for its original; it then counts for all of them."""
        users = session.scalars(USERS, {"media_id": media_id}).all()
        # Those whose sum is known first: thousands may have a text, and one with room is enough.
        users = sorted(users, key=lambda user_id: user_id not in self._known)
        if users and not any(self._usage(session, user_id).size + size <= self._max_bytes for user_id in users):
            return False
        for user_id in users:
            if usage := self._known.get(user_id):  # the sums of the others will have it
                usage.size += size
        return True

    def _usage(self, session: Session, user_id: UUID) -> _Usage:
        usage = self._known.get(user_id)
        if usage is None or usage.until < self._clock():
            self._known.pop(user_id, None)
            if len(self._known) >= MAX_KNOWN_USERS:
                del self._known[next(iter(self._known))]  # the oldest
            used = int(session.execute(USED, {"user_id": user_id}).scalar_one())
            usage = self._known[user_id] = _Usage(used, self._clock() + CACHE_SECONDS)
        return usage
