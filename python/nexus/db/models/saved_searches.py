from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, Created, Id


class SavedSearch(Base):
    """A user's filters, words and order under a name."""

    __tablename__ = "saved_searches"
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    query: Mapped[dict[str, Any]] = mapped_column(JSONB)
    sort: Mapped[str]
    position: Mapped[int]
    created_at: Mapped[Created]
