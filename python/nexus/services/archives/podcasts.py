"""Feeds and episodes of an archive. All users share them: they are created only where nobody else uses the server."""

from collections.abc import Iterable, Mapping
from uuid import UUID, uuid4

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.archives import fields, layout
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.fields import Row
from nexus.services.archives.new_rows import execute
from nexus.services.archives.records import Record
from nexus.services.archives.restore_lists import ListReport, read_lines
from nexus.services.archives.targets import IS_ALONE, RestoreTarget
from nexus.services.users import CurrentUser

PODCAST: dict[str, fields.Convert] = {
    "id": fields.uuid, "feed_url": fields.url, "moved_from": fields.names, "title": fields.optional_text,
    "site_url": fields.url, "lang": fields.optional_text, "image_url": fields.url,
}  # fmt: skip
REMOVAL: dict[str, fields.Convert] = {
    "podcast_id": fields.uuid, "guid": fields.required_text,
    "guid_source": fields.one_of("guid", "enclosure", "title_and_date"), "title": fields.optional_text,
    "created_at": fields.required_past_time, "aliases": fields.names,
}  # fmt: skip
MAX_PODCASTS = 10_000

_FREE_ID = "CASE WHEN EXISTS (SELECT FROM {table} WHERE id = given.id) THEN gen_random_uuid() ELSE given.id END"
ADD_PODCASTS = text(f"""
    INSERT INTO podcasts (id, feed_url, moved_from, title, site_url, lang, image_url)
    SELECT {_FREE_ID.format(table="podcasts")}, feed_url, moved_from, title, site_url, lang, image_url
    FROM json_populate_recordset(NULL::podcasts, CAST(:rows AS json)) AS given
    ON CONFLICT (text_key(feed_url)) DO NOTHING RETURNING id
""")  # noqa: S608 - our own constants
_OF_FEED = "JOIN podcasts ON text_key(podcasts.feed_url) = text_key(given.feed_url)"
_EPISODES = """
    json_to_recordset(CAST(:rows AS json)) AS given (
        id uuid, feed_url text, media_id uuid, guid text, guid_source text, title text, link text, enclosure_url text,
        published_at timestamptz, duration_ms bigint, chapters jsonb, transcript_source text, created_at timestamptz,
        updated_at timestamptz, aliases jsonb)"""
# An episode that was removed from the library, or whose media is gone, has a row without one.
ADD_EPISODES = text(f"""
    INSERT INTO episodes AS kept (id, podcast_id, media_id, guid, guid_source, title, link, enclosure_url, published_at,
                                  duration_ms, chapters, transcript_source, created_at, updated_at)
    SELECT {_FREE_ID.format(table="episodes")}, podcasts.id, given.media_id, guid, guid_source, given.title, link,
           enclosure_url, published_at, duration_ms, coalesce(chapters, '[]'), transcript_source,
           coalesce(given.created_at, now()), coalesce(given.updated_at, now())
    FROM {_EPISODES} {_OF_FEED}
    ON CONFLICT (podcast_id, text_key(guid)) DO UPDATE SET media_id = excluded.media_id
    WHERE kept.media_id IS NULL AND excluded.media_id IS NOT NULL
    RETURNING id, media_id, xmax = 0 AS is_new
""")  # noqa: S608
ADD_NAMES = text(f"""
    INSERT INTO episode_aliases (podcast_id, alias_sha256, alias, episode_id)
    SELECT DISTINCT ON (podcasts.id, alias) podcasts.id, text_key(alias), alias, episodes.id
    FROM {_EPISODES} {_OF_FEED}
    JOIN episodes ON episodes.podcast_id = podcasts.id AND text_key(episodes.guid) = text_key(given.guid)
    CROSS JOIN jsonb_array_elements_text(given.aliases) AS alias
    ON CONFLICT DO NOTHING
""")  # noqa: S608
# Not for an episode that is in the user's library: that was not removed.
ADD_REMOVALS = text(f"""
    INSERT INTO episode_removals (user_id, episode_id, created_at)
    SELECT :user_id, episodes.id, given.created_at
    FROM {_EPISODES} {_OF_FEED}
    JOIN episodes ON episodes.podcast_id = podcasts.id AND text_key(episodes.guid) = text_key(given.guid)
    WHERE NOT EXISTS (SELECT FROM library_media WHERE library_id = :library_id AND media_id = episodes.media_id)
    ON CONFLICT DO NOTHING RETURNING episode_id, created_at
""")  # noqa: S608
# What the user has again was not removed.
DELETE_REMOVALS = text("""
    DELETE FROM episode_removals USING episodes
    WHERE episodes.id = episode_id AND user_id = :user_id AND episodes.media_id = ANY(:ids)
    RETURNING media_id, episode_id, episode_removals.created_at
""")


def restore_podcasts(session: Session, user: CurrentUser, archive: ArchiveFile, report: ListReport) -> dict[UUID, str]:
    """The feeds by the ids that the archive has for them."""
    rows = [row for row in read_lines(archive, layout.PODCASTS, PODCAST, report) if row["feed_url"]][:MAX_PODCASTS]
    if rows and is_trusted(session, user):
        made = execute(session, ADD_PODCASTS, [{name: row[name] for name in PODCAST} for row in rows])
        report.add("podcasts", [{"id": each} for each in made.scalars()])
    return {row["id"]: row["feed_url"] for row in rows}


def is_trusted(session: Session, user: CurrentUser) -> bool:
    """Whether what this user restores may be shared: only if they are the operator and the only user."""
    return user.is_operator and bool(session.scalar(IS_ALONE, {"user_id": user.user_id}))


def write_episodes(
    session: Session, records: Iterable[Record], targets: Mapping[UUID, RestoreTarget], feeds: Mapping[UUID, str]
) -> dict[UUID, UUID]:
    """Writes the episodes of the media that became shared ones. Returns those that were not known here, by media."""
    rows: list[Row] = [
        record.episode | {"media_id": targets[record.id].media_id, "feed_url": feeds[record.episode["podcast_id"]]}
        for record in records
        if record.episode and targets[record.id].kind == "shared" and record.episode["podcast_id"] in feeds
    ]
    if not rows:
        return {}
    made = {row.media_id: row.id for row in execute(session, ADD_EPISODES, rows) if row.is_new}
    execute(session, ADD_NAMES, rows)
    return made


def delete_removals(session: Session, user: CurrentUser, media_ids: Iterable[UUID]) -> dict[UUID, Row]:
    """Returns what they were, by the media of their episodes."""
    rows = session.execute(DELETE_REMOVALS, {"user_id": user.user_id, "ids": list(media_ids)})
    return {row.media_id: {"episode_id": row.episode_id, "created_at": row.created_at} for row in rows}


def restore_removals(
    session: Session, user: CurrentUser, archive: ArchiveFile, feeds: Mapping[UUID, str], report: ListReport
) -> None:
    rows = [
        {name: row[name] for name in REMOVAL} | {"feed_url": feeds[row["podcast_id"]], "id": None}
        for row in read_lines(archive, layout.REMOVALS, REMOVAL, report)
        if row["podcast_id"] in feeds
    ]
    if not rows:
        return
    if is_trusted(session, user):
        made = execute(session, ADD_EPISODES, [row | {"created_at": None, "id": uuid4()} for row in rows])
        report.add("episodes", [{"id": row.id} for row in made if row.is_new])
        execute(session, ADD_NAMES, rows)
    removed = execute(session, ADD_REMOVALS, rows, user_id=user.user_id, library_id=user.default_library_id)
    report.add("removals", [dict(row) for row in removed.mappings()])
