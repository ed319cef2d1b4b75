"""How much of originals and pictures a user may have: what exceeds it is not restored."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.archives.records import Record
from nexus.services.archives.rows import KeptBlob
from nexus.services.archives.targets import Target
from nexus.services.originals.quota import USED
from nexus.services.users import CurrentUser

USED_BY_PICTURES = text("""
    SELECT coalesce(sum(size), 0) FROM (
        SELECT DISTINCT media_images.sha256, media_images.size
        FROM library_media JOIN media_images ON media_images.media_id = library_media.media_id
        WHERE library_media.library_id = :library_id AND media_images.sha256 IS NOT NULL
    ) AS kept
""")


class Quota:
    """Asked once, then counted: a restore is one of few writers of its user's library."""

    def __init__(self, original_bytes: int, picture_bytes: int) -> None:
        self._original_bytes = original_bytes
        self._picture_bytes = picture_bytes
        self._counted: set[str] = set()

    def load(self, session: Session, user: CurrentUser) -> None:
        values = {"user_id": user.user_id, "library_id": user.default_library_id}
        self._original_bytes -= int(session.scalar(USED, values) or 0)
        self._picture_bytes -= int(session.scalar(USED_BY_PICTURES, values) or 0)

    def take(
        self, records: Iterable[Record], targets: Mapping[UUID, Target], blobs: Mapping[str, KeptBlob]
    ) -> frozenset[str]:
        """Counts what these records name, each blob once. Those for which there is no room."""
        full: set[str] = set()
        for record in records:
            if targets[record.id].is_new:
                for row in record.originals:
                    self._original_bytes -= self._size(row["sha256"], blobs, self._original_bytes, full)
                for row in record.pictures:
                    self._picture_bytes -= self._size(row["sha256"], blobs, self._picture_bytes, full)
        return frozenset(full)

    def _size(self, sha256: str | None, blobs: Mapping[str, KeptBlob], left: int, full: set[str]) -> int:
        kept = blobs.get(sha256) if sha256 else None
        if sha256 is None or kept is None or sha256 in self._counted:
            return 0
        if kept.size > left:
            full.add(sha256)
            return 0
        self._counted.add(sha256)
        return kept.size
