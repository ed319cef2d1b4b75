"""A text with what a download says about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.downloads.transcript import ChapterStart, Segment, transcript_html
from nexus.services.library.entries import get_entry
from nexus.services.media import FragmentDetails, MediaDetails, get_media, get_text
from nexus.services.users import CurrentUser

# The user's own link: for a text that has no canonical URL, and never the link of somebody else.
OWN_LINK = text("""
    SELECT requested_url FROM items
    WHERE media_id = :media_id AND user_id = :user_id AND requested_url IS NOT NULL
    ORDER BY created_at DESC, id DESC LIMIT 1
""")

# For those who know all else of it: a tenth of what an article costs.
OWN_HTML = text("""
    SELECT media.kind, string_agg(fragments.html_sanitized, '' ORDER BY fragments.idx) AS html
    FROM library_media JOIN media ON media.id = library_media.media_id
    JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE library_media.library_id = :library_id AND library_media.media_id = :media_id
      AND media.processing_status = 'ready_for_reading'
    GROUP BY media.kind
""")


@dataclass(frozen=True)
class ExportedArticle:
    media_id: UUID
    version: int
    title: str
    source_url: str | None
    site_name: str | None
    byline: str | None
    lang: str | None
    published_at: datetime | None
    saved_at: datetime
    text_since: datetime
    lead_image_url: str | None
    html: str


def load_article(session: Session, user: CurrentUser, media_id: UUID, version: int | None = None) -> ExportedArticle:
    """The article in its current version if none is given."""
    media = get_media(session, user, media_id)
    read = get_text(session, user, media_id, version or media.version)
    own_link = session.scalar(OWN_LINK, {"media_id": media.id, "user_id": user.user_id})
    source = media.canonical_url or own_link
    return ExportedArticle(
        media_id=media.id,
        version=read.version,
        title=" ".join(get_entry(session, user, media.id).title.split()),
        source_url=source,
        site_name=media.site_name,
        byline=media.byline,
        lang=media.lang,
        published_at=media.published_at,
        saved_at=media.created_at,
        text_since=read.since,
        lead_image_url=media.lead_image_url,
        html=_html(media, read.fragments),
    )


def load_html(session: Session, user: CurrentUser, media_id: UUID) -> str | None:
    """The current text of an entry of the user's library; None: there is none."""
    row = session.execute(OWN_HTML, {"library_id": user.default_library_id, "media_id": media_id}).one_or_none()
    if row is None or row.kind != "podcast_episode":
        return row.html if row else None
    return load_article(session, user, media_id).html


def _html(media: MediaDetails, fragments: Sequence[FragmentDetails]) -> str:
    if media.kind != "podcast_episode":
        return "".join(fragment.html_sanitized for fragment in fragments)
    segments = [Segment(fragment.html_sanitized, fragment.start_ms) for fragment in fragments]
    return transcript_html(segments, [ChapterStart(each.title, each.start_ms) for each in media.chapters])
