"""A library entry can be archived and starred, and have a title and a note of its own"""

from alembic import op

revision = "0026"
down_revision = "0025"

# Each decision has its time: one that was made earlier on a device without a connection, and comes later, changes
# nothing. A note of 10 000 characters at most is written at once; two are joined when their entries merge.
STATE = """
ALTER TABLE library_media
    ADD COLUMN archived_at timestamptz,
    ADD COLUMN starred_at timestamptz,
    ADD COLUMN own_title text,
    ADD COLUMN note text,
    ADD COLUMN last_read_at timestamptz,
    ADD COLUMN read_decided_at timestamptz,
    ADD COLUMN archived_decided_at timestamptz,
    ADD COLUMN starred_decided_at timestamptz,
    ADD COLUMN title_decided_at timestamptz,
    ADD COLUMN note_decided_at timestamptz,
    ADD COLUMN is_archived boolean NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) STORED,
    ADD CONSTRAINT ck_library_media_own_title CHECK (own_title ~ '[^[:space:]]' AND char_length(own_title) <= 500),
    ADD CONSTRAINT ck_library_media_note CHECK (note ~ '[^[:space:]]' AND char_length(note) <= 100000);
ALTER TABLE library_media DISABLE TRIGGER USER;
UPDATE library_media SET read_decided_at = read_at, last_read_at = read_at WHERE read_at IS NOT NULL;
UPDATE library_media SET last_read_at = greatest(last_read_at, text_at, audio_at)
FROM positions JOIN libraries ON libraries.owner_user_id = positions.user_id
WHERE library_media.library_id = libraries.id AND library_media.media_id = positions.media_id;
ALTER TABLE library_media ENABLE TRIGGER USER;

DROP INDEX ix_library_media_shelf;
CREATE INDEX ix_library_media_shelf
    ON library_media (library_id, is_archived, kind, status, created_at DESC, media_id DESC);
DROP INDEX ix_library_media_unread;
CREATE INDEX ix_library_media_unread ON library_media (library_id, is_archived, kind, created_at DESC, media_id DESC)
    WHERE read_at IS NULL AND status = 'succeeded';
CREATE INDEX ix_library_media_starred ON library_media (library_id, is_archived, created_at DESC, media_id DESC)
    WHERE starred_at IS NOT NULL;
"""

# As in 0010, by two columns more.
COUNTS = """
ALTER TABLE shelf_counts
    ADD COLUMN is_archived boolean NOT NULL DEFAULT false,
    ADD COLUMN is_starred boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION fold_shelf_counts(shelf uuid) RETURNS void LANGUAGE sql AS $$
    WITH taken AS (
        DELETE FROM shelf_counts WHERE id = ANY (ARRAY(
            SELECT id FROM shelf_counts WHERE library_id = shelf LIMIT 5000 FOR UPDATE SKIP LOCKED))
        RETURNING kind, status, is_read, is_archived, is_starred, difference
    )
    INSERT INTO shelf_counts (library_id, kind, status, is_read, is_archived, is_starred, difference)
    SELECT shelf, kind, status, is_read, is_archived, is_starred, sum(difference) FROM taken
    GROUP BY kind, status, is_read, is_archived, is_starred HAVING sum(difference) <> 0
$$;

CREATE OR REPLACE FUNCTION count_on_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    fold boolean := random() < 0.02;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO shelf_counts (library_id, kind, status, is_read, is_archived, is_starred, difference)
        SELECT library_id, kind, status, read_at IS NOT NULL, is_archived, starred_at IS NOT NULL, count(*)
        FROM later GROUP BY 1, 2, 3, 4, 5, 6;
    ELSIF TG_OP = 'DELETE' THEN
        -- Not for a library that is going itself.
        INSERT INTO shelf_counts (library_id, kind, status, is_read, is_archived, is_starred, difference)
        SELECT library_id, kind, status, read_at IS NOT NULL, is_archived, starred_at IS NOT NULL, -count(*)
        FROM earlier WHERE EXISTS (SELECT FROM libraries WHERE libraries.id = earlier.library_id)
        GROUP BY 1, 2, 3, 4, 5, 6;
        RETURN NULL;
    ELSE
        INSERT INTO shelf_counts (library_id, kind, status, is_read, is_archived, is_starred, difference)
        SELECT library_id, kind, status, is_read, is_archived, is_starred, sum(one) FROM (
            SELECT library_id, kind, status, read_at IS NOT NULL AS is_read, is_archived,
                   starred_at IS NOT NULL AS is_starred, 1 AS one FROM later
            UNION ALL
            SELECT library_id, kind, status, read_at IS NOT NULL, is_archived, starred_at IS NOT NULL, -1 FROM earlier
        ) AS moved GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(one) <> 0;
    END IF;
    IF fold THEN
        PERFORM fold_shelf_counts(library_id) FROM (SELECT DISTINCT library_id FROM later LIMIT 20) AS shelves;
    END IF;
    RETURN NULL;
END $$;
"""


def upgrade() -> None:
    # The table is written anew, which takes longer for a large library than the limit for a statement.
    op.execute("SET LOCAL statement_timeout = 0")
    op.execute(STATE)
    op.execute(COUNTS)
