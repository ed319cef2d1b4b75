"""In which states the pictures of all texts are."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nexus.db.models import MediaImage

STATES = ("pending", "kept", "gone", "refused")


def picture_states(session: Session) -> dict[str, int]:
    found = dict.fromkeys(STATES, 0)
    for state, count in session.execute(select(MediaImage.state, func.count()).group_by(MediaImage.state)):
        found[state] = count
    return found
