from datetime import date, datetime
from uuid import UUID, uuid4

from sqlalchemy import (
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    UniqueConstraint,
    Uuid,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Count, Created, Updated

NOT_DELETED = text("deleted_at IS NULL")
NEWEST = (text("created_at DESC"), text("id DESC"))


class Highlight(Base):
    """A passage of a text that a user marked. Its id is the client's, unique among those of a library."""

    __tablename__ = "highlights"
    __table_args__ = (
        ForeignKeyConstraint(
            ["library_id", "media_id"], ["library_media.library_id", "library_media.media_id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["media_id", "version"], ["media_versions.media_id", "media_versions.version"], ondelete="CASCADE"
        ),
        Index("ix_highlights_text", "library_id", "media_id", "start_fragment", "start_offset", "id"),
        Index("ix_highlights_media_id", "media_id", "version"),
        Index("ix_highlights_newest", "library_id", *NEWEST, postgresql_where=NOT_DELETED),
        Index("ix_highlights_color", "library_id", "color", *NEWEST, postgresql_where=NOT_DELETED),
        Index("ix_highlights_review", "library_id", "review_round", "review_order", postgresql_where=NOT_DELETED),
        Index(
            "ix_highlights_deleted_at", "deleted_at", postgresql_where=text("deleted_at IS NOT NULL AND quote <> ''")
        ),
        Index("ix_highlights_words", "words", postgresql_using="gin"),
    )

    library_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(Uuid, primary_key=True, default=uuid4, server_default=func.gen_random_uuid())
    media_id: Mapped[UUID]
    version: Mapped[int | None]  # None: the text it was made in belongs to a media that was merged away
    start_fragment: Mapped[int]
    start_offset: Mapped[int]
    end_fragment: Mapped[int]
    end_offset: Mapped[int]
    quote: Mapped[str]  # as it was marked, also where a later version has other words there
    prefix: Mapped[str]
    suffix: Mapped[str]
    start_ms: Mapped[BigCount | None]
    color: Mapped[str]
    note: Mapped[str | None]
    words: Mapped[str] = mapped_column(TSVECTOR, server_default="")
    state: Mapped[str]
    carried_version: Mapped[int | None]  # the version it was last looked for in; None: in none of this media
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]
    place_decided_at: Mapped[Created]
    color_decided_at: Mapped[Created]
    note_decided_at: Mapped[Created]
    tags_decided_at: Mapped[Created]
    deletion_decided_at: Mapped[Created]  # deleted or restored
    deleted_at: Mapped[datetime | None]
    review_round: Mapped[Count]
    review_order: Mapped[float] = mapped_column(server_default=func.random())
    seen_at: Mapped[datetime | None]


class HighlightTag(Base):
    """A tag of a highlight; `created_at` is the highlight's."""

    __tablename__ = "highlight_tags"
    __table_args__ = (
        ForeignKeyConstraint(
            ["library_id", "highlight_id"], ["highlights.library_id", "highlights.id"], ondelete="CASCADE"
        ),
        Index("ix_highlight_tags_newest", "tag_id", text("created_at DESC"), text("highlight_id DESC")),
    )

    library_id: Mapped[UUID] = mapped_column(primary_key=True)
    highlight_id: Mapped[UUID] = mapped_column(primary_key=True)
    tag_id: Mapped[UUID] = mapped_column(ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[datetime]


class HighlightsWaiting(Base):
    """A media whose highlights are to be looked for in its current text. A trigger adds it."""

    __tablename__ = "highlights_waiting"

    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)


class HighlightReview(Base):
    """What a user is shown again on a day."""

    __tablename__ = "highlight_reviews"
    __table_args__ = (
        ForeignKeyConstraint(
            ["library_id", "highlight_id"], ["highlights.library_id", "highlights.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["library_id"], ["libraries.id"], ondelete="CASCADE", name="fk_highlight_reviews_library"),
        UniqueConstraint("library_id", "day", "highlight_id"),
        Index("ix_highlight_reviews_highlight_id", "library_id", "highlight_id"),
    )

    library_id: Mapped[UUID] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    highlight_id: Mapped[UUID]


class HighlightFeed(Base):
    """The secret of the address at which a user's highlights are a feed, as a hash."""

    __tablename__ = "highlight_feeds"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    secret_sha256: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    created_at: Mapped[Created]
    last_used_at: Mapped[datetime | None]
