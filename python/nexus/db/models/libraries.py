from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, Computed, FetchedValue, ForeignKey, Identity, Index, Text, false, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Count, Created, Id, Updated

NEWEST = (text("created_at DESC"), text("media_id DESC"))


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
    """A library entry. Triggers keep kind and status, so that a library can be listed by either.

    `…_decided_at` is when its owner last decided that part of its state (services/library/changes.py).
    """

    __tablename__ = "library_media"
    __table_args__ = (
        Index(None, "media_id"),
        Index("ix_library_media_shelf", "library_id", "is_archived", "kind", "status", *NEWEST),
        Index(
            "ix_library_media_unread",
            "library_id",
            "is_archived",
            "kind",
            *NEWEST,
            postgresql_where=text("read_at IS NULL AND status = 'succeeded'"),
        ),
        Index(
            "ix_library_media_starred",
            "library_id",
            "is_archived",
            *NEWEST,
            postgresql_where=text("starred_at IS NOT NULL"),
        ),
        Index("ix_library_media_time", "library_id", "is_archived", *NEWEST, postgresql_where=text("kind <> ''")),
        Index("ix_library_media_title", "library_id", "is_archived", "title_key", "media_id"),
        Index("ix_library_media_length", "library_id", "is_archived", "reading_seconds", "media_id"),
        Index("ix_library_media_read", "library_id", "is_archived", "read_order", "media_id"),
        Index(
            "ix_library_media_unread_by_reading",
            "library_id",
            "is_archived",
            "status",
            "read_order",
            "media_id",
            postgresql_where=text("status <> 'succeeded' OR read_at IS NULL"),
        ),
        Index(
            "ix_library_media_unready_by_length",
            "library_id",
            "is_archived",
            "status",
            "reading_seconds",
            "media_id",
            postgresql_where=text("status <> 'succeeded'"),
        ),
        Index(
            "ix_library_media_site",
            "library_id",
            "site",
            "is_archived",
            *NEWEST,
            postgresql_where=text("site IS NOT NULL"),
        ),
        Index(
            "ix_library_media_untagged",
            "library_id",
            "is_archived",
            *NEWEST,
            postgresql_where=text("NOT has_tags"),
        ),
        Index(
            "ix_library_media_highlighted",
            "library_id",
            "title_key",
            "media_id",
            postgresql_where=text("has_highlights"),
        ),
        Index(
            "ix_library_media_newest_highlighted",
            "library_id",
            "is_archived",
            *NEWEST,
            postgresql_where=text("has_highlights"),
        ),
    )

    library_id: Mapped[UUID] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[Created]
    kind: Mapped[str] = mapped_column(server_default=FetchedValue())
    status: Mapped[str] = mapped_column(server_default=FetchedValue())
    read_at: Mapped[datetime | None]
    last_read_at: Mapped[datetime | None]  # when it was marked as read, or a position in it was written
    archived_at: Mapped[datetime | None]
    is_archived: Mapped[bool] = mapped_column(Computed("archived_at IS NOT NULL", persisted=True))
    starred_at: Mapped[datetime | None]
    own_title: Mapped[str | None]
    note: Mapped[str | None]
    read_decided_at: Mapped[datetime | None]
    archived_decided_at: Mapped[datetime | None]
    starred_decided_at: Mapped[datetime | None]
    title_decided_at: Mapped[datetime | None]
    note_decided_at: Mapped[datetime | None]
    tags_decided_at: Mapped[datetime | None]  # all of them at once; a single tag has its own time
    has_tags: Mapped[bool] = mapped_column(server_default=false())
    highlight_count: Mapped[Count]  # triggers keep it
    has_highlights: Mapped[bool] = mapped_column(server_default=false())
    # What it is listed by, from the media and from the state.
    title_key: Mapped[str] = mapped_column(Text(collation="C"), server_default="")
    reading_seconds: Mapped[int] = mapped_column(server_default="-1")
    site: Mapped[str | None]
    read_order: Mapped[datetime] = mapped_column(server_default=FetchedValue())


class LibraryCount(Base):
    """Changes of the number of library entries of a kind, status and state; the sum is the number."""

    __tablename__ = "shelf_counts"
    __table_args__ = (Index(None, "library_id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    library_id: Mapped[UUID] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    kind: Mapped[str]
    status: Mapped[str]
    is_read: Mapped[bool] = mapped_column(server_default=false())
    is_archived: Mapped[bool] = mapped_column(server_default=false())
    is_starred: Mapped[bool] = mapped_column(server_default=false())
    difference: Mapped[BigCount]
