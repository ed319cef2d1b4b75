"""Fills a library with entries whose filters are independent of each other.

Straight into the rows, without triggers, and with the indexes made afterwards: a million entries in minutes. What the
triggers would have written is computed by the same functions.
"""

from uuid import UUID

import psycopg

from bench.saves import USER

# Shares of the entries: half is archived, a third was read, a tenth is starred, a tenth was pasted, one in twenty could
# not be read. One site has a fifth of the pages, forty have two percent each.
MADE = """
    CREATE TEMP TABLE made AS
    SELECT gen_random_uuid() AS id, n, now() - random() * interval '5 years' AS at, kind < 0.1 AS is_pasted,
           kind > 0.955 AS is_failed, CASE WHEN place < 0.2 THEN 'large' ELSE 'site' || floor(place * 50) END AS site,
           (-ln(1 - random()) * 1200)::integer AS words, random() < 0.5 AS is_archived,
           random() < 0.33 AND kind <= 0.955 AS is_read, random() < 0.1 AS is_starred,
           random() < 0.33 AS has_many, random() < 0.1 AS has_some, random() < 0.001 AS has_few
    FROM (SELECT n, random() AS kind, random() AS place FROM generate_series(1, %(entries)s::integer) AS n) AS numbers
"""
TAGS = ("many", "some", "few")  # of a third, a tenth and a thousandth
FILL = (
    """
    INSERT INTO media (id, kind, owner_user_id, title, requested_url, word_count, processing_status)
    SELECT id, CASE WHEN is_pasted THEN 'pasted_text' ELSE 'web_article' END,
           CASE WHEN is_pasted THEN %(user)s::uuid END, md5(n::text),
           CASE WHEN NOT is_pasted THEN 'https://' || site || '.example/' || n END,
           CASE WHEN NOT is_failed THEN words END, 'pending'
    FROM made
    """,
    "INSERT INTO search_changes (library_id, media_id) SELECT %(library)s, id FROM made",
    """
    INSERT INTO items (user_id, media_id, status, source_type, requested_url, final_text_source, created_at)
    SELECT %(user)s, id, CASE WHEN is_failed THEN 'failed' ELSE 'succeeded' END,
           CASE WHEN is_pasted THEN 'pasted_text' ELSE 'url' END,
           CASE WHEN NOT is_pasted THEN 'https://example.com/' END,
           CASE WHEN is_pasted THEN 'user_pasted_text' WHEN NOT is_failed THEN 'extracted_from_url' END, at
    FROM made
    """,
    """
    INSERT INTO library_media (library_id, media_id, created_at, archived_at, read_at, last_read_at, starred_at,
                               kind, status, title_key, reading_seconds, site, read_order, has_tags)
    SELECT %(library)s, id, at, CASE WHEN is_archived THEN at END, CASE WHEN is_read THEN at END,
           CASE WHEN is_read THEN at END, CASE WHEN is_starred THEN at END,
           media.kind, CASE WHEN is_failed THEN 'failed' ELSE 'succeeded' END, title_key(title),
           reading_seconds(word_count, lang), site_of(requested_url),
           CASE WHEN is_read THEN at ELSE at - interval '1000 years' END, has_many OR has_some OR has_few
    FROM made JOIN media USING (id)
    """,
    """
    INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at, is_archived, entry_created_at)
    SELECT %(library)s, made.id, tags.id, true, at, is_archived, at
    FROM made JOIN tags
      ON tags.name = 'many' AND has_many OR tags.name = 'some' AND has_some OR tags.name = 'few' AND has_few
    """,
    """
    INSERT INTO shelf_counts (library_id, kind, status, is_read, is_archived, is_starred, difference)
    SELECT library_id, kind, status, read_at IS NOT NULL, is_archived, starred_at IS NOT NULL, count(*)
    FROM library_media GROUP BY 1, 2, 3, 4, 5, 6
    """,
    "INSERT INTO tag_counts (tag_id, is_archived, difference)"
    " SELECT tag_id, is_archived, count(*) FROM entry_tags GROUP BY tag_id, is_archived",
    "DROP TABLE made",
)
FILLED = ("media", "items", "library_media", "entry_tags")
INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
    WHERE indrelid = ANY(%s::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""


def fill(connection: psycopg.Connection, library: UUID, entries: int) -> None:
    """The tags are there."""
    values = {"user": USER, "library": library, "entries": entries}
    connection.execute("SET statement_timeout = 0")
    connection.execute("SET maintenance_work_mem = '256MB'")
    connection.execute("SELECT setseed(0.5)")
    connection.execute(MADE, values)
    connection.execute("ANALYZE made")
    indexes = connection.execute(INDEXES, [list(FILLED)]).fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    for table in FILLED:
        connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for statement in FILL:
        connection.execute(statement, values)
    for table in FILLED:
        connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
    for _, definition in indexes:
        connection.execute(definition)
