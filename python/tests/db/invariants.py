"""States that the database must never be in. Each query finds violations; its name says of what."""

from psycopg import Connection

VIOLATIONS = {
    "unready media without exactly one item": """
        SELECT media.id FROM media LEFT JOIN items ON items.media_id = media.id
        WHERE processing_status <> 'ready_for_reading' GROUP BY media.id HAVING count(items.id) <> 1""",
    "media without an item": "SELECT id FROM media WHERE NOT EXISTS (SELECT FROM items WHERE media_id = media.id)",
    "two media with one URL": """
        SELECT canonical_url FROM media WHERE canonical_url IS NOT NULL
        GROUP BY kind, canonical_url HAVING count(*) > 1""",
    "an item without a library entry": """
        SELECT items.id FROM items JOIN libraries ON owner_user_id = user_id AND is_default
        WHERE fetch_again_of IS NULL
        AND NOT EXISTS (SELECT FROM library_media
                        WHERE library_id = libraries.id AND library_media.media_id = items.media_id)""",
    "a library entry of a user without an item": """
        SELECT library_media.media_id FROM library_media JOIN libraries ON libraries.id = library_id
        WHERE NOT EXISTS (SELECT FROM items
                          WHERE items.media_id = library_media.media_id AND user_id = owner_user_id)""",
    "a gap in the numbers of attempts": """
        SELECT item_id FROM extraction_attempts GROUP BY item_id
        HAVING max(attempt_no) <> count(*) OR min(attempt_no) <> 1""",
    "two successes of one item": """
        SELECT item_id FROM extraction_attempts JOIN items ON items.id = item_id
        WHERE result = 'success' AND rung <> 'captured' AND fetched_again_at IS NULL
        GROUP BY item_id HAVING count(*) > 1""",
    "a fetch that is over and still there": """
        SELECT id FROM items WHERE fetch_again_of IS NOT NULL AND status NOT IN ('queued', 'processing')""",
    "a fetch for something that cannot be read": """
        SELECT refetch.id FROM items AS refetch JOIN items AS parent ON parent.id = refetch.fetch_again_of
        JOIN media ON media.id = parent.media_id WHERE processing_status <> 'ready_for_reading'""",
    "more attempts than were allowed": "SELECT id FROM items WHERE attempts > max_attempts",
    "an alias for what its user has": """
        SELECT alias_id FROM media_aliases JOIN libraries ON owner_user_id = user_id
        JOIN library_media ON library_id = libraries.id AND library_media.media_id = alias_id""",
    "an alias that leads to what its user does not have": """
        SELECT alias_id FROM media_aliases WHERE NOT EXISTS (
            SELECT FROM library_media JOIN libraries ON libraries.id = library_id
            WHERE owner_user_id = media_aliases.user_id AND library_media.media_id = media_aliases.media_id)""",
    "a paste that is lost": """
        SELECT items.id FROM items WHERE final_text_source = 'user_pasted_text'
        AND NOT EXISTS (SELECT FROM item_pastes WHERE item_id = items.id)
        AND NOT EXISTS (SELECT FROM media_versions WHERE media_id = items.media_id AND origin = 'imported')""",
    "an entry that no search index will hear of": """
        SELECT media_id FROM library_media WHERE NOT EXISTS (
            SELECT FROM search_changes
            WHERE search_changes.library_id = library_media.library_id AND media_id = library_media.media_id)""",
    "a gap in the numbers of versions": """
        SELECT media_id FROM media_versions GROUP BY media_id HAVING max(version) <> count(*) OR min(version) <> 1""",
    "a current version that is not the newest": """
        SELECT media.id FROM media JOIN media_versions ON media_id = media.id
        WHERE media_versions.version > media.current_version""",
    "an item whose title is not that of its article": """
        SELECT items.id FROM items JOIN media ON media.id = media_id
        WHERE processing_status = 'ready_for_reading' AND kind = 'web_article' AND fetch_again_of IS NULL
        AND items.title IS DISTINCT FROM media.title""",
    "a tag that is not where its entry is": """
        SELECT entry_tags.media_id FROM entry_tags JOIN library_media USING (library_id, media_id)
        WHERE (entry_tags.is_archived, entry_created_at) IS DISTINCT FROM
              (library_media.is_archived, library_media.created_at)""",
    "an item with the paste of another user": """
        SELECT items.id FROM items JOIN media ON media.id = media_id WHERE owner_user_id <> user_id""",
}  # fmt: skip


def violations(connection: Connection) -> set[str]:
    return {name for name, query in VIOLATIONS.items() if connection.execute(query.encode()).fetchone()}
