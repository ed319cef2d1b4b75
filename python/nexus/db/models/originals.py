from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, LargeBinary, false, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount


class StoredOriginal(Base):
    """What a version of a text was read from: `content` while it waits for the store, `sha256` when it is there, or why
    it is `missing`."""

    __tablename__ = "originals"
    __table_args__ = (
        ForeignKeyConstraint(
            ["media_id", "version"],
            ["media_versions.media_id", "media_versions.version"],
            name="fk_originals_version",
            ondelete="CASCADE",
        ),
        Index("ix_originals_waiting", "due_at", postgresql_where=text("content IS NOT NULL")),
        Index("ix_originals_not_stored", "missing", postgresql_where=text("sha256 IS NULL")),
        Index(None, "fetched_for", postgresql_where=text("fetched_for IS NOT NULL")),
        Index(None, "sha256", postgresql_where=text("sha256 IS NOT NULL")),
    )

    media_id: Mapped[UUID] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    content: Mapped[bytes | None] = mapped_column(LargeBinary)
    sha256: Mapped[bytes | None] = mapped_column(LargeBinary, ForeignKey("blobs.sha256", ondelete="RESTRICT"))
    missing: Mapped[str | None]
    size: Mapped[BigCount | None]
    read_with: Mapped[int]  # the newest extractor that has read it
    # The link of this user was fetched; unless it was the page's own URL, others have no right to what it gave.
    fetched_for: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    is_direct: Mapped[bool] = mapped_column(server_default=false())
    reread_result: Mapped[str | None]
    due_at: Mapped[datetime] = mapped_column(server_default=text("now()"))
