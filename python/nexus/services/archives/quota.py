"""How much of originals and pictures a user may have: what exceeds it is not restored."""

import math
from collections.abc import Iterable, Mapping
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.services.archives.records import Record
from nexus.services.archives.rows import KeptBlob
from nexus.services.archives.targets import RestoreTarget
from nexus.services.originals.quota import USED
from nexus.services.pictures.queue import bytes_of_user
from nexus.services.users import CurrentUser


class RestoreQuota:
    """Read once, then counted: hardly anything else writes to the user's library during a restore."""

    def __init__(self, original_bytes: int, picture_bytes: int) -> None:
        """`picture_bytes`: 0 for no limit, as for those that a worker fetches."""
        self._original_bytes: float = original_bytes
        self._picture_bytes: float = picture_bytes or math.inf
        self._counted: set[str] = set()

    def load(self, session: Session, user: CurrentUser) -> None:
        self._original_bytes -= int(session.scalar(USED, {"user_id": user.user_id}) or 0)
        self._picture_bytes -= bytes_of_user(session, user.user_id)

    def take(
        self, records: Iterable[Record], targets: Mapping[UUID, RestoreTarget], blobs: Mapping[str, KeptBlob]
    ) -> frozenset[str]:
        """Counts what these records name, each blob once. Those for which there is no room."""
        full: set[str] = set()
        for record in records:
            target = targets[record.id]
            if not target.is_new:
                continue
            for row in record.originals:
                self._original_bytes -= self._size(row["sha256"], blobs, self._original_bytes, full)
            for row in record.pictures if target.has_own_pictures(record) else ():
                self._picture_bytes -= self._size(row["sha256"], blobs, self._picture_bytes, full)
        return frozenset(full)

    def _size(self, sha256: str | None, blobs: Mapping[str, KeptBlob], left: float, full: set[str]) -> int:
        kept = blobs.get(sha256) if sha256 else None
        if sha256 is None or kept is None or sha256 in self._counted:
            return 0
        if kept.size > left:
            full.add(sha256)
            return 0
        self._counted.add(sha256)
        return kept.size
