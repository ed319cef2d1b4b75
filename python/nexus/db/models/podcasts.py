from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, LargeBinary, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import Text

from nexus.db.models.base import Base, BigCount, Count, Created, Id, Updated


class Podcast(Base):
    """A feed: its latest metadata and the outcome of its latest fetches."""

    __tablename__ = "podcasts"
    __table_args__ = (Index("uq_podcasts_feed_url", text("text_key(feed_url)"), unique=True),)

    id: Mapped[Id]
    feed_url: Mapped[str]
    moved_from: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default="{}")
    title: Mapped[str | None]
    site_url: Mapped[str | None]
    lang: Mapped[str | None]
    image_url: Mapped[str | None]
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    last_fetched_at: Mapped[datetime | None]
    last_succeeded_at: Mapped[datetime | None]
    last_error_code: Mapped[str | None]
    last_error_message: Mapped[str | None]
    consecutive_failures: Mapped[Count]
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]


class Episode(Base):
    """One episode, known by its guid; where a feed has none, by a stand-in made from its enclosure or title."""

    __tablename__ = "episodes"
    __table_args__ = (
        Index("uq_episodes_podcast_guid", "podcast_id", text("text_key(guid)"), unique=True),
        Index("uq_episodes_media_id", "media_id", unique=True),
    )

    id: Mapped[Id]
    podcast_id: Mapped[UUID] = mapped_column(ForeignKey("podcasts.id", ondelete="CASCADE"))
    media_id: Mapped[UUID | None] = mapped_column(ForeignKey("media.id", ondelete="SET NULL"))
    guid: Mapped[str]
    guid_source: Mapped[str]
    title: Mapped[str | None]
    link: Mapped[str | None]
    enclosure_url: Mapped[str | None]
    published_at: Mapped[datetime | None]
    duration_ms: Mapped[BigCount | None]
    chapters: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    transcript_source: Mapped[str | None]
    created_at: Mapped[Created]
    updated_at: Mapped[Updated]


class EpisodeAlias(Base):
    """An identity that an episode has had (guid, enclosure, title and day): a changed guid makes no second episode."""

    __tablename__ = "episode_aliases"
    __table_args__ = (Index(None, "episode_id"),)

    podcast_id: Mapped[UUID] = mapped_column(ForeignKey("podcasts.id", ondelete="CASCADE"), primary_key=True)
    alias_sha256: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    alias: Mapped[str]
    episode_id: Mapped[UUID] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"))
    created_at: Mapped[Created]


class EpisodeRemoval(Base):
    """A user removed this episode from their library: podcast runs do not add it again."""

    __tablename__ = "episode_removals"
    __table_args__ = (Index(None, "episode_id"),)

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    episode_id: Mapped[UUID] = mapped_column(ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True)
    created_at: Mapped[Created]
