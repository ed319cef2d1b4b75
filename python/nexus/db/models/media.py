from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, LargeBinary, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Count, Created, Id, Updated


class Media(Base):
    """What an item became: shared when it was fetched, private to its owner when it was pasted, was saved from a
    browser, or is a short text that was kept."""

    __tablename__ = "media"
    __table_args__ = (
        # A URL may be longer than a B-tree row (2 704 bytes), hence the hash.
        Index(
            "uq_media_kind_canonical_url",
            "kind",
            text("text_key(canonical_url)"),
            unique=True,
            postgresql_where=text("canonical_url IS NOT NULL"),
        ),
        Index(
            "uq_media_owner_captured_url_key",
            "owner_user_id",
            "captured_url_key",
            unique=True,
            postgresql_where=text("captured_url_key IS NOT NULL"),
        ),
        Index(None, "owner_user_id", postgresql_where=text("owner_user_id IS NOT NULL")),
        Index(None, "created_by_user_id"),
        # Checked at commit: each of the two tables refers to the other.
        ForeignKeyConstraint(
            ["id", "current_version"],
            ["media_versions.media_id", "media_versions.version"],
            name="fk_media_current_version",
            use_alter=True,
            deferrable=True,
            initially="DEFERRED",
        ),
    )

    id: Mapped[Id]
    kind: Mapped[str]
    owner_user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    created_by_user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    requested_url: Mapped[str | None]
    captured_url_key: Mapped[bytes | None] = mapped_column(LargeBinary)  # of the page's canonical URL; of others None
    canonical_url: Mapped[str | None]
    declared_url: Mapped[str | None]  # what the page's own canonical link says: for information, never identity

    title: Mapped[str | None]
    byline: Mapped[str | None]
    site_name: Mapped[str | None]
    lang: Mapped[str | None]
    published_at: Mapped[datetime | None]
    excerpt: Mapped[str | None]
    word_count: Mapped[int | None]
    lead_image_url: Mapped[str | None]
    audio_url: Mapped[str | None]
    current_version: Mapped[int | None]  # what is read, searched and quoted

    processing_status: Mapped[str] = mapped_column(server_default="pending")
    processing_attempts: Mapped[Count]
    processing_started_at: Mapped[datetime | None]
    processing_completed_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    failure_stage: Mapped[str | None]
    last_error_code: Mapped[str | None]
    last_error_message: Mapped[str | None]
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]


class MediaVersion(Base):
    """One reading of a media's text. It never changes: a later reading is another version."""

    __tablename__ = "media_versions"

    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    origin: Mapped[str]
    extractor: Mapped[int | None]  # None: no extractor read it, or one from before this was written down
    title: Mapped[str | None]
    word_count: Mapped[int | None]
    created_at: Mapped[Created]  # when it was read


class Fragment(Base):
    """A part of a version's text. It never changes: highlights are offsets into it."""

    __tablename__ = "fragments"
    __table_args__ = (
        UniqueConstraint("media_id", "version", "idx"),
        ForeignKeyConstraint(
            ["media_id", "version"], ["media_versions.media_id", "media_versions.version"], ondelete="CASCADE"
        ),
    )

    id: Mapped[Id]
    media_id: Mapped[UUID]
    version: Mapped[int]
    idx: Mapped[int]
    html_sanitized: Mapped[str]
    canonical_text: Mapped[str]
    start_ms: Mapped[BigCount | None]
    end_ms: Mapped[BigCount | None]
    created_at: Mapped[Created]


class MediaAudio(Base):
    """The audio of an episode that is kept in the store."""

    __tablename__ = "media_audio"
    __table_args__ = (Index(None, "sha256"),)

    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    sha256: Mapped[bytes] = mapped_column(LargeBinary, ForeignKey("blobs.sha256"))
    content_type: Mapped[str]
    created_at: Mapped[Created]


class MediaAlias(Base):
    """An id under which a user knew a media that was merged away; for that user it leads to the winner."""

    __tablename__ = "media_aliases"
    __table_args__ = (Index(None, "media_id"), Index(None, "user_id"))

    alias_id: Mapped[UUID] = mapped_column(primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"))
    created_at: Mapped[Created]
