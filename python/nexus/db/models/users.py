from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, Created, Id


class User(Base):
    """Made on the first request."""

    __tablename__ = "users"

    id: Mapped[Id]
    created_at: Mapped[Created]


class ApiToken(Base):
    """A bearer token; only its SHA-256 is kept, so it can be checked and revoked but never shown again."""

    __tablename__ = "api_tokens"
    __table_args__ = (UniqueConstraint("secret_sha256"), UniqueConstraint("id", "user_id"), Index(None, "user_id"))

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    secret_sha256: Mapped[bytes] = mapped_column(LargeBinary)
    label: Mapped[str] = mapped_column(server_default="")
    is_operator: Mapped[bool] = mapped_column(server_default=false())
    is_paired: Mapped[bool] = mapped_column(server_default=false())  # of a browser extension, made with a pairing code
    created_at: Mapped[Created]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class UserSession(Base):
    """A browser that signed in with a token; the cookie's secret is kept as its SHA-256 only."""

    __tablename__ = "sessions"
    __table_args__ = (
        UniqueConstraint("secret_sha256"),
        ForeignKeyConstraint(
            ["token_id", "user_id"], ["api_tokens.id", "api_tokens.user_id"], "fk_sessions_token_id", ondelete="CASCADE"
        ),
        Index(None, "user_id"),
        Index(None, "token_id"),
        Index(None, "expires_at"),
    )

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    token_id: Mapped[UUID]
    secret_sha256: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[Created]
    last_used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]


class PairingCode(Base):
    """What a browser extension exchanges once for a token of its own; only its SHA-256 is kept."""

    __tablename__ = "pairing_codes"
    __table_args__ = (UniqueConstraint("code_sha256"),)

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    code_sha256: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[Created]
    expires_at: Mapped[datetime]
