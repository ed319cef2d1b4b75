from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from nexus.db.models.base import Base


class SearchPassage(Base):
    """The words of a media's title (part 0), source (1) or of a passage of its text (2 and up)."""

    __tablename__ = "search_passages"
    __table_args__ = (Index("ix_search_passages_words", "words", postgresql_using="gin"),)

    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
    part: Mapped[int] = mapped_column(primary_key=True)
    first_fragment: Mapped[int | None]
    first_start: Mapped[int | None]
    last_fragment: Mapped[int | None]
    words: Mapped[str] = mapped_column(TSVECTOR)


class SearchWaiting(Base):
    """A media that is to be indexed. Triggers on texts and titles add it."""

    __tablename__ = "search_waiting"

    media_id: Mapped[UUID] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), primary_key=True)
