from datetime import datetime
from uuid import UUID

from sqlalchemy import Computed, ForeignKey, Index, LargeBinary, func, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Count


class MediaImage(Base):
    """A picture that a media shows, in its text, on its card or beside a chapter; also its place in the queue.

    Triggers on fragments, media and episodes write it.
    """

    __tablename__ = "media_images"
    __table_args__ = (
        Index(None, "media_id"),
        Index(None, "user_id", "sha256", postgresql_include=["size"]),
        Index(None, "sha256", postgresql_where=text("sha256 IS NOT NULL")),
        Index(
            "ix_media_images_due",
            "queue_user_id",
            text("due_at DESC"),
            "position",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index("ix_media_images_leases", "claimed_by", "lease_until", postgresql_where=text("claimed_by IS NOT NULL")),
    )

    url_key: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str]
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    queue_user_id: Mapped[UUID] = mapped_column(
        Computed("COALESCE(user_id, '00000000-0000-0000-0000-000000000000'::uuid)", persisted=True)
    )
    position: Mapped[Count]

    state: Mapped[str] = mapped_column(server_default="pending")
    reason: Mapped[str | None]
    attempts: Mapped[Count]
    due_at: Mapped[datetime | None] = mapped_column(server_default=func.now())
    claimed_by: Mapped[UUID | None]
    claimed_at: Mapped[datetime | None]
    lease_until: Mapped[datetime | None]
    settled_at: Mapped[datetime | None]

    sha256: Mapped[bytes | None] = mapped_column(LargeBinary, ForeignKey("blobs.sha256"))
    size: Mapped[BigCount | None]
    content_type: Mapped[str | None]
    width: Mapped[int | None]
    height: Mapped[int | None]
