from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, Created, Id, Updated


class User(Base):
    """A person we have seen."""

    __tablename__ = "users"

    id: Mapped[Id]
    created_at: Mapped[Created]


class ApiToken(Base):
    """A bearer token; only its SHA-256 is kept, so it can be checked and revoked but never shown again."""

    __tablename__ = "api_tokens"
    __table_args__ = (UniqueConstraint("secret_sha256"), Index(None, "user_id"))

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    secret_sha256: Mapped[bytes] = mapped_column(LargeBinary)
    label: Mapped[str] = mapped_column(server_default="")
    is_operator: Mapped[bool] = mapped_column(server_default=false())
    created_at: Mapped[Created]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Library(Base):
    """Who may read what: a media is readable if and only if it is in a library of yours."""

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
    __tablename__ = "library_media"
    __table_args__ = (Index(None, "media_id"),)

    library_id: Mapped[UUID] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[Created]
