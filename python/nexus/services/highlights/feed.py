"""A user's newest highlights as an Atom feed, at an address whose secret can be replaced or revoked."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from uuid import UUID
from xml.etree import ElementTree as ET

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import NotFoundError
from nexus.services.highlights.files import link_to
from nexus.services.highlights.listing import HighlightFilters, ListedHighlight, list_highlights
from nexus.services.tokens import hash_secret, is_secret, new_secret
from nexus.services.users import CurrentUser, ensure_user
from nexus.system.epoch import EPOCH
from nexus.text.characters import FORBIDDEN_IN_XML

PREFIX = "nxf_"  # logging.py hides what begins with it
MAX_ENTRIES = 50
ATOM = "http://www.w3.org/2005/Atom"

REPLACE = text("""
    INSERT INTO highlight_feeds (user_id, secret_sha256) VALUES (:user_id, :secret)
    ON CONFLICT (user_id) DO UPDATE
    SET secret_sha256 = excluded.secret_sha256, created_at = excluded.created_at, last_used_at = NULL
    RETURNING created_at
""")
GET = text("SELECT created_at, last_used_at FROM highlight_feeds WHERE user_id = :user_id")
REVOKE = text("DELETE FROM highlight_feeds WHERE user_id = :user_id")
# Noted once an hour: a reader may ask every minute.
USE = text("""
    UPDATE highlight_feeds SET last_used_at = now()
    WHERE secret_sha256 = :secret AND coalesce(last_used_at, '-infinity') < now() - interval '1 hour'
""")
FIND = text("SELECT user_id FROM highlight_feeds WHERE secret_sha256 = :secret")


@dataclass(frozen=True)
class HighlightFeed:
    created_at: datetime
    last_used_at: datetime | None
    secret: str | None = None  # only when it is new


def open_feed(session: Session, user: CurrentUser) -> HighlightFeed:
    """A new address; the one before no longer works."""
    secret = new_secret(PREFIX)
    created_at = session.execute(REPLACE, {"user_id": user.user_id, "secret": hash_secret(secret)}).scalar_one()
    return HighlightFeed(created_at, None, secret)


def get_feed(session: Session, user: CurrentUser) -> HighlightFeed | None:
    row = session.execute(GET, {"user_id": user.user_id}).one_or_none()
    return HighlightFeed(row.created_at, row.last_used_at) if row else None


def close_feed(session: Session, user: CurrentUser) -> None:
    """Idempotent."""
    session.execute(REVOKE, {"user_id": user.user_id})


def read_feed(session: Session, secret: str, base_url: str) -> bytes:
    """For whoever has the address."""
    hashed = {"secret": hash_secret(secret)}
    user_id: UUID | None = session.scalar(FIND, hashed) if is_secret(secret, PREFIX) else None
    if user_id is None:
        raise NotFoundError("There is no such feed; its address may have been replaced.")
    session.execute(USE, hashed)
    user = CurrentUser(user_id, ensure_user(session, user_id), is_operator=False)
    page = list_highlights(session, user, HighlightFilters(), limit=MAX_ENTRIES)
    return _atom(user, page.highlights, base_url)


def _atom(user: CurrentUser, highlights: Sequence[ListedHighlight], base_url: str) -> bytes:
    # Hashed: whoever reads the feed learns no id that other routes know.
    feed = ET.Element("feed", xmlns=ATOM)
    _add(feed, "id", f"urn:nexus:highlights:{hashlib.sha256(user.user_id.bytes).hexdigest()[:32]}")
    _add(feed, "title", "Highlights")
    newest = max((each.updated_at for each in highlights), default=EPOCH)
    _add(feed, "updated", _time(newest))
    for each in highlights:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", each.id.urn)
        _add(entry, "title", each.media.title)
        _add(entry, "published", _time(each.created_at))
        _add(entry, "updated", _time(each.updated_at))
        ET.SubElement(entry, "link", rel="alternate", href=link_to(base_url, each.media_id, each.id))
        if each.media.url:
            ET.SubElement(entry, "link", rel="related", href=_xml(each.media.url))
        author = ET.SubElement(entry, "author")
        _add(author, "name", each.media.byline or each.media.site_name or "Unknown")
        for tag in each.tags:
            ET.SubElement(entry, "category", term=_xml(tag))
        content = ET.SubElement(entry, "content", type="html")
        note = f"<p>{escape(each.note)}</p>" if each.note else ""
        content.text = _xml(f"<blockquote>{escape(each.quote)}</blockquote>{note}")
    made: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return made


def _add(parent: ET.Element, name: str, value: str) -> None:
    ET.SubElement(parent, name).text = _xml(value)


def _xml(value: str) -> str:
    return FORBIDDEN_IN_XML.sub("\ufffd", value)


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()
