from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Count, Created, Id


class ExportSchedule(Base):
    """A user's library, or what a search finds in it, is exported regularly."""

    __tablename__ = "export_schedules"
    __table_args__ = (Index("ix_export_schedules_user_id", "user_id", "created_at"), Index(None, "next_at"))

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    format: Mapped[str]
    query: Mapped[str | None]
    every: Mapped[str]
    keep: Mapped[int]
    destination: Mapped[str]
    starts_at: Mapped[Created]  # the day and the time that all later ones are counted from
    next_at: Mapped[Created]
    last_error: Mapped[str | None]
    created_at: Mapped[Created]


class Export(Base):
    """A file that a worker makes of a user's library; its row is its place in the queue."""

    __tablename__ = "exports"
    __table_args__ = (
        Index("ix_exports_user_id", "user_id", "created_at"),
        Index(None, "schedule_id"),
        Index(None, "sha256"),
        Index("ix_exports_due_at", "due_at", postgresql_where=text("status IN ('queued', 'running')")),
        Index("ix_exports_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
    )

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    schedule_id: Mapped[UUID | None] = mapped_column(ForeignKey("export_schedules.id", ondelete="SET NULL"))
    format: Mapped[str]
    query: Mapped[str | None]
    media_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid), deferred=True)  # None: the whole library
    status: Mapped[str] = mapped_column(server_default="queued")
    done: Mapped[Count]
    total: Mapped[Count]
    size: Mapped[BigCount | None]
    filename: Mapped[str | None]
    sha256: Mapped[bytes | None] = mapped_column(LargeBinary, ForeignKey("blobs.sha256"))
    modified_ns: Mapped[BigCount | None]  # of a file in a folder
    message: Mapped[str | None]
    left_out: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    attempts: Mapped[Count]
    due_at: Mapped[Created]
    claimed_by: Mapped[UUID | None]
    claimed_at: Mapped[datetime | None]
    lease_until: Mapped[datetime | None]
    created_at: Mapped[Created]
    finished_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
