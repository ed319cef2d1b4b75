"""What an archive has besides media: tags, which come first, and what refers to media, which comes last."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import InvalidRecordError, InvalidTagError
from nexus.services.archives import fields
from nexus.services.archives.fields import Row, read_row
from nexus.services.archives.new_rows import execute, insert
from nexus.services.library.library_lock import lock_library
from nexus.services.library.tag_names import read_tag_name
from nexus.services.library.tags import MAX_TAGS, notify_tags
from nexus.services.organise.saved_searches import MAX_SEARCHES
from nexus.services.users import CurrentUser

COLORS = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "grey")
SORTS = ("newest", "oldest", "longest", "shortest", "title", "recently_read", "relevance")
MAX_LINES = 1_000_000
MAX_QUERY_CHARS = 10_000

TAG: dict[str, fields.Convert] = {
    "id": fields.uuid, "name": fields.some_words, "color": fields.one_of_or_none(*COLORS), "created_at": fields.moment
}  # fmt: skip
SEARCH: dict[str, fields.Convert] = {
    "id": fields.uuid, "name": fields.some_words, "sort": fields.one_of(*SORTS), "position": fields.count,
    "created_at": fields.moment,
}  # fmt: skip
ALIAS: dict[str, fields.Convert] = {
    "alias_id": fields.uuid, "media_id": fields.uuid, "created_at": fields.moment
}  # fmt: skip
REVIEW: dict[str, fields.Convert] = {"day": fields.day, "number": fields.number, "highlight_id": fields.uuid}

KNOWN_TAGS = text("SELECT name_key, id FROM tags WHERE user_id = :user_id")
TAKEN_TAGS = text("SELECT id FROM tags WHERE id = ANY(:ids)")
ADD_TAGS = insert("tags", "id, user_id, name, name_key, color, created_at")
TAKEN_SEARCHES = text("SELECT id FROM saved_searches WHERE id = ANY(:ids)")
KNOWN_SEARCHES = text("SELECT count(*) FROM saved_searches WHERE user_id = :user_id")
ADD_SEARCHES = insert(
    "saved_searches", "id, user_id, name, query, sort, position, created_at", "ON CONFLICT (user_id, name) DO NOTHING"
)
# To what the user has under the id that the archive knows.
ADD_ALIASES = text("""
    INSERT INTO media_aliases (alias_id, user_id, media_id, created_at)
    SELECT given.alias_id, :user_id, entry.media_id, given.created_at
    FROM json_populate_recordset(NULL::media_aliases, CAST(:rows AS json)) AS given
    LEFT JOIN media_aliases AS led ON led.alias_id = given.media_id AND led.user_id = :user_id
    JOIN library_media AS entry
      ON entry.library_id = :library_id AND entry.media_id = coalesce(led.media_id, given.media_id)
    WHERE given.alias_id <> entry.media_id
      AND NOT EXISTS (SELECT FROM library_media WHERE library_id = :library_id AND media_id = given.alias_id)
    ON CONFLICT DO NOTHING
""")
ADD_REVIEWS = text("""
    INSERT INTO highlight_reviews (library_id, day, number, highlight_id)
    SELECT :library_id, day, number, highlight_id
    FROM json_populate_recordset(NULL::highlight_reviews, CAST(:rows AS json)) AS given
    WHERE number <= 5 AND EXISTS (SELECT FROM highlights WHERE library_id = :library_id AND id = given.highlight_id)
    ON CONFLICT DO NOTHING
""")


def read_lines(lines: Iterable[bytes], columns: Mapping[str, fields.Convert]) -> Iterator[Row]:
    """Those that can be read: one that cannot is no reason to lose the others."""
    for number, line in enumerate(lines):
        if number >= MAX_LINES:
            return
        try:
            said = fields.read_json(line)
            yield read_row(said, columns) | {"said": said}
        except InvalidRecordError:
            continue


def restore_tags(session: Session, user: CurrentUser, lines: Iterable[bytes]) -> dict[str, UUID]:
    """All tags of the user by their keys. Of tags with the same name, the one that is here."""
    lock_library(session, user)
    known = {row.name_key: row.id for row in session.execute(KNOWN_TAGS, {"user_id": user.user_id})}
    new: dict[str, Row] = {}
    for row in read_lines(lines, TAG):
        try:
            name = read_tag_name(row["name"])
        except InvalidTagError:
            continue
        if name.key not in known and len(known) + len(new) < MAX_TAGS:
            new.setdefault(
                name.key,
                {
                    "id": row["id"], "user_id": user.user_id, "name": name.name, "name_key": name.key,
                    "color": row["color"], "created_at": row["created_at"],
                },
            )  # fmt: skip
    _give_free_ids(session, TAKEN_TAGS, list(new.values()))
    if new:
        execute(session, ADD_TAGS, list(new.values()))
        notify_tags(session, user)
    return known | {key: row["id"] for key, row in new.items()}


def restore_searches(session: Session, user: CurrentUser, lines: Iterable[bytes]) -> None:
    lock_library(session, user)
    room = MAX_SEARCHES - (session.scalar(KNOWN_SEARCHES, {"user_id": user.user_id}) or 0)
    rows = []
    for row in read_lines(lines, SEARCH):
        query = row.pop("said").get("query")
        if isinstance(query, dict) and len(str(query)) <= MAX_QUERY_CHARS and row["name"].strip():
            rows.append(row | {"user_id": user.user_id, "query": query, "name": row["name"][:100]})
    rows = rows[: max(room, 0)]
    _give_free_ids(session, TAKEN_SEARCHES, rows)
    if rows:
        execute(session, ADD_SEARCHES, rows)
        notify_tags(session, user)


def restore_aliases(session: Session, user: CurrentUser, lines: Iterable[bytes]) -> None:
    _write(session, user, ADD_ALIASES, read_lines(lines, ALIAS))


def restore_reviews(session: Session, user: CurrentUser, lines: Iterable[bytes]) -> None:
    _write(session, user, ADD_REVIEWS, read_lines(lines, REVIEW))


def _write(session: Session, user: CurrentUser, statement: Any, rows: Iterable[Row]) -> None:
    given = [{name: value for name, value in row.items() if name != "said"} for row in rows]
    if given:
        execute(session, statement, given, user_id=user.user_id, library_id=user.default_library_id)


def _give_free_ids(session: Session, taken: Any, rows: list[Row]) -> None:
    """Where the id is somebody else's, or an archive has it twice."""
    seen = set(session.scalars(taken, {"ids": [row["id"] for row in rows]})) if rows else set()
    for row in rows:
        if row["id"] in seen:
            row["id"] = uuid4()
        seen.add(row["id"])
