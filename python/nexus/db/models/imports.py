from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, false, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, Count, Created, Id, Updated


class Import(Base):
    """Exports that a user gave to be brought into their library."""

    __tablename__ = "imports"
    __table_args__ = (
        Index("ix_imports_newest", "user_id", text("created_at DESC"), text("id DESC")),
        Index("ix_imports_working", "started_at", postgresql_where=text("status IN ('running', 'undoing')")),
        Index(None, "rows_sha256", postgresql_where=text("rows_sha256 IS NOT NULL")),
        Index("ix_imports_fetching", "fetching_at", postgresql_where=text("is_fetching")),
        Index("ix_imports_previews", "created_at", postgresql_where=text("status = 'previewed'")),
    )

    id: Mapped[Id]
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    status: Mapped[str] = mapped_column(server_default="previewed")
    source: Mapped[str]
    label: Mapped[str]
    files: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    options: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    summary: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")
    rows_sha256: Mapped[bytes | None] = mapped_column(LargeBinary, ForeignKey("blobs.sha256"))
    total: Mapped[Count]
    loaded: Mapped[Count]  # rows that are in import_rows by now
    added: Mapped[Count]  # rows by outcome, so that nobody has to count them
    merged: Mapped[Count]
    unchanged: Mapped[Count]
    failed: Mapped[Count]
    samples: Mapped[list[list[float]]] = mapped_column(JSONB, server_default="[]")  # times, and what was done by then
    fetching: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}")  # the added items by status
    fetching_at: Mapped[datetime | None]  # when they were counted
    is_fetching: Mapped[bool] = mapped_column(server_default=false())
    message: Mapped[str | None]  # why it ended by itself
    # What a restored archive created besides its rows; large, and needed by workers only.
    undo: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True), deferred=True)
    created_at: Mapped[Created]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    updated_at: Mapped[Updated]


class ImportRow(Base):
    """A row of an import, and what became of it. `outcome` None: not applied yet."""

    __tablename__ = "import_rows"
    __table_args__ = (
        Index("ix_import_rows_outcome", "import_id", "outcome", "number"),
        Index("ix_import_rows_undo", "import_id", "number", postgresql_where=text("undo IS NOT NULL")),
        Index("ix_import_rows_url_key", "url_key", postgresql_where=text("url_key IS NOT NULL")),
        Index("ix_import_rows_item_id", "item_id", postgresql_where=text("item_id IS NOT NULL")),
        Index("ix_import_rows_media_id", "media_id", postgresql_where=text("media_id IS NOT NULL")),
        Index("ix_import_rows_content_due", "import_id", "number", postgresql_where=text("content_due")),
    )

    import_id: Mapped[UUID] = mapped_column(ForeignKey("imports.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    file: Mapped[str]
    line: Mapped[int]
    url: Mapped[str | None]
    url_key: Mapped[bytes | None] = mapped_column(LargeBinary)  # written when it is applied
    title: Mapped[str | None]
    record: Mapped[dict[str, Any]] = mapped_column(JSONB)  # as `text/imports/records.py` writes it, without content
    content: Mapped[str | None]  # that came along; None: none, or no longer needed
    content_type: Mapped[str | None]  # html or text
    content_due: Mapped[bool] = mapped_column(server_default=false())  # to become the item's text
    outcome: Mapped[str | None]
    code: Mapped[str | None]
    message: Mapped[str | None]
    item_id: Mapped[UUID | None] = mapped_column(ForeignKey("items.id", ondelete="SET NULL"))
    media_id: Mapped[UUID | None] = mapped_column(ForeignKey("media.id", ondelete="SET NULL"))  # the item's may differ
    undo: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))  # what it changed
    applied_at: Mapped[datetime | None]
