"""What waits for the store: originals in the database, pictures that were not fetched yet."""

from sqlalchemy import text
from sqlalchemy.orm import Session

STATES = ("pending", "kept", "gone", "refused")


def waiting_originals(session: Session) -> int:
    if session.scalar(text("SELECT to_regclass('waiting_originals')")) is None:
        return 0
    return int(session.scalar(text("SELECT count(*) FROM waiting_originals")) or 0)


def picture_states(session: Session) -> dict[str, int]:
    found = dict.fromkeys(STATES, 0)
    has_state = text("""
        SELECT 1 FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name = 'media_images' AND column_name = 'state'
    """)
    if session.scalar(has_state):
        for state, count in session.execute(text("SELECT state, count(*) FROM media_images GROUP BY state")):
            found[state] = count
    return found
