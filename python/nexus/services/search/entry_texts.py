"""What is indexed of entries, read from their rows."""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from nexus.search.documents import MAX_TEXT_CHARS, EntryText

# Reads one user's library only, so that nothing of another user's items can get in.
ENTRIES = text("""
    SELECT entry.media_id, entry.kind, entry.status, entry.created_at, entry.read_at, entry.archived_at,
           entry.starred_at, entry.has_highlights, entry.own_title, entry.note, entry.site, entry.reading_seconds,
           coalesce(media.title, item.title) AS title, media.site_name, media.byline, media.lang,
           ARRAY(SELECT tags.name FROM entry_tags JOIN tags ON tags.id = entry_tags.tag_id
                 WHERE entry_tags.library_id = entry.library_id AND entry_tags.media_id = entry.media_id
                   AND entry_tags.is_set) AS tags
    FROM library_media AS entry JOIN media ON media.id = entry.media_id
    JOIN libraries ON libraries.id = entry.library_id
    LEFT JOIN LATERAL (
        SELECT title FROM items
        WHERE items.media_id = entry.media_id AND items.user_id = libraries.owner_user_id
        ORDER BY items.created_at DESC, items.id DESC LIMIT 1
    ) AS item ON true
    WHERE entry.library_id = :library_id AND entry.media_id = ANY(:media_ids)
""")
TEXTS = text("""
    SELECT fragments.media_id, string_agg(canonical_text, chr(10) ORDER BY idx) AS words,
           string_agg(html_sanitized, chr(10) ORDER BY idx) AS html
    FROM fragments JOIN media ON media.id = fragments.media_id AND media.current_version = fragments.version
    WHERE fragments.media_id = ANY(:media_ids) GROUP BY fragments.media_id
""")
# In one language with its text, which a highlight quotes.
HIGHLIGHTS = text("""
    SELECT media_id, string_agg(concat_ws(chr(10), quote, note), chr(10) ORDER BY created_at, id) AS words
    FROM highlights
    WHERE library_id = :library_id AND media_id = ANY(:media_ids) AND deleted_at IS NULL GROUP BY media_id
""")
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def entry_texts(session: Session, library_id: UUID, media_ids: Sequence[UUID]) -> Iterator[EntryText]:
    """The texts of those media that are in the library."""
    entries = session.execute(ENTRIES, {"library_id": library_id, "media_ids": list(media_ids)}).all()
    read = session.execute(TEXTS, {"media_ids": [entry.media_id for entry in entries]})
    texts = {row.media_id: (row.words[:MAX_TEXT_CHARS], _headings(row.html)) for row in read}
    marked = _highlights(session, library_id, [entry.media_id for entry in entries if entry.has_highlights])
    for entry in entries:
        yield _entry_text(entry, *texts.get(entry.media_id, ("", "")), marked.get(entry.media_id, ""))


def _highlights(session: Session, library_id: UUID, media_ids: list[UUID]) -> dict[UUID, str]:
    if not media_ids:
        return {}
    rows = session.execute(HIGHLIGHTS, {"library_id": library_id, "media_ids": media_ids})
    return {row.media_id: row.words[:MAX_TEXT_CHARS] for row in rows}


def _headings(html: str) -> str:
    return "\n".join(unescape(_TAG.sub(" ", found[1])) for found in _HEADING.findall(html))


def _entry_text(entry: Row[Any], words: str, headings: str, highlights: str) -> EntryText:
    return EntryText(
        media_id=entry.media_id,
        kind=entry.kind,
        saved_at=entry.created_at,
        # An entry is also found by the title that its user replaced.
        title="\n".join(dict.fromkeys(filter(None, (entry.own_title, entry.title)))),
        text=words,
        # Tags weigh as much as headings.
        headings="\n".join((headings, *(name.replace("/", "\n") for name in entry.tags))).strip(),
        notes=entry.note or "",
        highlights=highlights,
        lang=entry.lang,
        site=entry.site,
        author=" ".join(filter(None, (entry.byline, entry.site_name))),
        tags=entry.tags,
        states=list(_states(entry)),
        seconds=entry.reading_seconds if entry.reading_seconds >= 0 else None,
    )


def _states(entry: Row[Any]) -> Iterator[str]:
    yield f"status:{entry.status}"
    if entry.read_at is None and entry.status == "succeeded":
        yield "unread"
    if entry.read_at is not None:
        yield "read"
    if entry.archived_at is not None:
        yield "archived"
    if entry.starred_at is not None:
        yield "starred"
    if entry.has_highlights:
        yield "highlighted"
    if entry.tags:
        yield "tagged"
