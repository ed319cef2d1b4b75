"""Where the entries of a filter are found: as ranges of an index, so that no other entries need to be read."""

from dataclasses import dataclass, replace
from typing import Any

from nexus.services.library.counts import KINDS, STATUSES
from nexus.services.library.filters import Conditions, Filters, archived_values


@dataclass(frozen=True)
class Source:
    """`rows` with `condition` for each of the `ranges`. PostgreSQL uses a partial index only where its condition is
    spelled out."""

    ranges: str
    condition: str
    filters_applied: tuple[str, ...]  # those that the condition has in it
    rows: str = "library_media AS entry"
    created_at: str = "entry.created_at"
    media_id: str = "entry.media_id"
    order: str = "entry.created_at DESC, entry.media_id DESC"  # of the index
    repeats: bool = False  # an entry may be in several of the ranges
    full_read: "Source | None" = None  # read instead of this one where all of its entries are wanted

    @property
    def is_by_time(self) -> bool:
        return self.created_at in self.order


IN_LIBRARY = "entry.library_id = :library_id AND entry.is_archived = wanted.is_archived"
KIND_RANGES = " CROSS JOIN unnest(CAST(:kinds AS text[])) AS kinds(kind)"
OF_KIND = Source(
    ranges=f"{KIND_RANGES} CROSS JOIN unnest(CAST(:statuses AS text[])) AS statuses(status)",
    condition=f"{IN_LIBRARY} AND entry.kind = kinds.kind AND entry.status = statuses.status",
    filters_applied=("archived", "kind", "status"),
)
# All of them have a kind; that is what ix_library_media_time asks for.
ALL = Source(ranges="", condition=f"{IN_LIBRARY} AND entry.kind <> ''", filters_applied=("archived",))
UNREAD = Source(
    ranges=KIND_RANGES,
    condition=f"{IN_LIBRARY} AND entry.kind = kinds.kind AND entry.status = 'succeeded' AND entry.read_at IS NULL",
    filters_applied=("archived", "kind", "unread"),
)
STARRED = Source(
    ranges="", condition=f"{IN_LIBRARY} AND entry.starred_at IS NOT NULL", filters_applied=("archived", "starred")
)
HIGHLIGHTED = Source(
    ranges="", condition=f"{IN_LIBRARY} AND entry.has_highlights", filters_applied=("archived", "highlighted")
)
UNTAGGED = Source(ranges="", condition=f"{IN_LIBRARY} AND NOT entry.has_tags", filters_applied=("archived", "untagged"))
SITE = Source(ranges="", condition=f"{IN_LIBRARY} AND entry.site = :site", filters_applied=("archived", "site"))
# What comes last in an order, after all that was read or has a length, has indexes in that order of its own.
UNREAD_BY_READING = Source(
    ranges="",
    condition=f"{IN_LIBRARY} AND entry.status = 'succeeded' AND entry.read_at IS NULL",
    filters_applied=("archived", "unread"),
    order="entry.read_order, entry.media_id",
)
UNREADY_BY_READING = Source(
    ranges="",
    condition=f"{IN_LIBRARY} AND entry.status = :status AND entry.status <> 'succeeded'",
    filters_applied=("archived", "status"),
    order="entry.read_order, entry.media_id",
)
UNREADY_BY_LENGTH = replace(UNREADY_BY_READING, order="entry.reading_seconds, entry.media_id")


def tagged(number: int, *, repeats: bool) -> Source:
    return Source(
        ranges=f" CROSS JOIN unnest(CAST(:tag_ids_{number} AS uuid[])) AS tag(id)",
        # LIMIT 1 keeps the planner, which does not know how frequent the tag is, from reading the whole library.
        rows="entry_tags AS tagged CROSS JOIN LATERAL (SELECT * FROM library_media AS one"
        " WHERE one.library_id = tagged.library_id AND one.media_id = tagged.media_id LIMIT 1) AS entry",
        condition="tagged.tag_id = tag.id AND tagged.is_set AND tagged.is_archived = wanted.is_archived",
        filters_applied=("archived", f"tag {number}"),
        created_at="tagged.entry_created_at",
        media_id="tagged.media_id",
        order="tagged.entry_created_at DESC, tagged.media_id DESC",
        repeats=repeats,
        # All at once: a search of the index for each of them costs three times as much.
        full_read=Source(
            ranges="",
            condition=f"""{IN_LIBRARY} AND entry.media_id = ANY(ARRAY(
                SELECT tagged.media_id FROM entry_tags AS tagged
                WHERE tagged.tag_id = ANY(CAST(:tag_ids_{number} AS uuid[])) AND tagged.is_set
                  AND tagged.is_archived = wanted.is_archived LIMIT :max_rows))""",  # noqa: S608 - our own constants
            filters_applied=("archived", f"tag {number}"),
            order="entry.media_id",
        ),
    )


def range_values(filters: Filters, conditions: Conditions) -> dict[str, Any]:
    return conditions.values | {
        "archived": archived_values(filters.archived, conditions.archived),
        "kinds": [filters.kind] if filters.kind else list(KINDS),
        "statuses": [filters.status] if filters.status else list(STATUSES),
    }


def sources_of(filters: Filters, conditions: Conditions) -> list[Source]:
    """One for each filter, those first that usually find least."""
    found = [tagged(number, repeats=len(group) > 1) for number, group in enumerate(conditions.tag_groups)]
    found += [SITE] if filters.site else []
    found += [HIGHLIGHTED] if filters.highlighted else []
    found += [STARRED] if filters.starred else []
    found += [UNTAGGED] if filters.untagged else []
    found += [UNREAD] if filters.unread else []
    if "minutes" in conditions.sql:
        length = f"{IN_LIBRARY} AND {conditions.sql['minutes']}"
        found.append(Source("", length, ("archived", "minutes"), order="entry.reading_seconds, entry.media_id"))
    knows_kind = UNREAD in found
    return found + ([OF_KIND] if filters.status or (filters.kind and not knows_kind) else [])


def last_in_order(filters: Filters, key: str) -> list[Source]:
    """To be scanned in the order of a column, where what matches comes last in it."""
    is_unready = filters.status not in (None, "succeeded")
    if key == "read_order" and (filters.unread or is_unready):
        return [UNREAD_BY_READING if filters.unread else UNREADY_BY_READING]
    return [UNREADY_BY_LENGTH] if key == "reading_seconds" and is_unready else []
