"""The audio of episodes that is kept in the store, for those who can read the episode."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import AudioNotKeptError
from nexus.store import Blob, keep_blob

AUDIO_TYPES = frozenset({"audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm"})
# Nothing where the media was removed meanwhile.
KEEP_AUDIO = text("""
    INSERT INTO media_audio (media_id, sha256, content_type)
    SELECT id, :sha256, :content_type FROM media WHERE id = :media_id FOR KEY SHARE
    ON CONFLICT (media_id) DO NOTHING
""")
KEPT_AUDIO = text("""
    SELECT sha256, size, content_type FROM media_audio JOIN blobs USING (sha256) WHERE media_id = :media_id
""")


@dataclass(frozen=True)
class KeptAudio:
    sha256: bytes
    size: int
    content_type: str


def keep_audio(session: Session, media_id: UUID, blob: Blob, content_type: str) -> None:
    """Names a blob that is in the store. Audio that is kept already stays: the times of the text are its times."""
    keep_blob(session, blob)
    session.execute(KEEP_AUDIO, {"media_id": media_id, "sha256": blob.sha256, "content_type": content_type})


def find_kept_audio(session: Session, media_id: UUID) -> KeptAudio | None:
    row = session.execute(KEPT_AUDIO, {"media_id": media_id}).one_or_none()
    return KeptAudio(*row) if row else None


def require_kept_audio(session: Session, media_id: UUID) -> KeptAudio:
    """The kept audio of a media; raises if there is none. The caller has checked that the user may read the media."""
    found = find_kept_audio(session, media_id)
    if found is None:
        raise AudioNotKeptError("The audio of this episode is not kept here; audio_url says where it is.")
    return found
