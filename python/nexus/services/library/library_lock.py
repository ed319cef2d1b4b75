"""Locks a user's library, so that changes of it are made one after the other, each with a later time than the one
before.

Such a change locks the library, then the media, which are locked in shared mode only (services/locks.py), then the
entries.
"""

from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.users import CurrentUser

LOCK_LIBRARY = text("SELECT FROM libraries WHERE id = :library_id FOR NO KEY UPDATE")
# Not before 1970: Python cannot hold every time that PostgreSQL makes of what a device sends.
DECIDED_AT = text("""
    SELECT greatest(least(coalesce(CAST(:client_time AS timestamptz), 'infinity'), clock_timestamp()), 'epoch')
""")


def lock_library(session: Session, user: CurrentUser) -> None:
    session.execute(LOCK_LIBRARY, {"library_id": user.default_library_id})


def decide_time(session: Session, client_time: datetime | None) -> datetime:
    """When something was decided, asked after the lock. No clock of a device is ahead of this server's."""
    decided_at: datetime = session.execute(DECIDED_AT, {"client_time": client_time}).scalar_one()
    return decided_at
