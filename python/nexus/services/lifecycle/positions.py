"""Moves positions to the media that replaces a library entry's media, and removes them with the entry."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

HAVE_POSITIONS = text("SELECT DISTINCT media_id FROM positions WHERE media_id = ANY(:ids)")
# Without a version, because the other media has other texts, in which the sentence is searched.
MOVE_TEXT = text("""
    INSERT INTO positions (user_id, media_id, text_at, fragment_idx, text_offset, words, share, fraction, text_device)
    SELECT user_id, :new_id, text_at, fragment_idx, text_offset, words, share, fraction, text_device
    FROM positions WHERE media_id = :old_id AND user_id = coalesce(CAST(:user_id AS uuid), user_id)
      AND text_at IS NOT NULL
    ON CONFLICT (user_id, media_id) DO UPDATE
    SET (text_at, version, fragment_idx, text_offset, words, share, fraction, text_device)
      = (excluded.text_at, NULL, excluded.fragment_idx, excluded.text_offset, excluded.words, excluded.share,
         excluded.fraction, excluded.text_device)
    WHERE positions.text_at IS NULL OR excluded.text_at > positions.text_at
""")
MOVE_AUDIO = text("""
    INSERT INTO positions (user_id, media_id, audio_at, audio_ms, audio_device)
    SELECT user_id, :new_id, audio_at, audio_ms, audio_device
    FROM positions WHERE media_id = :old_id AND user_id = coalesce(CAST(:user_id AS uuid), user_id)
      AND audio_at IS NOT NULL
    ON CONFLICT (user_id, media_id) DO UPDATE
    SET (audio_at, audio_ms, audio_device) = (excluded.audio_at, excluded.audio_ms, excluded.audio_device)
    WHERE positions.audio_at IS NULL OR excluded.audio_at > positions.audio_at
""")
DELETE = text("DELETE FROM positions WHERE media_id = :media_id AND user_id = :user_id")


def move_positions(session: Session, pairs: Sequence[tuple[UUID, UUID]], user_id: UUID | None = None) -> None:
    """From the first to the second media of each pair, of all users or one. If both have a position the later one
    stays."""
    with_positions = set(session.scalars(HAVE_POSITIONS, {"ids": [old_id for old_id, _ in pairs]}))
    for old_id, new_id in pairs:
        if old_id in with_positions:
            for statement in (MOVE_TEXT, MOVE_AUDIO):
                session.execute(statement, {"old_id": old_id, "new_id": new_id, "user_id": user_id})


def delete_position(session: Session, user_id: UUID, media_id: UUID) -> None:
    session.execute(DELETE, {"media_id": media_id, "user_id": user_id})
