"""The statements that write the texts of media, each for a whole batch."""

from sqlalchemy import text

from nexus.db.json_rows import text_with_rows

CURRENT_TEXTS = text("""
    SELECT media.id, media.current_version, media.title, string_agg(canonical_text, chr(10) ORDER BY idx) AS words
    FROM media JOIN fragments ON fragments.media_id = media.id AND fragments.version = media.current_version
    WHERE media.id = ANY(:ids) GROUP BY media.id
""")
LOCK_CURRENT = text("SELECT now() FROM media WHERE id = :media_id AND current_version = :version FOR UPDATE")

# A private media has no canonical URL. That of a page is set with the first version and does not change when it moves.
READY_MEDIA = text_with_rows("""
    UPDATE media
    SET processing_status = 'ready_for_reading', current_version = given.version,
        processing_completed_at = coalesce(processing_completed_at, now()),
        failed_at = NULL, failure_stage = NULL, last_error_code = NULL, last_error_message = NULL,
        canonical_url = CASE WHEN given.version = 1 AND owner_user_id IS NULL
                             THEN given.canonical_url ELSE media.canonical_url END,
        title = given.title, byline = given.byline,
        site_name = given.site_name, lang = given.lang, published_at = given.published_at, excerpt = given.excerpt,
        word_count = given.word_count, lead_image_url = given.lead_image_url,
        declared_url = given.declared_url
    FROM jsonb_to_recordset(:rows) AS given (
        media_id uuid, version integer, canonical_url text, title text, byline text, site_name text, lang text,
        published_at timestamptz, excerpt text, word_count integer, lead_image_url text, declared_url text
    ) WHERE media.id = given.media_id
""")
# The texts are passed separately from the rows, since as JSON they would be copied once more.
WRITE_VERSIONS = text_with_rows("""
    WITH versions AS (
        INSERT INTO media_versions (media_id, version, origin, extractor, title, word_count, created_at)
        SELECT media_id, version, origin, extractor, title, word_count, read_at
        FROM jsonb_to_recordset(:rows) AS given (
            media_id uuid, version integer, origin text, extractor integer, title text, word_count integer,
            read_at timestamptz
        )
        RETURNING media_id, version
    )
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    SELECT media_id, version, 0, html, words
    FROM unnest(CAST(:ids AS uuid[]), CAST(:htmls AS text[]), CAST(:texts AS text[])) AS given (media_id, html, words)
    JOIN versions USING (media_id)
""")

# Including items that have succeeded: their title is the media's, and their detail on an earlier fetch is out of date.
FOLLOW_VERSION = text_with_rows("""
    UPDATE items
    SET title = media.title,
        status = CASE items.status WHEN 'needs_user_text' THEN given.status ELSE items.status END,
        final_text_source = CASE items.status WHEN 'needs_user_text' THEN given.source ELSE final_text_source END,
        status_detail = CASE items.status WHEN 'needs_user_text' THEN given.detail END
    FROM jsonb_to_recordset(:rows) AS given (media_id uuid, status text, source text, detail text)
        JOIN media ON media.id = given.media_id
    WHERE items.media_id = given.media_id AND items.status IN ('needs_user_text', 'succeeded')
""")
# Users who read a short text have not read the better one, so it becomes unread. A longer text stays read.
MARK_UNREAD = text("UPDATE library_media SET read_at = NULL WHERE media_id = ANY(:ids) AND read_at IS NOT NULL")
