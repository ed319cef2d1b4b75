"""A library as its user has it: every row, table by table, without what is another user's or only this server's.

It shares no code with archives, so that it finds what they leave out.
"""

from typing import Any
from uuid import UUID

from psycopg import Connection
from psycopg.rows import dict_row

# What is never restored: claims of workers, what triggers derive from other columns, ids of other users.
MEDIA = """
    SELECT m.id, m.kind, m.owner_user_id = %(user)s AS is_own, coalesce(m.created_by_user_id = %(user)s, false) AS made,
           CASE WHEN m.created_by_user_id = %(user)s THEN m.requested_url END AS requested_url,
           m.canonical_url, m.declared_url, m.title, m.byline, m.site_name, m.lang, m.published_at, m.excerpt,
           m.word_count, m.lead_image_url, m.audio_url, m.processing_status, m.failed_at, m.failure_stage,
           m.last_error_code, m.last_error_message, m.current_version, m.captured_url_key
    FROM library_media e JOIN media m ON m.id = e.media_id WHERE e.library_id = %(library)s ORDER BY m.id
"""
VIEWS = {
    "media": MEDIA,
    "media_times": """
        SELECT m.id, m.created_at, m.updated_at, m.processing_started_at, m.processing_completed_at,
               m.processing_attempts
        FROM library_media e JOIN media m ON m.id = e.media_id
        WHERE e.library_id = %(library)s AND m.created_by_user_id = %(user)s ORDER BY m.id
    """,
    "entries": """
        SELECT media_id, created_at, kind, status, read_at, archived_at, starred_at, own_title, note, last_read_at,
               read_decided_at, archived_decided_at, starred_decided_at, title_decided_at, note_decided_at,
               is_archived, tags_decided_at, has_tags, title_key, reading_seconds, site, read_order, highlight_count,
               has_highlights
        FROM library_media WHERE library_id = %(library)s ORDER BY media_id
    """,
    "versions": """
        SELECT media_id, version, origin, extractor, title, word_count FROM media_versions
        WHERE media_id IN (SELECT media_id FROM library_media WHERE library_id = %(library)s) ORDER BY 1, 2
    """,
    "fragments": """
        SELECT id, media_id, version, idx, html_sanitized, canonical_text, start_ms, end_ms, created_at FROM fragments
        WHERE media_id IN (SELECT media_id FROM library_media WHERE library_id = %(library)s) ORDER BY 2, 3, 4
    """,
    "originals": """
        SELECT media_id, version, coalesce(sha256, sha256(content)) AS sha256, missing, size, read_with, reread_result,
               is_direct, fetched_for = %(user)s AS is_own
        FROM originals WHERE media_id IN (SELECT media_id FROM library_media WHERE library_id = %(library)s)
          AND (is_direct OR fetched_for = %(user)s) ORDER BY 1, 2
    """,
    "pictures": """
        SELECT media_id, url, position, state, reason, attempts, due_at, settled_at, sha256, size, content_type, width,
               height, coalesce(user_id = %(user)s, false) AS is_own
        FROM media_images WHERE media_id IN (SELECT media_id FROM library_media WHERE library_id = %(library)s)
        ORDER BY media_id, url
    """,
    "audio": """
        SELECT media_id, sha256, content_type, created_at FROM media_audio
        WHERE media_id IN (SELECT media_id FROM library_media WHERE library_id = %(library)s) ORDER BY 1
    """,
    "episodes": """
        SELECT feed_url, e.media_id, guid, guid_source, e.title, link, enclosure_url, published_at, duration_ms,
               chapters, transcript_source, ARRAY(SELECT alias FROM episode_aliases a WHERE a.episode_id = e.id
               ORDER BY alias) AS aliases, p.title AS podcast, moved_from, site_url, p.lang, image_url
        FROM episodes e JOIN podcasts p ON p.id = e.podcast_id
        WHERE e.media_id IN (SELECT media_id FROM library_media WHERE library_id = %(library)s) ORDER BY feed_url, guid
    """,
    "removed episodes": """
        SELECT feed_url, guid, r.created_at FROM episode_removals r JOIN episodes e ON e.id = r.episode_id
        JOIN podcasts p ON p.id = e.podcast_id WHERE r.user_id = %(user)s ORDER BY 1, 2
    """,
    "items": """
        SELECT id, media_id, CASE status WHEN 'processing' THEN 'queued' ELSE status END AS status, status_detail,
               source_type, requested_url, final_text_source, title, request_id, due_at,
               attempts - (status = 'processing')::integer AS attempts, max_attempts, losses, url_key,
               fetched_again_at, save_key, created_at, updated_at
        FROM items WHERE user_id = %(user)s AND fetch_again_of IS NULL ORDER BY id
    """,
    "pastes": """
        SELECT item_id, user_pasted_text, item_pastes.created_at, item_pastes.updated_at
        FROM item_pastes JOIN items ON items.id = item_id WHERE user_id = %(user)s ORDER BY 1
    """,
    "receipts": """
        SELECT extraction_attempts.* FROM extraction_attempts JOIN items ON items.id = item_id
        WHERE user_id = %(user)s AND fetch_again_of IS NULL ORDER BY item_id, attempt_no
    """,
    "tags": "SELECT id, name, name_key, color, created_at FROM tags WHERE user_id = %(user)s ORDER BY name_key",
    "tag counts": """
        SELECT name_key, is_archived, sum(difference)::integer AS number FROM tag_counts JOIN tags ON tags.id = tag_id
        WHERE user_id = %(user)s GROUP BY 1, 2 HAVING sum(difference) <> 0 ORDER BY 1, 2
    """,
    "entry counts": """
        SELECT kind, status, is_read, is_archived, is_starred, sum(difference)::integer AS number FROM shelf_counts
        WHERE library_id = %(library)s GROUP BY 1, 2, 3, 4, 5 HAVING sum(difference) <> 0 ORDER BY 1, 2, 3, 4, 5
    """,
    "entry tags": """
        SELECT media_id, tag_id, is_set, decided_at, is_archived, entry_created_at FROM entry_tags
        WHERE library_id = %(library)s ORDER BY 1, 2
    """,
    "positions": """
        SELECT media_id, text_at, version, fragment_idx, text_offset, words, share, fraction, text_device, audio_at,
               audio_ms, audio_device FROM positions WHERE user_id = %(user)s ORDER BY 1
    """,
    # Of a deleted one only the mark is the user's: its words go within the hour.
    "highlights": """
        SELECT id, media_id, version, start_fragment, start_offset, end_fragment, end_offset,
               CASE WHEN deleted_at IS NULL THEN (quote, prefix, suffix, note, words) END AS said, start_ms, color,
               state, carried_version, created_at, updated_at, place_decided_at, color_decided_at, note_decided_at,
               tags_decided_at, deletion_decided_at, deleted_at, review_round, review_order, seen_at
        FROM highlights WHERE library_id = %(library)s ORDER BY id
    """,
    "highlight tags": """
        SELECT highlight_id, tag_id, t.created_at FROM highlight_tags t
        JOIN highlights h ON h.library_id = t.library_id AND h.id = highlight_id
        WHERE t.library_id = %(library)s AND deleted_at IS NULL ORDER BY 1, 2
    """,
    "reviews": """
        SELECT day, number, highlight_id FROM highlight_reviews WHERE library_id = %(library)s ORDER BY 1, 2
    """,
    "saved searches": """
        SELECT id, name, query, sort, position, created_at FROM saved_searches WHERE user_id = %(user)s ORDER BY id
    """,
    "aliases": """
        SELECT alias_id, media_id, created_at FROM media_aliases WHERE user_id = %(user)s ORDER BY 1
    """,
}  # fmt: skip

View = dict[str, list[dict[str, Any]]]


def view_of(connection: Connection, user: UUID) -> View:
    found = connection.execute("SELECT id FROM libraries WHERE owner_user_id = %s AND is_default", [user]).fetchone()
    values = {"user": user, "library": found[0] if found else None}
    with connection.cursor(row_factory=dict_row) as cursor:
        return {name: cursor.execute(query, values).fetchall() for name, query in VIEWS.items()}
