from datetime import datetime
from uuid import UUID

from sqlalchemy import FetchedValue, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, Id


class BulkUndo(Base):
    """A change of many entries at once that can be undone."""

    __tablename__ = "bulk_undos"
    __table_args__ = (Index(None, "user_id"), Index(None, "expires_at"))

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    decided_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(server_default=FetchedValue())


class BulkUndoEntry(Base):
    """What a part of an entry's state was before."""

    __tablename__ = "bulk_undo_entries"
    __table_args__ = (Index(None, "media_id"),)

    undo_id: Mapped[UUID] = mapped_column(ForeignKey("bulk_undos.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    part: Mapped[str] = mapped_column(primary_key=True)
    earlier: Mapped[datetime | None]
    earlier_read: Mapped[datetime | None]  # last_read_at, where the part is "read"


class BulkUndoTag(Base):
    """Whether an entry had a tag before."""

    __tablename__ = "bulk_undo_tags"
    __table_args__ = (Index(None, "media_id"), Index(None, "tag_id"))

    undo_id: Mapped[UUID] = mapped_column(ForeignKey("bulk_undos.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    tag_id: Mapped[UUID] = mapped_column(ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True)
    was_set: Mapped[bool]
