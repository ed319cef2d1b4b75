"""The filters of a library, for lists, searches and bulk changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.errors import InvalidUrlError
from nexus.services.library.tag_names import read_tag_names
from nexus.services.library.tags import ids_with_descendants, tags_by_key
from nexus.services.users import CurrentUser
from nexus.text.characters import storable
from nexus.web.urls import host_of

Archived = Literal["true", "false", "any"]
MAX_MINUTES = 100_000
MAX_SITE_CHARS = 1000
MAX_FILTER_TAGS = 100
MAX_TYPED_TAG_CHARS = 1000
# No EXISTS: for that PostgreSQL may read all of these rows at once instead of those of an entry.
WITH_TAG = """(
    SELECT true FROM entry_tags AS tagged
    WHERE tagged.library_id = entry.library_id AND tagged.media_id = entry.media_id
      AND tagged.tag_id = ANY(CAST(:tag_ids_{} AS uuid[])) AND tagged.is_set LIMIT 1) IS TRUE"""

SWITCHES = {
    "unread": "entry.status = 'succeeded' AND entry.read_at IS NULL",
    "starred": "entry.starred_at IS NOT NULL",
    "highlighted": "entry.has_highlights",
    "untagged": "NOT entry.has_tags",
}


@dataclass(frozen=True)
class Filters:
    kind: str | None = None
    status: str | None = None
    unread: bool = False
    starred: bool = False
    highlighted: bool = False
    archived: Archived | None = None  # None: what the list or the search takes by itself
    tags: tuple[str, ...] = ()  # all of them; one that has others below it includes those
    untagged: bool = False
    site: str | None = None
    min_minutes: int | None = None
    max_minutes: int | None = None


@dataclass(frozen=True)
class Conditions:
    """SQL conditions for a row of library_media under the name `entry`, by the names of the filters."""

    sql: dict[str, str]
    values: dict[str, Any]
    archived: Archived  # what is meant where the filters do not say
    tag_groups: Sequence[Sequence[UUID]] = ()

    def without(self, *names: str) -> str:
        """To be put behind WHERE: each condition is followed by AND."""
        return "".join(f"{condition} AND " for name, condition in self.sql.items() if name not in names)


def with_tag(name: int | str) -> str:
    """`:tag_ids_<name>`: any of these."""
    return WITH_TAG.format(name)


def archived_values(archived: Archived | None, default: Archived) -> list[bool]:
    return {"true": [True], "false": [False], "any": [False, True]}[archived or default]


def build_conditions(session: Session, user: CurrentUser, filters: Filters, *, archived: Archived) -> Conditions:
    """`archived`: what is meant where the filters do not say."""
    sql: dict[str, str] = {}
    values: dict[str, Any] = {"library_id": user.default_library_id, "user_id": user.user_id}
    if filters.kind:
        sql["kind"] = "entry.kind = :kind"
        values["kind"] = filters.kind
    if filters.status:
        sql["status"] = "entry.status = :status"
        values["status"] = filters.status
    sql |= {name: condition for name, condition in SWITCHES.items() if getattr(filters, name)}
    if filters.site:
        sql["site"] = "entry.site = :site"
        values["site"] = read_site(filters.site)
    if minutes := _minutes(filters):
        sql["minutes"] = minutes
    if len(wanted := archived_values(filters.archived, archived)) == 1:
        sql["archived"] = "entry.is_archived = :is_archived"
        values["is_archived"] = wanted[0]
    groups = _tag_groups(session, user, filters.tags)
    for number, group in enumerate(groups):
        sql[f"tag {number}"] = with_tag(number)
        values[f"tag_ids_{number}"] = group
    return Conditions(sql, values, archived, groups)


def read_site(typed: str) -> str:
    """As the column has it: of an address the host, as a link has it, without "www."."""
    given = storable(typed).strip()
    try:
        host = host_of(given if "://" in given else f"https://{given}")
    except InvalidUrlError:
        host = given.lower()  # no link has it
    return host.removeprefix("www.")


def _minutes(filters: Filters) -> str:
    """Minutes are rounded up; what has no text has no length."""
    least, most = filters.min_minutes, filters.max_minutes
    bounds = [] if least is None else [f"entry.reading_seconds > {max(60 * (least - 1), -1):d}"]
    bounds += [] if most is None else [f"entry.reading_seconds BETWEEN 0 AND {60 * most:d}"]
    return " AND ".join(bounds)


def _tag_groups(session: Session, user: CurrentUser, names: Sequence[str]) -> list[list[UUID]]:
    """A tag that the user does not have is one that no entry has."""
    if not names:
        return []
    keys = read_tag_names(names)
    return ids_with_descendants(tags_by_key(session, user), list(keys))
