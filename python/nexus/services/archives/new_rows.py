"""Writes the rows of media that are new here, each table in one statement."""

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from nexus.services.archives.fields import Row
from nexus.services.archives.rows import NewRows, give_other_ids
from nexus.services.users import CurrentUser
from nexus.store import keep_blobs

MEDIA = """id, kind, owner_user_id, created_by_user_id, requested_url, canonical_url, declared_url, title, byline,
    site_name, lang, published_at, excerpt, word_count, lead_image_url, audio_url, processing_status,
    processing_attempts, processing_started_at, processing_completed_at, failed_at, failure_stage, last_error_code,
    last_error_message, created_at, updated_at, current_version, captured_url_key"""
FRAGMENTS = "id, media_id, version, idx, html_sanitized, canonical_text, start_ms, end_ms, created_at"
PICTURES = """url_key, media_id, url, user_id, position, state, reason, attempts, due_at, settled_at, sha256, size,
    content_type, width, height"""
ITEMS = """id, user_id, media_id, status, status_detail, source_type, requested_url, final_text_source, title,
    request_id, due_at, attempts, max_attempts, losses, url_key, fetched_again_at, save_key, priority, created_at,
    updated_at"""
ATTEMPTS = """id, item_id, attempt_no, rung, result, started_at, finished_at, duration_ms, error_code, error_detail,
    http_status, final_url, content_length"""


def insert(table: str, columns: str, conflict: str = "", *, where: str = "") -> TextClause:
    """A statement that inserts rows given as JSON, with the types of the table's columns."""
    return text(f"""
        INSERT INTO {table} ({columns})
        SELECT {columns} FROM json_populate_recordset(NULL::{table}, CAST(:rows AS json)) AS given {where} {conflict}
    """)  # noqa: S608 - our own constants


# Triggers have noted the pictures of the texts by then, as not fetched.
_SET_PICTURES = ", ".join(
    f"{name.strip()} = excluded.{name.strip()}" for name in PICTURES.split(",")[3:]
)  # fmt: skip
STATEMENTS = {
    "media": insert("media", MEDIA),
    "media_versions": insert(
        "media_versions", "media_id, version, origin, extractor, title, word_count, created_at"
    ),
    "fragments": insert("fragments", FRAGMENTS),
    "originals": insert(
        "originals",
        "media_id, version, sha256, missing, size, read_with, reread_result, due_at, fetched_for, is_direct",
    ),
    "media_images": insert(
        "media_images", PICTURES, f"ON CONFLICT (url_key, media_id) DO UPDATE SET {_SET_PICTURES}"
    ),
    "media_audio": insert("media_audio", "media_id, sha256, content_type, created_at"),
    # The media may have been here before: what cannot be read yet has one item, which is the one that is fetched.
    "items": insert(
        "items",
        ITEMS,
        where="""
            WHERE EXISTS (
                SELECT FROM media WHERE media.id = given.media_id AND CASE processing_status
                    WHEN 'ready_for_reading' THEN given.status IN ('succeeded', 'needs_user_text')
                    ELSE given.status <> 'succeeded'
                         AND NOT EXISTS (SELECT FROM items WHERE items.media_id = media.id) END)""",
        conflict="RETURNING id, media_id",
    ),
    "item_pastes": insert("item_pastes", "item_id, user_pasted_text, created_at, updated_at"),
    "extraction_attempts": insert("extraction_attempts", ATTEMPTS),
}  # fmt: skip
TAKEN = {
    "fragments": text("SELECT id FROM fragments WHERE id = ANY(:ids)"),
    "extraction_attempts": text("SELECT id FROM extraction_attempts WHERE id = ANY(:ids)"),
}
TAKEN_ITEMS = text("SELECT id, user_id FROM items WHERE id = ANY(:ids)")
TAKEN_PAGES = text(
    "SELECT captured_url_key FROM media WHERE owner_user_id = ANY(:owners) AND captured_url_key = ANY(:keys)"
)
TAKEN_KEYS = text("SELECT save_key FROM items WHERE user_id = :user_id AND save_key = ANY(:keys)")


def execute(session: Session, statement: TextClause, rows: Sequence[Row], **values: Any) -> Any:
    return session.execute(statement, {"rows": json.dumps(rows, default=str, ensure_ascii=False), **values})


def write_media(session: Session, rows: NewRows) -> None:
    """With their texts, originals, pictures and audio."""
    if rows.hashes:
        keep_blobs(session, {bytes.fromhex(sha256) for sha256 in rows.hashes})
    _replace_taken_ids(session, rows, "fragments")
    _drop_taken_pages(session, rows.tables["media"])
    for table in ("media", "media_versions", "fragments", "originals", "media_images", "media_audio"):
        if rows.tables[table]:
            execute(session, STATEMENTS[table], rows.tables[table])


def write_items(session: Session, user: CurrentUser, rows: NewRows) -> set[UUID]:
    """Those that are not here, with their receipts. The media that got one."""
    owners = {row.id: row.user_id for row in session.execute(TAKEN_ITEMS, {"ids": _ids(rows, "items")})}
    others = give_other_ids(rows, "items", [each for each in owners if owners[each] != user.user_id], user.user_id)
    again = session.execute(TAKEN_ITEMS, {"ids": list(others.values())}) if others else ()
    known = {each for each, owner in owners.items() if owner == user.user_id} | {row.id for row in again}
    new = [row for row in rows.tables["items"] if row["id"] not in known]
    if not new:
        return set()
    _drop_taken_keys(session, user, new)
    written = {row.id: row.media_id for row in execute(session, STATEMENTS["items"], new)}
    for table in ("item_pastes", "extraction_attempts"):
        for row in rows.tables[table]:
            row["item_id"] = others.get(row["item_id"], row["item_id"])
        rows.tables[table] = [row for row in rows.tables[table] if row["item_id"] in written]
    _replace_taken_ids(session, rows, "extraction_attempts")
    for table in ("item_pastes", "extraction_attempts"):
        if rows.tables[table]:
            execute(session, STATEMENTS[table], rows.tables[table])
    return set(written.values())


def _drop_taken_pages(session: Session, media: Sequence[Row]) -> None:
    """The user has another capture of the page, or the archive has two: one of them is captured again."""
    owners = list({row["owner_user_id"] for row in media if row["captured_url_key"]})
    _clear_taken_keys(session, TAKEN_PAGES, media, "captured_url_key", owners=owners)


def _drop_taken_keys(session: Session, user: CurrentUser, items: Sequence[Row]) -> None:
    """A save of this user has the key already, or two of the archive have the same one."""
    _clear_taken_keys(session, TAKEN_KEYS, items, "save_key", user_id=user.user_id)


def _clear_taken_keys(session: Session, taken: TextClause, rows: Sequence[Row], column: str, **values: Any) -> None:
    keys = [bytes.fromhex(row[column][2:]) for row in rows if row[column]]
    found = session.scalars(taken, values | {"keys": keys}) if keys else ()
    seen = {f"\\x{bytes(key).hex()}" for key in found}
    for row in rows:
        if row[column] in seen:
            row[column] = None
        elif row[column]:
            seen.add(row[column])


def _replace_taken_ids(session: Session, rows: NewRows, table: str) -> None:
    """Ids of rows that only their media or item refers to."""
    taken = set(session.scalars(TAKEN[table], {"ids": _ids(rows, table)}))
    for row in rows.tables[table]:
        if row["id"] in taken:
            row["id"] = uuid4()


def _ids(rows: NewRows, table: str) -> list[UUID]:
    return [row["id"] for row in rows.tables[table]]
