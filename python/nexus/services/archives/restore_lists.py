"""What an archive has besides media: tags, which are restored first, and what refers to media, which comes last."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.errors import InvalidRecordError, InvalidTagError
from nexus.search.query import MAX_QUERY_CHARS
from nexus.services.archives import fields, layout
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.fields import Row, read_row
from nexus.services.archives.new_rows import execute, insert
from nexus.services.archives.outcomes import ListProblem
from nexus.services.capabilities import Kind
from nexus.services.items import ItemStatus
from nexus.services.library.filters import (
    MAX_FILTER_TAGS,
    MAX_MINUTES,
    MAX_SITE_CHARS,
    MAX_TYPED_TAG_CHARS,
    Archived,
)
from nexus.services.library.library_lock import lock_library
from nexus.services.library.tag_names import key_of, read_tag_name, read_tag_names
from nexus.services.library.tags import MAX_TAGS, TagColor, notify_tags
from nexus.services.organise.saved_searches import MAX_NAME_CHARS, MAX_POSITION, MAX_SEARCHES, SORTS, clean_name
from nexus.services.users import CurrentUser

COLORS: Sequence[str] = get_args(TagColor)
MAX_LINES = 1_000_000
MAX_LINE_BYTES = 1 << 20
MAX_PROBLEMS = 100  # of one member, in the report
NOT_LISTED = "This version does not support this saved search."
FULL = f"You have {MAX_SEARCHES} saved searches, which is the limit. Delete one and try again."

TAG: dict[str, fields.Convert] = {
    "id": fields.uuid, "name": fields.required_text, "color": fields.one_of_or_none(*COLORS),
    "created_at": fields.required_past_time,
}  # fmt: skip
SEARCH: dict[str, fields.Convert] = {"id": fields.uuid, "created_at": fields.required_past_time}
SEARCHED: dict[str, fields.Convert] = {
    "name": lambda value: clean_name(fields.required_text(value, MAX_NAME_CHARS)),
    "sort": fields.one_of(*SORTS),
    "position": lambda value: fields.integer_up_to(MAX_POSITION)(value) or 0,
}
# As it is stored: the wire type `Filter`, without what means nothing.
QUERY: dict[str, fields.Convert] = {
    "kind": fields.one_of_or_none(*get_args(Kind)), "status": fields.one_of_or_none(*get_args(ItemStatus)),
    "unread": fields.strict_flag, "starred": fields.strict_flag, "highlighted": fields.strict_flag,
    "archived": fields.one_of_or_none(*get_args(Archived)),
    "tag": lambda value: fields.names(value, MAX_FILTER_TAGS, MAX_TYPED_TAG_CHARS), "untagged": fields.strict_flag,
    "site": fields.text_up_to(MAX_SITE_CHARS),
    "min_minutes": fields.integer_up_to(MAX_MINUTES), "max_minutes": fields.integer_up_to(MAX_MINUTES),
    "q": fields.text_up_to(MAX_QUERY_CHARS),
}  # fmt: skip
ALIAS: dict[str, fields.Convert] = {
    "alias_id": fields.uuid, "media_id": fields.uuid, "created_at": fields.required_past_time
}  # fmt: skip
REVIEW: dict[str, fields.Convert] = {"day": fields.day, "number": fields.positive_integer, "highlight_id": fields.uuid}

KNOWN_TAGS = text("SELECT name_key, id FROM tags WHERE user_id = :user_id")
TAKEN_TAGS = text("SELECT id FROM tags WHERE id = ANY(:ids)")
ADD_TAGS = insert("tags", "id, user_id, name, name_key, color, created_at")
TAKEN_SEARCHES = text("SELECT id FROM saved_searches WHERE id = ANY(:ids)")
KNOWN_SEARCHES = text("SELECT id, name FROM saved_searches WHERE user_id = :user_id")
ADD_SEARCHES = insert("saved_searches", "id, user_id, name, query, sort, position, created_at")
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
    ON CONFLICT DO NOTHING RETURNING alias_id, media_id
""")
ADD_REVIEWS = text("""
    INSERT INTO highlight_reviews (library_id, day, number, highlight_id)
    SELECT :library_id, day, number, highlight_id
    FROM json_populate_recordset(NULL::highlight_reviews, CAST(:rows AS json)) AS given
    WHERE number <= 5 AND EXISTS (SELECT FROM highlights WHERE library_id = :library_id AND id = given.highlight_id)
    ON CONFLICT DO NOTHING RETURNING day, number, highlight_id
""")


@dataclass
class ListReport:
    """What a restore made besides media, for its undo, and the lines that it left out."""

    created: dict[str, list[Row]] = field(default_factory=dict)
    problems: list[ListProblem] = field(default_factory=list)

    def add(self, name: str, rows: Iterable[Row]) -> None:
        self.created.setdefault(name, []).extend(rows)

    def refuse(self, member: str, line: int, message: str) -> None:
        """The first of each member: a few bytes of ZIP hold millions of them."""
        if sum(problem.member == member for problem in self.problems) < MAX_PROBLEMS:
            self.problems.append(ListProblem(member, line, message))


def read_lines(
    archive: ArchiveFile, member: str, columns: Mapping[str, fields.Convert], report: ListReport
) -> Iterator[Row]:
    """The lines that can be read; an unreadable line does not affect the others."""
    for number, line in enumerate(archive.lines_of(member), start=1):
        if number > MAX_LINES:
            return
        if len(line) > MAX_LINE_BYTES:
            report.refuse(member, number, "The line is too long.")
            continue
        try:
            line_json = fields.read_json(line)
            yield read_row(line_json, columns) | {"line_json": line_json, "line": number}
        except InvalidRecordError as error:
            report.refuse(member, number, error.message)


def restore_tags(session: Session, user: CurrentUser, archive: ArchiveFile, report: ListReport) -> dict[str, UUID]:
    """All tags of the user by their keys. Of tags with the same name, the one that is here."""
    lock_library(session, user)
    known = {row.name_key: row.id for row in session.execute(KNOWN_TAGS, {"user_id": user.user_id})}
    new: dict[str, Row] = {}
    for row in read_lines(archive, layout.TAGS, TAG, report):
        try:
            name = read_tag_name(row["name"])
        except InvalidTagError as error:
            report.refuse(layout.TAGS, row["line"], error.message)
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
        report.add("tags", [{name: row[name] for name in ("id", "name", "color")} for row in new.values()])
        notify_tags(session, user)
    return known | {key: row["id"] for key, row in new.items()}


def restore_searches(session: Session, user: CurrentUser, archive: ArchiveFile, report: ListReport) -> None:
    """One that the user has stays as it is: the same id, or the same name."""
    lock_library(session, user)
    known = session.execute(KNOWN_SEARCHES, {"user_id": user.user_id}).all()
    ids, names = {row.id for row in known}, {key_of(row.name) for row in known}
    rows: list[Row] = []
    for row in read_lines(archive, layout.SEARCHES, SEARCH, report):
        try:
            read = read_row(row["line_json"], SEARCHED) | {"query": _read_query(row["line_json"].get("query"))}
        except InvalidRecordError:
            report.refuse(layout.SEARCHES, row["line"], NOT_LISTED)
            continue
        if row["id"] in ids or key_of(read["name"]) in names:
            continue
        if len(known) + len(rows) >= MAX_SEARCHES:
            report.refuse(layout.SEARCHES, row["line"], FULL)
            continue
        names.add(key_of(read["name"]))
        rows.append({"id": row["id"], "user_id": user.user_id, "created_at": row["created_at"], **read})
    _give_free_ids(session, TAKEN_SEARCHES, rows)
    if rows:
        execute(session, ADD_SEARCHES, rows)
        report.add("searches", [{name: row[name] for name in ("id", "query", *SEARCHED)} for row in rows])
        notify_tags(session, user)


def _read_query(query: Any) -> Row:
    if not isinstance(query, dict) or not query.keys() <= QUERY.keys():
        raise InvalidRecordError(NOT_LISTED)
    found = read_row(query, QUERY)
    try:
        read_tag_names(found["tag"])
    except InvalidTagError as error:
        raise InvalidRecordError(NOT_LISTED) from error
    return {name: value for name, value in found.items() if value != QUERY[name](None)}


def restore_aliases(session: Session, user: CurrentUser, archive: ArchiveFile, report: ListReport) -> None:
    _write(session, user, ADD_ALIASES, "aliases", read_lines(archive, layout.ALIASES, ALIAS, report), report)


def restore_reviews(session: Session, user: CurrentUser, archive: ArchiveFile, report: ListReport) -> None:
    _write(session, user, ADD_REVIEWS, "reviews", read_lines(archive, layout.REVIEWS, REVIEW, report), report)


def _write(
    session: Session, user: CurrentUser, statement: Any, name: str, rows: Iterable[Row], report: ListReport
) -> None:
    given = [{name: value for name, value in row.items() if name not in ("line_json", "line")} for row in rows]
    if given:
        made = execute(session, statement, given, user_id=user.user_id, library_id=user.default_library_id)
        report.add(name, [dict(row) for row in made.mappings()])


def _give_free_ids(session: Session, taken: Any, rows: list[Row]) -> None:
    """New ids for rows whose id another user has, or that the archive has twice."""
    seen = set(session.scalars(taken, {"ids": [row["id"] for row in rows]})) if rows else set()
    for row in rows:
        if row["id"] in seen:
            row["id"] = uuid4()
        seen.add(row["id"])
