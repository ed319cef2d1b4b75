"""What goes into an archive: the user's own rows, and of shared rows only what the user may see. PostgreSQL writes each
record as JSON.

Links, ids and times of other users are left out: who else saved a page, when and with which link, is private.
"""

from sqlalchemy import text

from nexus.services.access import IS_VISIBLE_ORIGINAL
from nexus.services.archives import layout
from nexus.services.lifecycle.entry_state import STATE

MEDIA_IDS = text("""
    SELECT library_media.media_id, coalesce(sum(octet_length(html_sanitized) + octet_length(canonical_text)), 0) AS size
    FROM library_media LEFT JOIN fragments ON fragments.media_id = library_media.media_id
    WHERE library_id = :library_id AND (CAST(:ids AS uuid[]) IS NULL OR library_media.media_id = ANY(:ids))
    GROUP BY library_media.media_id, library_media.created_at
    ORDER BY library_media.created_at, library_media.media_id
""")
# The current version first, then the newest.
VERSION_SIZES = text("""
    SELECT version, sum(octet_length(html_sanitized) + octet_length(canonical_text)) AS size
    FROM fragments JOIN media ON media.id = media_id WHERE media_id = :media_id
    GROUP BY version, current_version ORDER BY (version = current_version) DESC, version DESC
""")

_ROWS = "(SELECT coalesce(json_agg(row_to_json(part)), '[]') FROM ({}) AS part)"
_ROW = "(SELECT row_to_json(part) FROM ({}) AS part)"

_MEDIA = """
    SELECT media.id, media.kind, media.owner_user_id IS NOT NULL AS is_private, mine.is_creator,
           CASE WHEN mine.is_creator THEN media.requested_url END AS requested_url, media.canonical_url,
           media.declared_url, media.title, media.byline, media.site_name, media.lang, media.published_at,
           media.excerpt, media.word_count, media.lead_image_url, media.audio_url, media.processing_status,
           CASE WHEN mine.is_creator THEN media.processing_attempts ELSE 0 END AS processing_attempts,
           CASE WHEN mine.is_creator THEN media.processing_started_at END AS processing_started_at,
           {processing_completed_at}, media.failed_at, media.failure_stage, media.last_error_code,
           media.last_error_message, media.current_version,
           encode(media.captured_url_key, 'hex') AS captured_url_key, {created_at}, {updated_at}
""".format(
    **{
        name: f"CASE WHEN mine.is_creator THEN media.{name} ELSE greatest(media.{name}, entry.created_at) END AS {name}"
        for name in ("processing_completed_at", "created_at", "updated_at")
    }
)
_ENTRY = f"SELECT entry.created_at, {', '.join(f'entry.{name.strip()}' for name in STATE.split(','))}"
# When the user had which version: as services/media.py tells it.
_VERSIONS = f"""
    SELECT version, origin, extractor, title, word_count,
           CASE WHEN media.owner_user_id IS NOT NULL THEN media_versions.created_at
                WHEN version = 1 THEN first.text_since
                ELSE greatest(first.text_since, media_versions.created_at) END AS created_at,
           {
    _ROWS.format('''
               SELECT id, idx, html_sanitized AS html, canonical_text AS text, start_ms, end_ms, created_at
               FROM fragments
               WHERE fragments.media_id = media.id AND fragments.version = media_versions.version ORDER BY idx''')
}
               AS fragments
    FROM media_versions
    WHERE media_versions.media_id = media.id AND NOT (version = ANY(CAST(:left_out AS integer[]))
          AND media.id = CAST(:left_out_of AS uuid))
    ORDER BY version
"""  # noqa: S608 - our own constants
_ORIGINALS = f"""
    SELECT version, encode(coalesce(sha256, sha256(content)), 'hex') AS sha256, missing, size, read_with,
           reread_result, is_direct, coalesce(fetched_for = :user_id, false) AS is_own
    FROM originals WHERE originals.media_id = media.id AND {IS_VISIBLE_ORIGINAL} ORDER BY version
"""  # noqa: S608
_PICTURES = """
    SELECT url, position, state, reason, attempts, due_at, settled_at, encode(sha256, 'hex') AS sha256, size,
           content_type, width, height
    FROM media_images WHERE media_images.media_id = media.id ORDER BY position, url_key
"""
_AUDIO = """
    SELECT encode(sha256, 'hex') AS sha256, content_type, created_at
    FROM media_audio WHERE media_audio.media_id = media.id
"""
_EPISODE = """
    SELECT episodes.id, podcast_id, guid, guid_source, title, link, enclosure_url, published_at, duration_ms, chapters,
           transcript_source, greatest(created_at, entry.created_at) AS created_at,
           greatest(updated_at, entry.created_at) AS updated_at,
           (SELECT coalesce(json_agg(alias ORDER BY alias), '[]') FROM episode_aliases
            WHERE episode_id = episodes.id) AS aliases
    FROM episodes WHERE episodes.media_id = media.id
"""
_ATTEMPTS = """
    SELECT id, attempt_no, rung, result, started_at, finished_at, duration_ms, error_code, error_detail, http_status,
           final_url, content_length
    FROM extraction_attempts WHERE item_id = items.id ORDER BY attempt_no
"""
# What is being fetched right now waits again; a fetch again of what can be read is not a save and stays behind.
_ITEMS = f"""
    SELECT id, CASE status WHEN 'processing' THEN 'queued' ELSE status END AS status, status_detail, source_type,
           requested_url, final_text_source, title, request_id, due_at,
           CASE status WHEN 'processing' THEN greatest(attempts - 1, 0) ELSE attempts END AS attempts, max_attempts,
           losses, fetched_again_at, encode(save_key, 'hex') AS save_key, created_at, updated_at,
           {_ROWS.format(_ATTEMPTS)} AS attempts_made,
           {
    _ROW.format('''SELECT user_pasted_text AS text, created_at, updated_at
                           FROM item_pastes WHERE item_id = items.id''')
} AS paste
    FROM items WHERE items.media_id = media.id AND user_id = :user_id AND fetch_again_of IS NULL
    ORDER BY items.created_at, items.id
"""  # noqa: S608
_TAGS = """
    SELECT tags.name, is_set, decided_at FROM entry_tags JOIN tags ON tags.id = tag_id
    WHERE entry_tags.library_id = :library_id AND entry_tags.media_id = media.id ORDER BY name_key
"""
_POSITION = """
    SELECT text_at, version, fragment_idx, text_offset, words, share, fraction, text_device, audio_at, audio_ms,
           audio_device
    FROM positions WHERE user_id = :user_id AND positions.media_id = media.id
"""
# A deleted highlight has nothing but the mark: it says to other devices that it is gone.
_HIGHLIGHTS = """
    SELECT id, version, start_fragment, start_offset, end_fragment, end_offset,
           CASE WHEN deleted_at IS NULL THEN quote ELSE '' END AS quote,
           CASE WHEN deleted_at IS NULL THEN prefix ELSE '' END AS prefix,
           CASE WHEN deleted_at IS NULL THEN suffix ELSE '' END AS suffix,
           CASE WHEN deleted_at IS NULL THEN note END AS note,
           start_ms, color, state, carried_version, created_at, updated_at, place_decided_at, color_decided_at,
           note_decided_at, tags_decided_at, deletion_decided_at, deleted_at, review_round, review_order, seen_at,
           (SELECT coalesce(json_agg(tags.name ORDER BY name_key), '[]')
            FROM highlight_tags JOIN tags ON tags.id = tag_id
            WHERE highlight_tags.library_id = highlights.library_id AND highlight_id = highlights.id
              AND deleted_at IS NULL) AS tags
    FROM highlights WHERE highlights.library_id = :library_id AND highlights.media_id = media.id
    ORDER BY created_at, id
"""
RECORDS = text(f"""
    SELECT media.id, json_build_object(
        'media', {_ROW.format(_MEDIA)}, 'entry', {_ROW.format(_ENTRY)}, 'items', {_ROWS.format(_ITEMS)},
        'tags', {_ROWS.format(_TAGS)}, 'position', {_ROW.format(_POSITION)},
        'highlights', {_ROWS.format(_HIGHLIGHTS)}, 'versions', {_ROWS.format(_VERSIONS)},
        'originals', {_ROWS.format(_ORIGINALS)}, 'pictures', {_ROWS.format(_PICTURES)},
        'audio', {_ROW.format(_AUDIO)}, 'episode', {_ROW.format(_EPISODE)})::text AS record
    FROM library_media AS entry JOIN media ON media.id = entry.media_id
    CROSS JOIN LATERAL (
        SELECT coalesce(media.created_by_user_id = :user_id OR media.owner_user_id = :user_id, false) AS is_creator
    ) AS mine
    CROSS JOIN LATERAL (
        SELECT coalesce(min(finished_at) FILTER (WHERE result = 'success'), max(finished_at), entry.created_at)
                   AS text_since
        FROM items LEFT JOIN extraction_attempts ON extraction_attempts.item_id = items.id
        WHERE items.media_id = media.id AND items.user_id = :user_id
    ) AS first
    WHERE entry.library_id = :library_id AND entry.media_id = ANY(:ids)
    ORDER BY entry.created_at, entry.media_id
""")  # noqa: S608
# On their way into the store.
WAITING = text(f"""
    SELECT sha256(content) AS sha256, content FROM originals
    WHERE media_id = ANY(:ids) AND content IS NOT NULL AND {IS_VISIBLE_ORIGINAL}
""")  # noqa: S608
BLOBS_OF = text(f"""
    SELECT sha256, size FROM blobs WHERE sha256 IN (
        SELECT sha256 FROM originals WHERE media_id = ANY(:ids) AND {IS_VISIBLE_ORIGINAL}
        UNION ALL SELECT sha256 FROM media_images WHERE media_id = ANY(:ids)
        UNION ALL SELECT sha256 FROM media_audio WHERE media_id = ANY(:ids))
""")  # noqa: S608

# For those who look at an archive before they restore it.
COUNTS = text("""
    SELECT (SELECT count(*) FROM highlights WHERE library_id = :library_id AND deleted_at IS NULL
            AND (CAST(:chosen AS uuid[]) IS NULL OR media_id = ANY(:chosen))) AS highlights,
           (SELECT count(*) FROM library_media JOIN media ON media.id = media_id
            WHERE library_id = :library_id AND current_version IS NOT NULL
            AND (CAST(:chosen AS uuid[]) IS NULL OR media_id = ANY(:chosen))) AS texts
""")

TAGS = text("""
    SELECT row_to_json(part)::text FROM (
        SELECT id, name, color, created_at FROM tags
        WHERE user_id = :user_id AND (CAST(:chosen AS uuid[]) IS NULL OR id IN (
            SELECT tag_id FROM entry_tags WHERE library_id = :library_id AND media_id = ANY(:chosen)
            UNION SELECT tag_id FROM highlight_tags JOIN highlights
                ON highlights.library_id = highlight_tags.library_id AND highlights.id = highlight_id
            WHERE highlights.library_id = :library_id AND highlights.media_id = ANY(:chosen)))
        ORDER BY name_key
    ) AS part
""")
SEARCHES = text("""
    SELECT row_to_json(part)::text FROM (
        SELECT id, name, query, sort, position, created_at FROM saved_searches
        WHERE user_id = :user_id ORDER BY position, created_at, id
    ) AS part
""")
ALIASES = text("""
    SELECT row_to_json(part)::text FROM (
        SELECT alias_id, media_aliases.media_id, media_aliases.created_at
        FROM media_aliases JOIN library_media ON library_media.media_id = media_aliases.media_id
        WHERE user_id = :user_id AND library_id = :library_id
          AND (CAST(:chosen AS uuid[]) IS NULL OR media_aliases.media_id = ANY(:chosen))
        ORDER BY alias_id
    ) AS part
""")
REVIEWS = text("""
    SELECT row_to_json(part)::text FROM (
        SELECT day, number, highlight_id FROM highlight_reviews WHERE library_id = :library_id ORDER BY day, number
    ) AS part
""")
# Not when and how it was fetched: all users of this server have their part in that.
PODCASTS = text("""
    SELECT row_to_json(part)::text FROM (
        SELECT id, feed_url, moved_from, title, site_url, lang, image_url FROM podcasts
        WHERE id IN (
            SELECT podcast_id FROM episodes JOIN library_media USING (media_id)
            WHERE library_id = :library_id AND (CAST(:chosen AS uuid[]) IS NULL OR media_id = ANY(:chosen))
            UNION SELECT podcast_id FROM episodes JOIN episode_removals ON episode_id = episodes.id
            WHERE user_id = :user_id AND CAST(:chosen AS uuid[]) IS NULL)
        ORDER BY feed_url
    ) AS part
""")
REMOVALS = text("""
    SELECT row_to_json(part)::text FROM (
        SELECT podcast_id, guid, guid_source, title, episode_removals.created_at,
               (SELECT coalesce(json_agg(alias ORDER BY alias), '[]') FROM episode_aliases
                WHERE episode_id = episodes.id) AS aliases
        FROM episode_removals JOIN episodes ON episodes.id = episode_removals.episode_id
        WHERE user_id = :user_id ORDER BY podcast_id, guid
    ) AS part
""")
LISTS = {layout.TAGS: TAGS, layout.ALIASES: ALIASES, layout.PODCASTS: PODCASTS}
# Lists of the library as a whole: not in an archive of a part of it.
LISTS_OF_ALL = {layout.SEARCHES: SEARCHES, layout.REVIEWS: REVIEWS, layout.REMOVALS: REMOVALS}
