"""Where a user is in a media: a sentence of its text, and a moment of its audio. Of each the later one counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.errors import MediaNotReadyError
from nexus.services.access import is_readable
from nexus.services.library.library_lock import decide_time
from nexus.services.locks import find_readable, hold_readable
from nexus.services.media import get_media
from nexus.services.notifications import notify_of_media
from nexus.services.users import CurrentUser
from nexus.text.readings.find_sentence import find_sentence

SENTENCE_CHARS = 80  # of a sentence, to find it in another version
MAX_DEVICE_CHARS = 100

# The words of the sentence; no row when the version has no such fragment.
SENTENCE = text("""
    SELECT substr(here.canonical_text, :offset + 1, :chars) AS words,
           (coalesce(all_of_it.before, 0) + least(:offset, char_length(here.canonical_text)))::float
               / greatest(all_of_it.total, 1) AS share
    FROM fragments AS here, LATERAL (
        SELECT sum(char_length(canonical_text)) FILTER (WHERE idx < here.idx) AS before,
               sum(char_length(canonical_text)) AS total
        FROM fragments WHERE media_id = here.media_id AND version = here.version
    ) AS all_of_it
    WHERE here.media_id = :media_id AND here.version = :version AND here.idx = :fragment_idx
""")
PUT_TEXT = text("""
    INSERT INTO positions (user_id, media_id, text_at, version, fragment_idx, text_offset, words, share, fraction,
                           text_device)
    VALUES (:user_id, :media_id, :decided_at, :version, :fragment_idx, :offset, :words, :share, :fraction, :device)
    ON CONFLICT (user_id, media_id) DO UPDATE
    SET (text_at, version, fragment_idx, text_offset, words, share, fraction, text_device)
      = (excluded.text_at, excluded.version, excluded.fragment_idx, excluded.text_offset, excluded.words,
         excluded.share, excluded.fraction, excluded.text_device)
    WHERE positions.text_at IS NULL OR excluded.text_at > positions.text_at
    RETURNING user_id
""")
PUT_AUDIO = text("""
    INSERT INTO positions (user_id, media_id, audio_at, audio_ms, audio_device)
    VALUES (:user_id, :media_id, :decided_at, :audio_ms, :device)
    ON CONFLICT (user_id, media_id) DO UPDATE
    SET (audio_at, audio_ms, audio_device) = (excluded.audio_at, excluded.audio_ms, excluded.audio_device)
    WHERE positions.audio_at IS NULL OR excluded.audio_at > positions.audio_at
    RETURNING user_id
""")
# For lists in the order of reading; not with every sentence, since each such write costs all indexes of the entry.
NOTE_READING = text("""
    UPDATE library_media SET last_read_at = :decided_at
    WHERE library_id = :library_id AND media_id = :media_id
      AND coalesce(last_read_at, '-infinity') < CAST(:decided_at AS timestamptz) - interval '1 minute'
""")
POSITIONS = text(f"""
    SELECT positions.*, media.current_version
    FROM positions JOIN media ON media.id = positions.media_id
    WHERE positions.user_id = :user_id AND positions.media_id = ANY(:media_ids) AND {is_readable("media.id")}
""")  # noqa: S608
CURRENT_TEXT = text("""
    SELECT fragments.idx, fragments.canonical_text FROM fragments JOIN media ON media.id = fragments.media_id
    WHERE media.id = :media_id AND fragments.version = media.current_version ORDER BY fragments.idx
""")


@dataclass(frozen=True)
class TextPosition:
    """`version`: None is the current one. `fraction`: how much has been read."""

    fragment_idx: int
    offset: int
    fraction: float
    version: int | None = None


@dataclass(frozen=True)
class Position:
    """In the current version of the text. None: this user has not been in the text, or has not listened."""

    media_id: UUID
    version: int | None = None
    fragment_idx: int | None = None
    offset: int | None = None
    fraction: float | None = None
    client_time: datetime | None = None
    device: str | None = None
    audio_ms: int | None = None
    audio_time: datetime | None = None
    audio_device: str | None = None


def get_position(session: Session, user: CurrentUser, media_id: UUID) -> Position:
    return _position_in(session, user, find_readable(session, user, media_id))


def list_positions(session: Session, user_id: UUID, media_ids: Sequence[UUID]) -> list[Position]:
    """The positions in those of the media that are in the user's library; not all have one."""
    rows = session.execute(POSITIONS, {"user_id": user_id, "media_ids": list(media_ids)})
    return [_position(session, row) for row in rows.all()]


def put_position(
    session: Session,
    user: CurrentUser,
    media_id: UUID,
    *,
    position: TextPosition | None,
    audio_ms: int | None,
    client_time: datetime | None,
    device: str | None,
) -> Position:
    """What holds afterwards: an earlier decision than the one that is there changes nothing. `client_time`: None is
    now."""
    media_id = hold_readable(session, user, media_id)
    details = get_media(session, user, media_id)
    version = details.version
    if not (details.capabilities.can_read or details.capabilities.can_play) or (position and version is None):
        raise MediaNotReadyError("This cannot be read or played yet, so no position can be stored.")
    named = "".join(filter(str.isprintable, device))[:MAX_DEVICE_CHARS] if device else None
    decided_at = decide_time(session, client_time)
    values = {"user_id": user.user_id, "media_id": media_id, "decided_at": decided_at, "device": named or None}
    changed = []
    if position and version:
        sentence = _sentence(session, media_id, position, position.version or version)
        changed.append(session.execute(PUT_TEXT, values | sentence).one_or_none())
    if audio_ms is not None:
        changed.append(session.execute(PUT_AUDIO, values | {"audio_ms": audio_ms}).one_or_none())
    if any(changed):
        session.execute(NOTE_READING, values | {"library_id": user.default_library_id})
        notify_of_media(session, user.user_id, "position", media_id)
    return _position_in(session, user, media_id)


def _position_in(session: Session, user: CurrentUser, media_id: UUID) -> Position:
    return next(iter(list_positions(session, user.user_id, [media_id])), Position(media_id))


def _sentence(session: Session, media_id: UUID, position: TextPosition, version: int) -> dict[str, Any]:
    """Without a version when it has no such fragment: a client that was offline may know a text that is gone."""
    values = {
        "media_id": media_id,
        "version": version,
        "fragment_idx": position.fragment_idx,
        "offset": position.offset,
    }
    found = session.execute(SENTENCE, values | {"chars": SENTENCE_CHARS}).one_or_none()
    known = {"words": found.words, "share": found.share} if found else {"words": "", "share": position.fraction}
    return values | known | {"version": version if found else None, "fraction": position.fraction}


def _position(session: Session, row: Row[Any]) -> Position:
    fragment_idx, offset = row.fragment_idx, row.text_offset
    if row.text_at is not None and row.version != row.current_version:
        fragments = session.execute(CURRENT_TEXT, {"media_id": row.media_id}).all()
        number, offset = find_sentence([one.canonical_text for one in fragments], row.words, row.share)
        fragment_idx = fragments[number].idx if fragments else 0
    return Position(
        media_id=row.media_id,
        version=row.current_version if row.text_at else None,
        fragment_idx=fragment_idx,
        offset=offset,
        fraction=row.fraction,
        client_time=row.text_at,
        device=row.text_device,
        audio_ms=row.audio_ms,
        audio_time=row.audio_at,
        audio_device=row.audio_device,
    )
