from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, FetchedValue, Identity, Index, func, true
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount


class SearchChange(Base):
    """An entry that is to be indexed again, or is gone. Triggers write it; each machine with an index reads it."""

    __tablename__ = "search_changes"
    __table_args__ = (
        Index(None, "transaction"),
        Index("ix_search_changes_logged_at", "logged_at", postgresql_using="brin"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    # The number of PostgreSQL's transaction, in 64 bits: it never wraps around.
    transaction: Mapped[int] = mapped_column(BigInteger, server_default=FetchedValue())
    library_id: Mapped[UUID]
    media_id: Mapped[UUID]
    logged_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SearchForgotten(Base):
    """One row: the last transaction whose changes were removed from the log."""

    __tablename__ = "search_forgotten"

    is_only: Mapped[bool] = mapped_column(primary_key=True, server_default=true())
    transaction: Mapped[BigCount]
