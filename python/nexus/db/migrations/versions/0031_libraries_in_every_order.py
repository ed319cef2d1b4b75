"""A library can be listed in every order, by site and by length, however long it is"""

from alembic import op

revision = "0031"
down_revision = "0030"

# Titles are compared without case, accents and the punctuation before them, and by code points, so that neither the
# server's locale nor an extension decides. -1 seconds: there is no text yet. What was never read comes after what was,
# the newest first: in its order it was read a thousand years before it was saved.
KEYS = r"""
CREATE FUNCTION title_key(title text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(ltrim(lower(regexp_replace(normalize(left(title, 300), NFKD), '[\u0300-\u036f]', '', 'g')),
                      E' \t"''`([{<#*_.,:;!?/-\u2010\u2011\u2012\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e'
                      '\u2022\u2026\u2039\u203a\u00ab\u00bb\u00a1\u00bf'), 100)
$$;
CREATE FUNCTION site_of(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(left(lower(substring(
        url FROM '(?i)^\s*https?:[/\\]*(?:[^/?#@\\]*@)?(\[[^\]]*\]|[^/?#\\:]+)')), 253), '^www\.', '')
$$;
-- What is shown as long as there is no title.
CREATE FUNCTION link_title(url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(left(url, 300), '(?i)^\s*https?:[/\\]*(www\.)?', '')
$$;
-- As nexus.text.reading_time: minutes are these, rounded up.
CREATE FUNCTION reading_seconds(words integer, lang text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN words IS NULL THEN -1
                ELSE ceil(words * 60.0 / CASE WHEN lower(left(lang, 2)) IN ('zh', 'ja') THEN 500 ELSE 230 END)::integer
           END
$$;

ALTER TABLE library_media
    ADD COLUMN title_key text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN reading_seconds integer NOT NULL DEFAULT -1,
    ADD COLUMN site text,
    ADD COLUMN read_order timestamptz NOT NULL DEFAULT now();
ALTER TABLE library_media DISABLE TRIGGER USER;
UPDATE library_media
SET title_key = title_key(coalesce(own_title, media.title, link_title(coalesce(requested_url, canonical_url)), '')),
    reading_seconds = reading_seconds(media.word_count, media.lang),
    site = site_of(coalesce(canonical_url, requested_url, declared_url)),
    read_order = coalesce(last_read_at, library_media.created_at - interval '1000 years')
FROM media WHERE media.id = library_media.media_id;
ALTER TABLE library_media ENABLE TRIGGER USER;
ALTER TABLE library_media ALTER COLUMN read_order DROP DEFAULT;
"""

FOLLOW = """
CREATE OR REPLACE FUNCTION place_on_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT media.kind, shelf_status(media.id, libraries.owner_user_id),
           title_key(coalesce(NEW.own_title, media.title, link_title(coalesce(requested_url, canonical_url)), '')),
           reading_seconds(word_count, lang), site_of(coalesce(canonical_url, requested_url, declared_url)),
           coalesce(NEW.last_read_at, NEW.created_at - interval '1000 years')
    INTO NEW.kind, NEW.status, NEW.title_key, NEW.reading_seconds, NEW.site, NEW.read_order
    FROM media, libraries WHERE media.id = NEW.media_id AND libraries.id = NEW.library_id;
    RETURN NEW;
END $$;

CREATE FUNCTION keep_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.own_title IS DISTINCT FROM OLD.own_title THEN
        SELECT title_key(coalesce(NEW.own_title, title, link_title(coalesce(requested_url, canonical_url)), ''))
        INTO NEW.title_key FROM media WHERE id = NEW.media_id;
    END IF;
    NEW.read_order := coalesce(NEW.last_read_at, NEW.created_at - interval '1000 years');
    RETURN NEW;
END $$;
CREATE TRIGGER keep_orders BEFORE UPDATE OF own_title, last_read_at, created_at ON library_media
    FOR EACH ROW EXECUTE FUNCTION keep_orders();

CREATE FUNCTION follow_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE library_media
    SET title_key = title_key(
            coalesce(own_title, NEW.title, link_title(coalesce(NEW.requested_url, NEW.canonical_url)), '')),
        reading_seconds = reading_seconds(NEW.word_count, NEW.lang),
        site = site_of(coalesce(NEW.canonical_url, NEW.requested_url, NEW.declared_url))
    WHERE media_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_orders_of_entries
    AFTER UPDATE OF title, word_count, lang, canonical_url, requested_url, declared_url ON media FOR EACH ROW
    WHEN ((NEW.title, NEW.word_count, NEW.lang, NEW.canonical_url, NEW.requested_url, NEW.declared_url)
          IS DISTINCT FROM
          (OLD.title, OLD.word_count, OLD.lang, OLD.canonical_url, OLD.requested_url, OLD.declared_url))
    EXECUTE FUNCTION follow_media();
"""

INDEXES = """
CREATE INDEX ix_library_media_title ON library_media (library_id, is_archived, title_key, media_id);
CREATE INDEX ix_library_media_length ON library_media (library_id, is_archived, reading_seconds, media_id);
CREATE INDEX ix_library_media_read ON library_media (library_id, is_archived, read_order, media_id);
CREATE INDEX ix_library_media_site ON library_media (library_id, site, is_archived, created_at DESC, media_id DESC)
    WHERE site IS NOT NULL;
CREATE INDEX ix_library_media_untagged ON library_media (library_id, is_archived, created_at DESC, media_id DESC)
    WHERE NOT has_tags;
"""

# As in 0029, but entry by entry through the keys: without statistics of tables that are just being filled, PostgreSQL
# read the whole of them for each of ten thousand entries.
NOTE_TAGGED = """
CREATE OR REPLACE FUNCTION note_tagged(libraries uuid[], works uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    touched record;
    is_tagged boolean;
BEGIN
    FOR touched IN SELECT DISTINCT given.library_id, given.media_id
                   FROM unnest(libraries, works) AS given(library_id, media_id) ORDER BY 2 LOOP
        is_tagged := (SELECT true FROM entry_tags WHERE entry_tags.library_id = touched.library_id
                      AND entry_tags.media_id = touched.media_id AND is_set LIMIT 1) IS TRUE;
        UPDATE library_media SET has_tags = is_tagged
        WHERE library_id = touched.library_id AND media_id = touched.media_id AND has_tags <> is_tagged;
    END LOOP;
END $$;
"""


def upgrade() -> None:
    # Each entry is written anew, which takes longer for a large library than the limit for a statement.
    op.execute("SET LOCAL statement_timeout = 0")
    op.execute(KEYS)
    op.execute(FOLLOW)
    op.execute(INDEXES)
    op.execute(NOTE_TAGGED)
