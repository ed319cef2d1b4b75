from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    FetchedValue,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Created, Id


class Tag(Base):
    """A user's own word for some of their entries; `a/b` is below `a`."""

    __tablename__ = "tags"
    __table_args__ = (UniqueConstraint("user_id", "name_key", deferrable=True, initially="IMMEDIATE"),)

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str]
    name_key: Mapped[str]
    color: Mapped[str | None]
    created_at: Mapped[Created]


class EntryTag(Base):
    """A tag of an entry, or one that was taken away. Triggers copy what is the entry's."""

    __tablename__ = "entry_tags"
    __table_args__ = (
        ForeignKeyConstraint(
            ["library_id", "media_id"], ["library_media.library_id", "library_media.media_id"], ondelete="CASCADE"
        ),
        Index(
            "ix_entry_tags_listed",
            "tag_id",
            "is_set",
            "is_archived",
            text("entry_created_at DESC"),
            text("media_id DESC"),
        ),
    )

    library_id: Mapped[UUID] = mapped_column(primary_key=True)
    media_id: Mapped[UUID] = mapped_column(primary_key=True)
    tag_id: Mapped[UUID] = mapped_column(ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True)
    is_set: Mapped[bool]
    decided_at: Mapped[datetime]
    is_archived: Mapped[bool] = mapped_column(server_default=FetchedValue())
    entry_created_at: Mapped[datetime] = mapped_column(server_default=FetchedValue())


class TagCount(Base):
    """Changes of the number of entries that have a tag; the sum is the number."""

    __tablename__ = "tag_counts"
    __table_args__ = (Index(None, "tag_id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    tag_id: Mapped[UUID] = mapped_column(ForeignKey("tags.id", ondelete="CASCADE"))
    is_archived: Mapped[bool]
    difference: Mapped[BigCount]
