"""The statements that settle claims, each for a whole batch."""

from sqlalchemy import text

from nexus.db.claim_columns import UNCLAIMED
from nexus.db.json_rows import text_with_rows
from nexus.services.lifecycle.entry_state import JOIN_STATE, JOIN_TAGS, STATE

LOCK_URLS = text("SELECT pg_advisory_xact_lock(key) FROM unnest(CAST(:keys AS bigint[])) AS key")

LOCK_HELD = text("""
    SELECT items.id, items.claimed_at, items.fetch_again_of
    FROM items JOIN unnest(CAST(:ids AS uuid[]), CAST(:workers AS uuid[]), CAST(:times AS timestamptz[]))
        AS mine (id, worker, claimed_at)
      ON items.id = mine.id AND items.claimed_by = mine.worker AND items.claimed_at = mine.claimed_at
    WHERE items.status = 'processing'
    ORDER BY items.id
    FOR UPDATE OF items
""")

# Of the items that pages were fetched again for.
MEDIA_OF_PARENTS = text("""
    SELECT parent.media_id FROM items JOIN items AS parent ON parent.id = items.fetch_again_of
    WHERE items.id = ANY(:ids)
""")
# In one statement and in the order of their ids, as all that lock several media do: locked one after the other, the
# media of a claim and the owner of its URL could wait for a user's change of both.
LOCK_MEDIA_AND_OWNERS = text("""
    SELECT FROM media
    WHERE id IN (
        SELECT unnest(CAST(:ids AS uuid[]))
        UNION ALL
        SELECT id FROM media
        WHERE kind = 'web_article' AND text_key(canonical_url) = ANY(:keys) AND canonical_url IS NOT NULL
    )
    ORDER BY id FOR UPDATE
""")
LOCK_ITEMS = text("SELECT media_id FROM items WHERE id = ANY(:ids) ORDER BY id FOR UPDATE")

# Numbers continue those of the existing attempts, so that a receipt has no gaps after a claim was released.
WRITE_RECEIPTS = text_with_rows("""
    INSERT INTO extraction_attempts (item_id, attempt_no, rung, result, started_at, finished_at, duration_ms,
                                     error_code, error_detail, http_status, final_url, content_length)
    SELECT given.item_id, given.number + coalesce(earlier.last, 0), rung, result, started_at, finished_at, duration_ms,
           error_code, error_detail, http_status, final_url, content_length
    FROM jsonb_to_recordset(:rows) AS given (
        item_id uuid, number integer, rung text, result text, started_at timestamptz, finished_at timestamptz,
        duration_ms bigint, error_code text, error_detail text, http_status integer, final_url text,
        content_length bigint
    ) LEFT JOIN LATERAL (
        SELECT max(attempt_no) AS last FROM extraction_attempts WHERE item_id = given.item_id
    ) AS earlier ON true
""")

_FAILED = """
    jsonb_to_recordset(:rows) AS given (
        item_id uuid, media_id uuid, status text, detail text, wait_seconds float, code text, message text
    )
"""
FAIL_MEDIA = text_with_rows(f"""
    UPDATE media
    SET processing_status = CASE given.status WHEN 'queued' THEN 'pending' ELSE 'failed' END,
        processing_started_at = CASE given.status WHEN 'queued' THEN NULL ELSE processing_started_at END,
        failed_at = CASE given.status WHEN 'queued' THEN NULL ELSE now() END,
        failure_stage = CASE given.status WHEN 'queued' THEN NULL ELSE 'extract' END,
        last_error_code = given.code, last_error_message = given.message
    FROM {_FAILED} WHERE media.id = given.media_id
""")  # noqa: S608 - our own constant
# Up to a fifth is added at random, so that items that failed together are not retried together.
FAIL_ITEMS = text_with_rows(f"""
    UPDATE items
    SET status = given.status, status_detail = given.detail,
        due_at = CASE given.status WHEN 'queued'
            THEN now() + make_interval(secs => given.wait_seconds * (1 + random() / 5)) ELSE due_at END,
        {UNCLAIMED}, published_at = NULL, losses = 0
    FROM {_FAILED} WHERE items.id = given.item_id
""")  # noqa: S608

_POSTPONED = "jsonb_to_recordset(:rows) AS given (item_id uuid, media_id uuid, wait_seconds float, detail text)"
POSTPONE_MEDIA = text_with_rows(f"""
    UPDATE media
    SET processing_status = 'pending', processing_attempts = processing_attempts - 1, processing_started_at = NULL
    FROM {_POSTPONED} WHERE media.id = given.media_id
""")  # noqa: S608
POSTPONE_ITEMS = text_with_rows(f"""
    UPDATE items
    SET status = 'queued', status_detail = given.detail, attempts = attempts - 1,
        due_at = now() + make_interval(secs => given.wait_seconds * (1 + random() / 5)),
        {UNCLAIMED}, published_at = NULL
    FROM {_POSTPONED} WHERE items.id = given.item_id
""")  # noqa: S608

OWNERS = text("""
    SELECT id, canonical_url FROM media
    WHERE kind = 'web_article' AND text_key(canonical_url) = ANY(:keys) AND canonical_url IS NOT NULL
    ORDER BY id FOR UPDATE
""")
READ_ITEMS = text_with_rows(f"""
    UPDATE items
    SET status = given.status, final_text_source = given.source, status_detail = given.detail,
        media_id = given.media_id, title = media.title,
        {UNCLAIMED}, losses = 0
    FROM jsonb_to_recordset(:rows) AS given (item_id uuid, media_id uuid, status text, source text, detail text)
        JOIN media ON media.id = given.media_id
    WHERE items.id = given.item_id
""")  # noqa: S608

_PAIRS = "unnest(CAST(:losers AS uuid[]), CAST(:winners AS uuid[])) AS pair (loser, winner)"
# One loser of each winner at a time.
MOVE_ENTRIES = f"""
    INSERT INTO library_media AS kept (library_id, media_id, created_at, {STATE})
    SELECT library_id, pair.winner, created_at, {STATE}
    FROM library_media JOIN {_PAIRS} ON library_media.media_id = pair.loser
    ON CONFLICT (library_id, media_id) DO UPDATE SET {JOIN_STATE}
"""  # noqa: S608
MOVE_TAGS = JOIN_TAGS.format(new_id="pair.winner", old=f"JOIN {_PAIRS} ON library_media.media_id = pair.loser")
# A user who had removed the winner and gets it back has it under its own id, so the alias is deleted.
DELETE_REGAINED_ALIASES = f"""
    DELETE FROM media_aliases USING {_PAIRS}, library_media JOIN libraries ON libraries.id = library_media.library_id
    WHERE library_media.media_id = pair.loser AND media_aliases.alias_id = pair.winner
      AND media_aliases.user_id = libraries.owner_user_id
"""  # noqa: S608
MOVE_ALIASES_OF_LOSERS = f"""
    UPDATE media_aliases SET media_id = pair.winner FROM {_PAIRS} WHERE media_aliases.media_id = pair.loser
"""  # noqa: S608
ADD_ALIASES = f"""
    INSERT INTO media_aliases (alias_id, user_id, media_id)
    SELECT DISTINCT pair.loser, libraries.owner_user_id, pair.winner
    FROM {_PAIRS} JOIN library_media ON library_media.media_id = pair.loser
        JOIN libraries ON libraries.id = library_media.library_id
"""  # noqa: S608
DELETE_LOSERS = f"DELETE FROM media USING {_PAIRS} WHERE media.id = pair.loser"  # noqa: S608
