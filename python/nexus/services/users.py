"""Users, and the library that each of them has from the first request on."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from nexus.db.models import Library, User

DEFAULT_LIBRARY_NAME = "My Library"
# Asked in every request: as text it takes half of the processor time.
DEFAULT_LIBRARY = text("SELECT id FROM libraries WHERE owner_user_id = :user_id AND is_default")


@dataclass(frozen=True)
class CurrentUser:
    """The user of a request. Services take it before all other arguments but the session."""

    user_id: UUID
    default_library_id: UUID
    is_operator: bool


def ensure_user(session: Session, user_id: UUID) -> UUID:
    """The user's default library; both are made on the first request."""
    library_id: UUID | None = session.scalar(DEFAULT_LIBRARY, {"user_id": user_id})
    if library_id:
        return library_id
    # When two first requests come at once, the second insert waits for the first and changes nothing.
    session.execute(insert(User).values(id=user_id).on_conflict_do_nothing())
    session.execute(
        insert(Library)
        .values(owner_user_id=user_id, name=DEFAULT_LIBRARY_NAME, is_default=True)
        .on_conflict_do_nothing(index_elements=["owner_user_id"], index_where=text("is_default"))
    )
    made: UUID = session.scalars(DEFAULT_LIBRARY, {"user_id": user_id}).one()
    return made
