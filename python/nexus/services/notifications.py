"""Notifies a user's open event streams of a change (NOTIFY); services/events.py receives it."""

from typing import Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.channels import STATUS

# The payload is USER_ID:CHANGE, or USER_ID:CHANGE:MEDIA_ID for a change of one media. Triggers of the schema send
# `shelf` and `text`, too, and USER_ID:ITEM_ID for items.
UserChange = Literal["shelf", "tags", "imports", "exports"]
MediaChange = Literal["read", "position", "text", "entry", "highlights"]
NOTIFY = text("SELECT pg_notify(:channel, :payload)")


def notify(session: Session, user_id: UUID, what: UserChange) -> None:
    session.execute(NOTIFY, {"channel": STATUS, "payload": f"{user_id}:{what}"})


def notify_of_media(session: Session, user_id: UUID, what: MediaChange, media_id: UUID) -> None:
    session.execute(NOTIFY, {"channel": STATUS, "payload": f"{user_id}:{what}:{media_id}"})
