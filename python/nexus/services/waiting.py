"""What waits for the store: originals in the database, pictures that were not fetched yet."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nexus.db.models import MediaImage, StoredOriginal

STATES = ("pending", "kept", "gone", "refused")


def waiting_originals(session: Session) -> int:
    waiting = select(func.count()).select_from(StoredOriginal).where(StoredOriginal.content.is_not(None))
    return session.scalar(waiting) or 0


def picture_states(session: Session) -> dict[str, int]:
    found = dict.fromkeys(STATES, 0)
    for state, count in session.execute(select(MediaImage.state, func.count()).group_by(MediaImage.state)):
        found[state] = count
    return found
