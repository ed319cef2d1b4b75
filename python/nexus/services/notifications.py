"""What the user's open streams are told of: written here with a change, read in services/events.py."""

from typing import Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.channels import STATUS

# The payload is the user's id, ":" and one of these, with ":" and the id of a media behind those of the second line;
# triggers of the schema send ids of items, too, and `shelf` and `text`.
Whole = Literal["shelf", "tags", "imports", "exports"]
OfMedia = Literal["read", "position", "text", "entry", "highlights"]
NOTIFY = text("SELECT pg_notify(:channel, :payload)")


def notify(session: Session, user_id: UUID, what: Whole) -> None:
    session.execute(NOTIFY, {"channel": STATUS, "payload": f"{user_id}:{what}"})


def notify_of_media(session: Session, user_id: UUID, what: OfMedia, media_id: UUID) -> None:
    session.execute(NOTIFY, {"channel": STATUS, "payload": f"{user_id}:{what}:{media_id}"})
