from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, SmallInteger, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount, Count, Created, Id, Updated


class Item(Base):
    """One user's save, and its row in the queue: a claim is a lease, and its worker and time are the fence.

    With `fetch_again_of` it is no save, but the row in the queue of one more fetch for the item that it names.
    """

    __tablename__ = "items"
    __table_args__ = (
        Index("ix_items_shelf", "user_id", text("created_at DESC"), text("id DESC")),
        Index("ix_items_shelf_by_status", "user_id", "status", text("created_at DESC"), text("id DESC")),
        Index(
            "ix_items_due",
            "priority",
            "due_at",
            "id",
            postgresql_where=text("status = 'queued' AND source_type <> ''"),
        ),
        Index(
            "ix_items_due_by_user", "user_id", "priority", "due_at", "id", postgresql_where=text("status = 'queued'")
        ),
        Index("ix_items_leases", "lease_until", postgresql_where=text("status = 'processing'")),
        Index("ix_items_by_url", "user_id", text("coalesce(url_key, text_key(requested_url))")),
        Index(
            "uq_items_fetch_again_of",
            "fetch_again_of",
            unique=True,
            postgresql_where=text("fetch_again_of IS NOT NULL"),
        ),
        Index("uq_items_save_key", "user_id", "save_key", unique=True, postgresql_where=text("save_key IS NOT NULL")),
        Index("ix_items_of_media", "media_id", "user_id", text("created_at DESC"), text("id DESC")),
    )

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id"))
    status: Mapped[str]
    status_detail: Mapped[str | None]
    source_type: Mapped[str]
    requested_url: Mapped[str | None]
    url_key: Mapped[bytes | None] = mapped_column(LargeBinary)  # of the canonical form of requested_url
    final_text_source: Mapped[str | None]
    title: Mapped[str | None]
    request_id: Mapped[str | None]
    save_key: Mapped[bytes | None] = mapped_column(LargeBinary)  # of the key that its client gave the save

    priority: Mapped[int] = mapped_column(SmallInteger, server_default="0")  # 0: saved by hand, 1: imported
    due_at: Mapped[datetime] = mapped_column(server_default=func.now())
    attempts: Mapped[Count]
    max_attempts: Mapped[int] = mapped_column(server_default="2")
    losses: Mapped[Count]
    claimed_by: Mapped[UUID | None]
    claimed_at: Mapped[datetime | None]
    lease_until: Mapped[datetime | None]
    published_at: Mapped[datetime | None]
    fetched_again_at: Mapped[datetime | None]
    fetch_again_of: Mapped[UUID | None] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"))
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]


class ItemPaste(Base):
    """What the user pasted, word for word. Private to that user."""

    __tablename__ = "item_pastes"

    item_id: Mapped[UUID] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"), primary_key=True)
    user_pasted_text: Mapped[str]
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]


class ExtractionAttempt(Base):
    """One attempt of an item's receipt. Append-only."""

    __tablename__ = "extraction_attempts"
    __table_args__ = (UniqueConstraint("item_id", "attempt_no"),)

    id: Mapped[Id]
    item_id: Mapped[UUID] = mapped_column(ForeignKey("items.id", ondelete="CASCADE"))
    number: Mapped[int] = mapped_column("attempt_no")  # in the receipt; a claim counts `items.attempts`
    method: Mapped[str] = mapped_column("rung")
    result: Mapped[str]
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime]
    duration_ms: Mapped[BigCount]
    error_code: Mapped[str | None]
    error_detail: Mapped[str | None]
    http_status: Mapped[int | None]
    final_url: Mapped[str | None]
    content_length: Mapped[BigCount | None]
