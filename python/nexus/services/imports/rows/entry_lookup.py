"""Which library entries the rows of a batch are about, found and locked, and what earlier rows said about them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.imports.rows.entry import COLUMNS, BatchEntry, ImportedPosition
from nexus.services.imports.rows.merge_rules import EarlierRows, earlier_rows, highlight_id
from nexus.services.imports.rows.normalized_row import NormalizedRow, normalize_applied_row
from nexus.services.locks import hold_many
from nexus.services.users import CurrentUser
from nexus.text.unicode_form import fold

# The newest first: of several saves of one link it is the one that the library shows.
ITEMS_BY_KEY = text("""
    SELECT coalesce(url_key, text_key(requested_url)) AS key, media_id FROM items
    WHERE user_id = :user_id AND coalesce(url_key, text_key(requested_url)) = ANY(:keys) AND fetch_again_of IS NULL
    ORDER BY created_at DESC, id DESC
""")
PAGES_BY_KEY = text("""
    SELECT text_key(canonical_url) AS key, media.id AS media_id
    FROM media JOIN library_media ON library_media.media_id = media.id AND library_id = :library_id
    WHERE media.kind IN ('web_article', 'podcast_episode') AND canonical_url IS NOT NULL
      AND text_key(canonical_url) = ANY(:keys)
""")
TITLED = text("""
    SELECT given.title, entry.media_id, media.byline
    FROM unnest(CAST(:titles AS text[])) AS given(title) CROSS JOIN (VALUES (false), (true)) AS archived(yes)
    JOIN library_media AS entry ON entry.library_id = :library_id AND entry.is_archived = archived.yes
        AND entry.title_key = title_key(given.title)
    JOIN media ON media.id = entry.media_id
""")
ENTRIES = text(f"""
    SELECT {", ".join(f"entry.{column}" for column in COLUMNS)}, entry.media_id, entry.own_title, media.title,
           media.processing_status = 'ready_for_reading' AS is_ready, entry.highlight_count
    FROM library_media AS entry JOIN media ON media.id = entry.media_id
    WHERE entry.library_id = :library_id AND entry.media_id = ANY(:ids)
    ORDER BY entry.media_id FOR UPDATE OF entry
""")  # noqa: S608 - our own constants
ITEMS = text("""
    SELECT DISTINCT ON (media_id) media_id, id, status, bool_and(priority = 1) OVER (PARTITION BY media_id) AS imported
    FROM items WHERE user_id = :user_id AND media_id = ANY(:ids) AND fetch_again_of IS NULL
    ORDER BY media_id, created_at DESC, id DESC
""")
TAGS = text("SELECT media_id, tag_id, is_set FROM entry_tags WHERE library_id = :library_id AND media_id = ANY(:ids)")
# Deleted highlights keep their ids: what a row would make is known by its id.
QUOTES = text("""
    SELECT media_id, quote FROM highlights
    WHERE library_id = :library_id AND media_id = ANY(:ids) AND quote <> ''
""")
MADE_BEFORE = text("SELECT id FROM highlights WHERE library_id = :library_id AND id = ANY(:ids)")
POSITIONS = text("""
    SELECT media_id, text_at, fraction, text_device FROM positions
    WHERE user_id = :user_id AND media_id = ANY(:ids) AND text_at IS NOT NULL
""")
# What changed nothing says nothing: the import that was there first may have been undone since.
CONTENTS = text("SELECT DISTINCT item_id FROM import_rows WHERE item_id = ANY(:ids) AND content IS NOT NULL")
EARLIER = text("""
    SELECT url_key, record FROM import_rows JOIN imports ON imports.id = import_id
    WHERE url_key = ANY(:keys) AND outcome IN ('added', 'merged')
      AND imports.user_id = :user_id AND imports.status NOT IN ('undoing', 'undone')
""")


def load_entries(session: Session, user: CurrentUser, rows: Sequence[NormalizedRow]) -> dict[bytes, BatchEntry]:
    """By the keys of the rows. The library is locked; the media are held and the entries locked after this."""
    while True:
        found = _find(session, user, rows)
        media_ids = sorted({media_id for some in found.values() for media_id in some})
        if not media_ids:
            return {}  # most rows of a first import: nothing was waited for, so nothing has changed
        if hold_many(session, media_ids) == set(media_ids) and _find(session, user, rows) == found:
            break
    entries = _entries(session, user, media_ids, rows)
    firsts = {key: next((entries[each] for each in some if each in entries), None) for key, some in found.items()}
    return {key: entry for key, entry in firsts.items() if entry is not None}


def _find(session: Session, user: CurrentUser, rows: Sequence[NormalizedRow]) -> dict[bytes, list[UUID]]:
    """The media that may be meant, the likeliest first."""
    by_key: defaultdict[bytes, list[UUID]] = defaultdict(list)
    values = {
        "user_id": user.user_id,
        "library_id": user.default_library_id,
        "keys": list({key for row in rows for key in row.keys}),
    }
    for statement in (ITEMS_BY_KEY, PAGES_BY_KEY):
        for key, media_id in session.execute(statement, values):
            by_key[bytes(key)].append(media_id)
    found = {row.key: [media_id for key in row.keys for media_id in by_key.get(key, ())] for row in rows}
    without_link = [row for row in rows if not (row.link or row.has_content or found[row.key]) and row.title]
    return found | _find_by_title(session, user, without_link)


def _find_by_title(session: Session, user: CurrentUser, rows: Sequence[NormalizedRow]) -> dict[bytes, list[UUID]]:
    """Only where one text alone has the title, and no other author."""
    if not rows:
        return {}
    values = {"library_id": user.default_library_id, "titles": list({row.title for row in rows})}
    titled: defaultdict[str, list[tuple[UUID, str | None]]] = defaultdict(list)
    for title, media_id, byline in session.execute(TITLED, values):
        titled[title].append((media_id, byline))
    found: dict[bytes, list[UUID]] = {}
    for row in rows:
        fitting = [media_id for media_id, byline in titled[row.title or ""] if _may_be_same(row.author, byline)]
        found[row.key] = fitting if len(fitting) == 1 else []
    return found


def _may_be_same(author: str | None, byline: str | None) -> bool:
    one, other = fold(author or ""), fold(byline or "")
    return one in other or other in one


def _entries(
    session: Session, user: CurrentUser, media_ids: Sequence[UUID], rows: Sequence[NormalizedRow]
) -> dict[UUID, BatchEntry]:
    if not media_ids:
        return {}
    values: dict[str, Any] = {
        "user_id": user.user_id, "library_id": user.default_library_id, "ids": list(media_ids)
    }  # fmt: skip
    entries = {row.media_id: _entry(row) for row in session.execute(ENTRIES, values)}
    for row in session.execute(ITEMS, values):
        if entry := entries.get(row.media_id):
            entry.item_id, entry.item_status, entry.is_imported = row.id, row.status, row.imported
    for media_id, tag_id, is_set in session.execute(TAGS, values):
        entries[media_id].tags[tag_id] = is_set
    _load_parts(session, values, entries, rows)
    return entries


def _load_parts(
    session: Session, values: dict[str, Any], entries: Mapping[UUID, BatchEntry], rows: Sequence[NormalizedRow]
) -> None:
    """What only some rows ask for."""
    if any(row.has_content for row in rows):
        with_items = {entry.item_id: entry for entry in entries.values() if entry.item_id}
        for item_id in session.scalars(CONTENTS, {"ids": list(with_items)}):
            with_items[item_id].has_content = True
    if any(row.highlights for row in rows):
        for media_id, quote in session.execute(QUOTES, values):
            entries[media_id].quotes.add(" ".join(quote.split()))
    if any(row.progress for row in rows):
        for row in session.execute(POSITIONS, values):
            if entry := entries.get(row.media_id):
                entry.position = ImportedPosition(row.text_at, row.fraction, row.text_device)


def _entry(row: Any) -> BatchEntry:
    return BatchEntry(
        media_id=row.media_id,
        item_id=None,
        own_title=row.own_title,
        title=row.title,
        is_ready=row.is_ready,
        highlights=row.highlight_count,
        is_imported=False,
        **{column: getattr(row, column) for column in COLUMNS},
    )


def load_earlier(
    session: Session, user: CurrentUser, rows: Iterable[NormalizedRow], now: datetime
) -> Mapping[bytes, EarlierRows]:
    """What was said before about the same links, and the highlights that were made of it."""
    rows = list(rows)
    said: defaultdict[bytes, list[NormalizedRow]] = defaultdict(list)
    values = {"user_id": user.user_id, "keys": list({row.key for row in rows})}
    for key, record in session.execute(EARLIER, values):
        if normalized := normalize_applied_row(record, now):
            said[bytes(key)].append(normalized)
    earlier = defaultdict(EarlierRows, {key: earlier_rows(some) for key, some in said.items()})
    ids = {
        highlight_id(row.key, highlight.key): (row.key, highlight.key) for row in rows for highlight in row.highlights
    }
    if ids:
        for made in session.scalars(MADE_BEFORE, {"library_id": user.default_library_id, "ids": list(ids)}):
            key, quote = ids[made]
            earlier[key].quotes.add(quote)
    return earlier
