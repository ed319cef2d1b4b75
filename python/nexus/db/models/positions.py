from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base, BigCount


class Position(Base):
    """Where a user is in a media: a sentence of its text, a moment of its audio, each with its time."""

    __tablename__ = "positions"
    __table_args__ = (Index(None, "media_id"),)

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    text_at: Mapped[datetime | None]
    version: Mapped[int | None]  # of the text that has the sentence; None: it is looked for in the current one
    fragment_idx: Mapped[int | None]
    text_offset: Mapped[int | None]
    words: Mapped[str | None]  # the sentence's beginning, by which it is found in another text
    share: Mapped[float | None]  # of the text before the sentence
    fraction: Mapped[float | None]  # of the text that has been read, as the client shows it
    text_device: Mapped[str | None]
    audio_at: Mapped[datetime | None]
    audio_ms: Mapped[BigCount | None]
    audio_device: Mapped[str | None]
