"""Links of others are no part of an order, and changing many entries costs no more for each than changing one"""

from alembic import op

revision = "0034"
down_revision = "0033"

# A page without a title is sorted by its own URL, not by the link that somebody saved first: the key is part of the
# cursors that everybody who has the page gets, and that link may be a personal one.
TITLES = """
CREATE FUNCTION entry_title_key(own_title text, title text, canonical_url text, requested_url text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT title_key(coalesce(own_title, title, link_title(coalesce(canonical_url, requested_url)), ''))
$$;

CREATE OR REPLACE FUNCTION place_on_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT media.kind, shelf_status(media.id, libraries.owner_user_id),
           entry_title_key(NEW.own_title, media.title, canonical_url, requested_url),
           reading_seconds(word_count, lang), site_of(coalesce(canonical_url, requested_url, declared_url)),
           coalesce(NEW.last_read_at, NEW.created_at - interval '1000 years')
    INTO NEW.kind, NEW.status, NEW.title_key, NEW.reading_seconds, NEW.site, NEW.read_order
    FROM media, libraries WHERE media.id = NEW.media_id AND libraries.id = NEW.library_id;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION keep_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.own_title IS DISTINCT FROM OLD.own_title THEN
        SELECT entry_title_key(NEW.own_title, title, canonical_url, requested_url)
        INTO NEW.title_key FROM media WHERE id = NEW.media_id;
    END IF;
    NEW.read_order := coalesce(NEW.last_read_at, NEW.created_at - interval '1000 years');
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION follow_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE library_media
    SET title_key = entry_title_key(own_title, NEW.title, NEW.canonical_url, NEW.requested_url),
        reading_seconds = reading_seconds(NEW.word_count, NEW.lang),
        site = site_of(coalesce(NEW.canonical_url, NEW.requested_url, NEW.declared_url))
    WHERE media_id = NEW.id;
    RETURN NULL;
END $$;

ALTER TABLE library_media DISABLE TRIGGER USER;
UPDATE library_media SET title_key = entry_title_key(own_title, media.title, canonical_url, requested_url)
FROM media
WHERE media.id = media_id AND own_title IS NULL AND media.title IS NULL AND canonical_url IS NOT NULL;
ALTER TABLE library_media ENABLE TRIGGER USER;
"""

# PL/pgSQL keeps the plan of a statement's first run on a connection, usually one for a single entry. For 10 000 entries
# a join of the two transition tables, which have no index, was 10^8 comparisons then. So neither is joined with the
# other, and what is joined with the tables goes through their keys, however many rows the first run had.
BULK = """
CREATE OR REPLACE FUNCTION follow_entries() RETURNS trigger LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
BEGIN
    UPDATE entry_tags SET is_archived = later.is_archived, entry_created_at = later.created_at
    FROM later
    WHERE entry_tags.library_id = later.library_id AND entry_tags.media_id = later.media_id
      AND (entry_tags.is_archived, entry_tags.entry_created_at) IS DISTINCT FROM (later.is_archived, later.created_at);
    RETURN NULL;
END $$;

DROP FUNCTION note_tagged(uuid[], uuid[]);
CREATE FUNCTION note_tagged(library_ids uuid[], media_ids uuid[]) RETURNS void LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
BEGIN
    UPDATE library_media AS entry SET has_tags = found.has_tags
    FROM (
        SELECT DISTINCT library_id, media_id FROM unnest(library_ids, media_ids) AS given(library_id, media_id)
        ORDER BY library_id, media_id
    ) AS touched
    CROSS JOIN LATERAL (
        SELECT (SELECT true FROM entry_tags WHERE entry_tags.library_id = touched.library_id
                AND entry_tags.media_id = touched.media_id AND is_set LIMIT 1) IS TRUE AS has_tags
    ) AS found
    WHERE entry.library_id = touched.library_id AND entry.media_id = touched.media_id
      AND entry.has_tags <> found.has_tags;
END $$;

CREATE OR REPLACE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO tag_counts (tag_id, is_archived, difference)
        SELECT tag_id, is_archived, count(*) FROM later WHERE is_set GROUP BY tag_id, is_archived;
        PERFORM note_tagged(array_agg(library_id), array_agg(media_id)) FROM later HAVING count(*) > 0;
    ELSIF TG_OP = 'DELETE' THEN
        -- Not for a tag that is going itself.
        INSERT INTO tag_counts (tag_id, is_archived, difference)
        SELECT tag_id, is_archived, -count(*) FROM earlier
        WHERE is_set AND EXISTS (SELECT FROM tags WHERE tags.id = earlier.tag_id) GROUP BY tag_id, is_archived;
        PERFORM note_tagged(array_agg(library_id), array_agg(media_id)) FROM earlier HAVING count(*) > 0;
        RETURN NULL;
    ELSE
        INSERT INTO tag_counts (tag_id, is_archived, difference)
        SELECT tag_id, is_archived, sum(one) FROM (
            SELECT tag_id, is_archived, 1 AS one FROM later WHERE is_set
            UNION ALL SELECT tag_id, is_archived, -1 FROM earlier WHERE is_set
        ) AS moved GROUP BY tag_id, is_archived HAVING sum(one) <> 0;
        PERFORM note_tagged(array_agg(library_id), array_agg(media_id)) FROM (
            SELECT library_id, media_id, tag_id, is_set FROM later
            EXCEPT SELECT library_id, media_id, tag_id, is_set FROM earlier
        ) AS changed HAVING count(*) > 0;
    END IF;
    IF random() < 0.02 THEN
        PERFORM fold_tag_counts(array_agg(tag_id)) FROM (SELECT DISTINCT tag_id FROM later LIMIT 100) AS touched
        HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION follow_changed_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refresh_shelf(array_agg(media_id), array_agg(user_id)) FROM (
        (SELECT id, status, media_id, user_id FROM later EXCEPT SELECT id, status, media_id, user_id FROM earlier)
        UNION ALL
        (SELECT id, status, media_id, user_id FROM earlier EXCEPT SELECT id, status, media_id, user_id FROM later)
    ) AS changed HAVING count(*) > 0;
    RETURN NULL;
END $$;

ALTER INDEX ix_entry_tags_shelf RENAME TO ix_entry_tags_listed;
"""


def upgrade() -> None:
    # All entries are looked at, which may take longer for a large library than the limit for a statement.
    op.execute("SET LOCAL statement_timeout = 0")
    op.execute(TITLES)
    op.execute(BULK)
