from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, FetchedValue, ForeignKey, Identity, Index, false, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Created, Id, Updated


class Library(Base):
    """A media is readable by a user if and only if it is in a library of theirs (services/access.py)."""

    __tablename__ = "libraries"
    __table_args__ = (
        Index(None, "owner_user_id"),
        Index("uq_libraries_default", "owner_user_id", unique=True, postgresql_where=text("is_default")),
    )

    id: Mapped[Id]
    owner_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    is_default: Mapped[bool] = mapped_column(server_default=false())
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]


class LibraryMedia(Base):
    """A library entry. Triggers keep kind and status, so that a library can be listed by either."""

    __tablename__ = "library_media"
    __table_args__ = (
        Index(None, "media_id"),
        Index("ix_library_media_shelf", "library_id", "kind", "status", text("created_at DESC"), text("media_id DESC")),
        Index(
            "ix_library_media_unread",
            "library_id",
            "kind",
            text("created_at DESC"),
            text("media_id DESC"),
            postgresql_where=text("read_at IS NULL AND status = 'succeeded'"),
        ),
    )

    library_id: Mapped[UUID] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[Created]
    kind: Mapped[str] = mapped_column(server_default=FetchedValue())
    status: Mapped[str] = mapped_column(server_default=FetchedValue())
    read_at: Mapped[datetime | None]


class LibraryCount(Base):
    """Changes of the number of library entries of a kind and status, read or not; the sum is the number."""

    __tablename__ = "shelf_counts"
    __table_args__ = (Index(None, "library_id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    library_id: Mapped[UUID] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    kind: Mapped[str]
    status: Mapped[str]
    is_read: Mapped[bool] = mapped_column(server_default=false())
    difference: Mapped[BigCount]
