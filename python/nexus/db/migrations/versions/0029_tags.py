"""Each user has tags of their own, and their library can be listed by them"""

from alembic import op

revision = "0029"
down_revision = "0028"

# Case and accents do not matter in `name_key`. It is checked at the end of a statement, since one renames several tags.
TAGS = """
CREATE TABLE tags (
    id uuid CONSTRAINT pk_tags PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_tags_user_id REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    name_key text NOT NULL,
    color text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT uq_tags_user_id_name_key UNIQUE (user_id, name_key) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT ck_tags_name CHECK (name ~ '[^[:space:]]' AND char_length(name) <= 100),
    CONSTRAINT ck_tags_color CHECK (
        color IN ('red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'grey'))
);

-- Also the tags that were taken away, so that an earlier decision which comes later changes nothing. Triggers copy
-- what a list of a tag is in the order of.
CREATE TABLE entry_tags (
    library_id uuid NOT NULL,
    media_id uuid NOT NULL,
    tag_id uuid NOT NULL CONSTRAINT fk_entry_tags_tag_id REFERENCES tags ON DELETE CASCADE,
    is_set boolean NOT NULL,
    decided_at timestamptz NOT NULL,
    is_archived boolean NOT NULL,
    entry_created_at timestamptz NOT NULL,
    CONSTRAINT pk_entry_tags PRIMARY KEY (library_id, media_id, tag_id),
    CONSTRAINT fk_entry_tags_library_id FOREIGN KEY (library_id, media_id)
        REFERENCES library_media (library_id, media_id) ON DELETE CASCADE
);
CREATE INDEX ix_entry_tags_shelf
    ON entry_tags (tag_id, is_set, is_archived, entry_created_at DESC, media_id DESC);

ALTER TABLE library_media ADD COLUMN tags_decided_at timestamptz, ADD COLUMN has_tags boolean NOT NULL DEFAULT false;

-- An entry that is just being changed is waited for. It is locked as `note_tagged` locks it, so that no two share it
-- and then wait for each other.
CREATE FUNCTION place_tag() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT is_archived, created_at INTO NEW.is_archived, NEW.entry_created_at
    FROM library_media WHERE library_id = NEW.library_id AND media_id = NEW.media_id FOR NO KEY UPDATE;
    RETURN NEW;
END $$;
CREATE TRIGGER keep_place BEFORE INSERT ON entry_tags FOR EACH ROW EXECUTE FUNCTION place_tag();

CREATE FUNCTION follow_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE entry_tags SET is_archived = later.is_archived, entry_created_at = later.created_at
    FROM later JOIN earlier USING (library_id, media_id)
    WHERE (later.is_archived, later.created_at) IS DISTINCT FROM (earlier.is_archived, earlier.created_at)
      AND entry_tags.library_id = later.library_id AND entry_tags.media_id = later.media_id;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_tags_in_place AFTER UPDATE ON library_media
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION follow_entries();

CREATE FUNCTION tags_of_one_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM tags JOIN libraries ON owner_user_id = user_id
                   WHERE tags.id = NEW.tag_id AND libraries.id = NEW.library_id) THEN
        RAISE EXCEPTION 'tag % belongs to another user', NEW.tag_id
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entry_tags_are_own AFTER INSERT OR UPDATE OF library_id, tag_id ON entry_tags
    FOR EACH ROW EXECUTE FUNCTION tags_of_one_user();
"""

# A log of differences, as shelf_counts is.
COUNTS = """
CREATE TABLE tag_counts (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_tag_counts PRIMARY KEY,
    tag_id uuid NOT NULL CONSTRAINT fk_tag_counts_tag_id REFERENCES tags ON DELETE CASCADE,
    is_archived boolean NOT NULL,
    difference bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
CREATE INDEX ix_tag_counts_tag_id ON tag_counts (tag_id);

CREATE FUNCTION fold_tag_counts(ids uuid[]) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM tag_counts WHERE id = ANY (ARRAY(
            SELECT id FROM tag_counts WHERE tag_id = ANY (ids) LIMIT 5000 FOR UPDATE SKIP LOCKED))
        RETURNING tag_id, is_archived, difference
    )
    INSERT INTO tag_counts (tag_id, is_archived, difference)
    SELECT tag_id, is_archived, sum(difference) FROM taken GROUP BY tag_id, is_archived HAVING sum(difference) <> 0
$$;

CREATE FUNCTION note_tagged(libraries uuid[], works uuid[]) RETURNS void LANGUAGE sql AS $$
    UPDATE library_media AS entry SET has_tags = found.has_tags
    FROM (SELECT DISTINCT library_id, media_id FROM unnest(libraries, works) AS given(library_id, media_id)) AS touched
    CROSS JOIN LATERAL (
        SELECT EXISTS (SELECT FROM entry_tags WHERE entry_tags.library_id = touched.library_id
                       AND entry_tags.media_id = touched.media_id AND is_set) AS has_tags
    ) AS found
    WHERE entry.library_id = touched.library_id AND entry.media_id = touched.media_id
      AND entry.has_tags <> found.has_tags
$$;

CREATE FUNCTION count_tags() RETURNS trigger LANGUAGE plpgsql AS $$
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
        PERFORM note_tagged(array_agg(later.library_id), array_agg(later.media_id))
        FROM later JOIN earlier USING (library_id, media_id, tag_id)
        WHERE later.is_set <> earlier.is_set HAVING count(*) > 0;
    END IF;
    IF random() < 0.02 THEN
        PERFORM fold_tag_counts(array_agg(tag_id)) FROM (SELECT DISTINCT tag_id FROM later LIMIT 100) AS touched
        HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_counts_new AFTER INSERT ON entry_tags
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
CREATE TRIGGER keep_counts_changed AFTER UPDATE ON entry_tags
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
CREATE TRIGGER keep_counts_gone AFTER DELETE ON entry_tags
    REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION count_tags();
"""


def upgrade() -> None:
    op.execute(TAGS)
    op.execute(COUNTS)
