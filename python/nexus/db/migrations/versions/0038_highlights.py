"""Passages of texts that users marked, with their notes and tags"""

from alembic import op

revision = "0038"
down_revision = "0037"

# A place is `start` to `end` in a version's text: a fragment and an offset in code points, the end not included.
# `version` null: the text it was made in belongs to another media, which was merged away; only its quote is left.
# `carried_version`: the version that it was last looked for in. `…_decided_at`: as in library_media.
# The id is the client's, so that what is sent twice is one: hence only unique among the highlights of a library.
# A deleted one stays as a mark, so that it is not made again by a device that did not hear of it; it is emptied when it
# can no longer be restored.
HIGHLIGHTS = """
CREATE TABLE highlights (
    library_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    media_id uuid NOT NULL,
    version integer,
    start_fragment integer NOT NULL,
    start_offset integer NOT NULL,
    end_fragment integer NOT NULL,
    end_offset integer NOT NULL,
    quote text NOT NULL,
    prefix text NOT NULL,
    suffix text NOT NULL,
    start_ms bigint,
    color text NOT NULL,
    note text,
    words tsvector NOT NULL DEFAULT '',
    state text NOT NULL,
    carried_version integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    place_decided_at timestamptz NOT NULL DEFAULT now(),
    color_decided_at timestamptz NOT NULL DEFAULT now(),
    note_decided_at timestamptz NOT NULL DEFAULT now(),
    tags_decided_at timestamptz NOT NULL DEFAULT now(),
    deletion_decided_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    review_round integer NOT NULL DEFAULT 0,
    review_order double precision NOT NULL DEFAULT random(),
    seen_at timestamptz,
    CONSTRAINT pk_highlights PRIMARY KEY (library_id, id),
    CONSTRAINT fk_highlights_library_id FOREIGN KEY (library_id, media_id)
        REFERENCES library_media (library_id, media_id) ON DELETE CASCADE,
    CONSTRAINT fk_highlights_media_id FOREIGN KEY (media_id, version)
        REFERENCES media_versions (media_id, version) ON DELETE CASCADE,
    CONSTRAINT ck_highlights_range CHECK (
        start_fragment >= 0 AND start_offset >= 0 AND end_offset >= 0
        AND (start_fragment, start_offset) < (end_fragment, end_offset)),
    CONSTRAINT ck_highlights_quote CHECK (
        char_length(quote) <= 50000 AND (quote <> '' OR deleted_at IS NOT NULL)),
    CONSTRAINT ck_highlights_context CHECK (char_length(prefix) <= 64 AND char_length(suffix) <= 64),
    CONSTRAINT ck_highlights_start_ms CHECK (start_ms >= 0),
    CONSTRAINT ck_highlights_color CHECK (color IN ('yellow', 'green', 'blue', 'pink')),
    CONSTRAINT ck_highlights_note CHECK (char_length(note) BETWEEN 1 AND 10000),
    CONSTRAINT ck_highlights_state CHECK (state IN ('attached', 'orphaned')),
    CONSTRAINT ck_highlights_attached CHECK (
        (state = 'attached') = (version IS NOT NULL AND version IS NOT DISTINCT FROM carried_version)),
    CONSTRAINT ck_highlights_review_round CHECK (review_round >= 0)
);
CREATE INDEX ix_highlights_text ON highlights (library_id, media_id, start_fragment, start_offset, id);
CREATE INDEX ix_highlights_media_id ON highlights (media_id, version);
CREATE INDEX ix_highlights_newest ON highlights (library_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX ix_highlights_color ON highlights (library_id, color, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX ix_highlights_review ON highlights (library_id, review_round, review_order) WHERE deleted_at IS NULL;
CREATE INDEX ix_highlights_deleted_at ON highlights (deleted_at) WHERE deleted_at IS NOT NULL AND quote <> '';
CREATE INDEX ix_highlights_words ON highlights USING gin (words);
CREATE TRIGGER touch BEFORE UPDATE ON highlights FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- Once for each fragment, however many highlights are written: a text may be long.
CREATE FUNCTION require_place_in_text() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong record;
BEGIN
    SELECT ends.* INTO wrong FROM (
        SELECT media_id, version, start_fragment AS idx, max(start_offset) AS furthest
        FROM later WHERE version IS NOT NULL GROUP BY media_id, version, start_fragment
        UNION ALL
        SELECT media_id, version, end_fragment, max(end_offset)
        FROM later WHERE version IS NOT NULL GROUP BY media_id, version, end_fragment
    ) AS ends LEFT JOIN fragments USING (media_id, version, idx)
    WHERE fragments.id IS NULL OR ends.furthest > char_length(fragments.canonical_text) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'version % of media % has no offset % in fragment %',
            wrong.version, wrong.media_id, wrong.furthest, wrong.idx
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER highlights_lie_in_text AFTER INSERT ON highlights
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION require_place_in_text();
CREATE TRIGGER highlights_stay_in_text AFTER UPDATE ON highlights
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION require_place_in_text();
"""

# `created_at` is the highlight's, in whose order those of a tag are listed.
TAGS = """
CREATE TABLE highlight_tags (
    library_id uuid NOT NULL,
    highlight_id uuid NOT NULL,
    tag_id uuid NOT NULL CONSTRAINT fk_highlight_tags_tag_id REFERENCES tags ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    CONSTRAINT pk_highlight_tags PRIMARY KEY (library_id, highlight_id, tag_id),
    CONSTRAINT fk_highlight_tags_library_id FOREIGN KEY (library_id, highlight_id)
        REFERENCES highlights (library_id, id) ON DELETE CASCADE
);
CREATE INDEX ix_highlight_tags_newest ON highlight_tags (tag_id, created_at DESC, highlight_id DESC);
CREATE TRIGGER highlight_tags_are_own AFTER INSERT OR UPDATE OF library_id, tag_id ON highlight_tags
    FOR EACH ROW EXECUTE FUNCTION tags_of_one_user();
"""

# How many an entry has, so that lists need not count them. Not a generated column, for which PostgreSQL would write the
# whole table anew.
COUNTS = """
ALTER TABLE library_media
    ADD COLUMN highlight_count integer NOT NULL DEFAULT 0,
    ADD COLUMN has_highlights boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT ck_library_media_highlight_count CHECK (highlight_count >= 0),
    ADD CONSTRAINT ck_library_media_has_highlights CHECK (has_highlights = (highlight_count > 0));
CREATE INDEX ix_library_media_highlighted ON library_media (library_id, title_key, media_id) WHERE has_highlights;
CREATE INDEX ix_library_media_newest_highlighted ON library_media
    (library_id, is_archived, created_at DESC, media_id DESC) WHERE has_highlights;

CREATE FUNCTION add_to_highlights(library uuid, media uuid, difference bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE library_media
    SET highlight_count = highlight_count + difference, has_highlights = highlight_count + difference > 0
    WHERE library_id = library AND media_id = media
$$;
CREATE FUNCTION count_highlights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM add_to_highlights(library_id, media_id, count(*)) FROM later
        WHERE deleted_at IS NULL GROUP BY library_id, media_id;
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM add_to_highlights(library_id, media_id, -count(*)) FROM earlier
        WHERE deleted_at IS NULL GROUP BY library_id, media_id;
    ELSE
        PERFORM add_to_highlights(library_id, media_id, sum(one)) FROM (
            SELECT library_id, media_id, 1 AS one FROM later WHERE deleted_at IS NULL
            UNION ALL SELECT library_id, media_id, -1 FROM earlier WHERE deleted_at IS NULL
        ) AS moved GROUP BY library_id, media_id HAVING sum(one) <> 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_counts_new AFTER INSERT ON highlights
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION count_highlights();
CREATE TRIGGER keep_counts_changed AFTER UPDATE ON highlights
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION count_highlights();
CREATE TRIGGER keep_counts_gone AFTER DELETE ON highlights
    REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION count_highlights();
"""

# Media whose highlights are to be looked for in another text. Whoever makes a highlight holds the media, so that the
# version cannot change without seeing it.
WAITING = """
CREATE TABLE highlights_waiting (
    media_id uuid NOT NULL CONSTRAINT pk_highlights_waiting PRIMARY KEY
        CONSTRAINT fk_highlights_waiting_media_id REFERENCES media ON DELETE CASCADE
);
CREATE FUNCTION note_highlights_to_carry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO highlights_waiting (media_id)
    SELECT NEW.id WHERE EXISTS (SELECT FROM highlights WHERE media_id = NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_highlights_waiting AFTER UPDATE OF current_version ON media FOR EACH ROW
    WHEN (NEW.current_version IS DISTINCT FROM OLD.current_version) EXECUTE FUNCTION note_highlights_to_carry();
"""

REVIEW_AND_FEED = """
CREATE TABLE highlight_reviews (
    library_id uuid NOT NULL CONSTRAINT fk_highlight_reviews_library REFERENCES libraries ON DELETE CASCADE,
    day date NOT NULL,
    number integer NOT NULL,
    highlight_id uuid NOT NULL,
    CONSTRAINT pk_highlight_reviews PRIMARY KEY (library_id, day, number),
    CONSTRAINT uq_highlight_reviews_library_id_day_highlight_id UNIQUE (library_id, day, highlight_id),
    CONSTRAINT fk_highlight_reviews_library_id FOREIGN KEY (library_id, highlight_id)
        REFERENCES highlights (library_id, id) ON DELETE CASCADE,
    CONSTRAINT ck_highlight_reviews_number CHECK (number BETWEEN 1 AND 5)
);
CREATE INDEX ix_highlight_reviews_highlight_id ON highlight_reviews (library_id, highlight_id);

CREATE TABLE highlight_feeds (
    user_id uuid NOT NULL CONSTRAINT pk_highlight_feeds PRIMARY KEY
        CONSTRAINT fk_highlight_feeds_user_id REFERENCES users ON DELETE CASCADE,
    secret_sha256 bytea NOT NULL CONSTRAINT uq_highlight_feeds_secret_sha256 UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    CONSTRAINT ck_highlight_feeds_secret_sha256 CHECK (octet_length(secret_sha256) = 32)
);
"""

# What of them is found with their text; whether there are any is known from the rows, too.
SEARCHED = "library_id, media_id, quote, note, deleted_at IS NULL"
SEARCH = f"""
CREATE FUNCTION log_changed_highlights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO search_changes (library_id, media_id) SELECT DISTINCT library_id, media_id FROM later;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO search_changes (library_id, media_id)
        SELECT DISTINCT library_id, media_id FROM earlier WHERE deleted_at IS NULL;
    ELSE
        INSERT INTO search_changes (library_id, media_id)
        SELECT DISTINCT library_id, media_id FROM (
            (SELECT {SEARCHED} FROM later EXCEPT SELECT {SEARCHED} FROM earlier)
            UNION ALL
            (SELECT {SEARCHED} FROM earlier EXCEPT SELECT {SEARCHED} FROM later)
        ) AS changed;
    END IF;
    IF FOUND THEN
        PERFORM pg_notify('nexus_search', '');
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER log_new_highlights AFTER INSERT ON highlights
    REFERENCING NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION log_changed_highlights();
CREATE TRIGGER log_changed_highlights AFTER UPDATE ON highlights
    REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION log_changed_highlights();
CREATE TRIGGER log_removed_highlights AFTER DELETE ON highlights
    REFERENCING OLD TABLE AS earlier FOR EACH STATEMENT EXECUTE FUNCTION log_changed_highlights();
"""  # noqa: S608 - our own constants


def upgrade() -> None:
    for statements in (HIGHLIGHTS, TAGS, COUNTS, WAITING, REVIEW_AND_FEED, SEARCH):
        op.execute(statements)
