"""Highlights of an archive: new ones are added. For existing ones, the later decision about each part counts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.archives.fields import Row
from nexus.services.archives.new_rows import execute, insert
from nexus.services.archives.records import DECISIONS, Record
from nexus.services.archives.targets import RestoreTarget
from nexus.services.archives.user_state import tag_id_of
from nexus.services.highlights.text_search import words_of
from nexus.services.users import CurrentUser

ANCHOR = ("version", "start_fragment", "start_offset", "end_fragment", "end_offset", "quote", "prefix", "suffix",
         "start_ms", "state", "carried_version")  # fmt: skip
PARTS = {
    "place_decided_at": ANCHOR, "color_decided_at": ("color",), "note_decided_at": ("note",), "tags_decided_at": (),
    "deletion_decided_at": ("deleted_at",),
}  # fmt: skip
COLUMNS = f"""library_id, id, media_id, {", ".join(ANCHOR)}, color, note, words, created_at, updated_at,
    {", ".join(DECISIONS)}, deleted_at, review_round, review_order, seen_at"""
ADD = insert("highlights", COLUMNS)
EXISTING_HIGHLIGHTS = text(f"""
    SELECT id, media_id, quote, note, {", ".join(DECISIONS)} FROM highlights
    WHERE library_id = :library_id AND id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE
""")  # noqa: S608 - our own constants
CHANGE = text(f"""
    UPDATE highlights AS kept SET {
    ", ".join(
        f"{name} = CASE WHEN given.parts ? '{part}' THEN given.{name} ELSE kept.{name} END"
        for part, names in PARTS.items()
        for name in (*names, part)
    )
}, words = given.words
    FROM (
        SELECT row.*, each -> 'parts' AS parts
        FROM jsonb_array_elements(CAST(:rows AS jsonb)) AS each, jsonb_populate_record(NULL::highlights, each) AS row
    ) AS given
    WHERE kept.library_id = given.library_id AND kept.id = given.id
""")  # noqa: S608
DELETE_TAGS = text("DELETE FROM highlight_tags WHERE library_id = :library_id AND highlight_id = ANY(:ids)")
ADD_TAGS = insert("highlight_tags", "library_id, highlight_id, tag_id, created_at", "ON CONFLICT DO NOTHING")
QUEUE_CARRY_OVER = text("""
    INSERT INTO highlights_waiting (media_id) SELECT unnest(CAST(:ids AS uuid[])) ON CONFLICT DO NOTHING
""")


def write_highlights(
    session: Session,
    user: CurrentUser,
    records: Sequence[Record],
    targets: Mapping[UUID, RestoreTarget],
    tag_ids: Mapping[str, UUID],
) -> set[UUID]:
    """The media of which something changed."""
    given = {row["id"]: row for record in records for row in _rows(user, record, targets[record.id])}
    if not given:
        return set()
    known = {
        row.id: row
        for row in session.execute(EXISTING_HIGHLIGHTS, {"library_id": user.default_library_id, "ids": list(given)})
    }
    new = [row for highlight_id, row in given.items() if highlight_id not in known]
    changed = [row for highlight_id, row in given.items() if highlight_id in known and _join(row, known[highlight_id])]
    if new:
        execute(session, ADD, new)
    if changed:
        execute(session, CHANGE, changed)
    _write_tags(session, user, new, [row for row in changed if "tags_decided_at" in row["parts"]], tag_ids)
    waiting = {row["media_id"] for row in new if row["carried_version"] is None and row["quote"]}
    waiting |= {row["media_id"] for row in changed if "place_decided_at" in row["parts"]}
    if waiting:
        session.execute(QUEUE_CARRY_OVER, {"ids": sorted(waiting)})
    return {row["media_id"] for row in (*new, *changed)}


def _rows(user: CurrentUser, record: Record, target: RestoreTarget) -> list[Row]:
    versions = {version.number: version for version in record.versions} if target.is_new else {}
    rows = []
    for highlight in record.highlights:
        row: Row = {**highlight, "library_id": user.default_library_id, "media_id": target.media_id}
        if not row["quote"] and row["deleted_at"] is None:
            continue
        version = versions.get(row["version"])
        if version is None or not version.has_anchor(row):
            # The words are looked for in the current text (services/highlights/carry_over.py).
            row |= {"version": None, "carried_version": None, "state": "orphaned"}
        elif row["carried_version"] not in versions:
            row |= {"carried_version": None, "state": "orphaned"}
        else:
            row["state"] = "attached" if row["version"] == row["carried_version"] else "orphaned"
        row["review_order"] = row["review_order"] or 0.0
        row["note"] = (row["note"] or "").strip() or None
        row["words"] = words_of(row["quote"], row["note"]) if row["deleted_at"] is None else ""
        rows.append(row)
    return rows


def _join(row: Row, known: Any) -> bool:
    """Notes which parts of it are later. One that was emptied stays so, and one of another media is another one."""
    if known.media_id != row["media_id"] or known.quote == "":
        return False
    row["parts"] = [part for part in DECISIONS if datetime.fromisoformat(row[part]) > getattr(known, part)]
    if not row["quote"]:
        row["parts"] = [part for part in row["parts"] if part == "deletion_decided_at"]
    quote = row["quote"] if "place_decided_at" in row["parts"] else known.quote
    note = row["note"] if "note_decided_at" in row["parts"] else known.note
    row["words"] = words_of(quote, note)
    return bool(row["parts"])


def _write_tags(
    session: Session, user: CurrentUser, new: Sequence[Row], changed: Sequence[Row], tag_ids: Mapping[str, UUID]
) -> None:
    if changed:
        ids = [row["id"] for row in changed]
        session.execute(DELETE_TAGS, {"library_id": user.default_library_id, "ids": ids})
    rows = [
        {
            "library_id": user.default_library_id, "highlight_id": row["id"], "tag_id": tag_id,
            "created_at": row["created_at"],
        }
        for row in (*new, *changed)
        for name in row["tags"]
        if (tag_id := tag_id_of(name, tag_ids)) is not None
    ]  # fmt: skip
    if rows:
        execute(session, ADD_TAGS, rows)
