"""How many imports one user may have at a time, and how long the message of a row may be."""

from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import TooManyImportsError
from nexus.services.users import CurrentUser

MAX_UNFINISHED = 10
MAX_IMPORTS = 200
MAX_MESSAGE_CHARS = 1000
PREVIEW_LIFETIME = timedelta(days=7)

# Two uploads that end at once are counted one after the other.
LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended(CAST(:user_id AS text), 39))")
COUNT = text("""
    SELECT count(*) FILTER (WHERE status IN ('previewed', 'running', 'paused')), count(*)
    FROM imports WHERE user_id = :user_id
""")


def check_room(session: Session, user: CurrentUser, *, lock: bool = False) -> None:
    values = {"user_id": user.user_id}
    if lock:
        session.execute(LOCK, values)
    unfinished, in_all = session.execute(COUNT, values).one()
    if unfinished >= MAX_UNFINISHED:
        raise TooManyImportsError(
            f"{unfinished} imports are not finished yet. Delete a preview, or cancel one that runs, and try again."
        )
    if in_all >= MAX_IMPORTS:
        raise TooManyImportsError(f"You have {in_all} imports, which is the limit. Delete some reports and try again.")
