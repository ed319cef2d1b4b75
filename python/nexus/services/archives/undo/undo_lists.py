"""What a restore created besides media and the user's state of them: recorded with the restore, and removed after its
lines were undone."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.db.json_rows import text_with_rows
from nexus.services.library.tags import notify_tags
from nexus.services.users import CurrentUser

# By the name of what was made, rows of what names it and of what the user may have changed since.
CreatedRows = Mapping[str, list[Any]]

# In this order: what comes later is named by what comes earlier.
DELETE_CREATED = {
    "reviews": text_with_rows("""
        DELETE FROM highlight_reviews
        USING jsonb_to_recordset(:rows) AS given (day date, number integer, highlight_id uuid)
        WHERE library_id = :library_id AND highlight_reviews.day = given.day AND highlight_reviews.number = given.number
          AND highlight_reviews.highlight_id = given.highlight_id
    """),
    "searches": text_with_rows("""
        DELETE FROM saved_searches
        USING jsonb_to_recordset(:rows) AS given (id uuid, name text, query jsonb, sort text, position integer)
        WHERE user_id = :user_id AND saved_searches.id = given.id AND saved_searches.name = given.name
          AND saved_searches.query = given.query AND saved_searches.sort = given.sort
          AND saved_searches.position = given.position
    """),
    # The aliases of an added entry that stays are kept, too.
    "aliases": text_with_rows("""
        DELETE FROM media_aliases USING jsonb_to_recordset(:rows) AS given (alias_id uuid, media_id uuid)
        WHERE user_id = :user_id AND media_aliases.alias_id = given.alias_id
          AND NOT EXISTS (SELECT FROM import_rows WHERE import_id = :import_id AND outcome = 'added'
                          AND import_rows.media_id = media_aliases.media_id)
    """),
    "removals": text_with_rows("""
        DELETE FROM episode_removals USING jsonb_to_recordset(:rows) AS given (episode_id uuid, created_at timestamptz)
        WHERE user_id = :user_id AND episode_removals.episode_id = given.episode_id
          AND episode_removals.created_at = given.created_at
    """),
    "episodes": text_with_rows("""
        DELETE FROM episodes USING jsonb_to_recordset(:rows) AS given (id uuid)
        WHERE episodes.id = given.id AND media_id IS NULL
          AND NOT EXISTS (SELECT FROM episode_removals WHERE episode_id = episodes.id)
    """),
    "podcasts": text_with_rows("""
        DELETE FROM podcasts USING jsonb_to_recordset(:rows) AS given (id uuid)
        WHERE podcasts.id = given.id AND last_fetched_at IS NULL
          AND NOT EXISTS (SELECT FROM episodes WHERE podcast_id = podcasts.id)
    """),
    "tags": text_with_rows("""
        DELETE FROM tags USING jsonb_to_recordset(:rows) AS given (id uuid, name text, color text)
        WHERE user_id = :user_id AND tags.id = given.id AND tags.name = given.name
          AND tags.color IS NOT DISTINCT FROM given.color
          AND NOT EXISTS (SELECT FROM entry_tags WHERE tag_id = tags.id)
          AND NOT EXISTS (SELECT FROM highlight_tags WHERE tag_id = tags.id)
    """),
}


def undo_lists(session: Session, user: CurrentUser, import_id: UUID, created: CreatedRows) -> None:
    """After all lines. What the user changed since, or uses, stays."""
    values = {"user_id": user.user_id, "library_id": user.default_library_id, "import_id": import_id}
    for name, statement in DELETE_CREATED.items():
        if created.get(name):
            session.execute(statement, values | {"rows": created[name]})
    notify_tags(session, user)


def merge_created(created: CreatedRows, more: CreatedRows) -> dict[str, list[Any]]:
    return {name: [*created.get(name, []), *more.get(name, [])] for name in created.keys() | more.keys()}
