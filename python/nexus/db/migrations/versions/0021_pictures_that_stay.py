"""Pictures that stay: each picture of a media is a row in the queue of pictures, and names its blob once it is kept"""

from alembic import op

revision = "0021"
down_revision = "0020"

# By the address itself from now on, not by its encoded form: what texts, cards and chapters show is then found by one
# index. `queue_user_id` is for the turns of users; a picture stays when the user for whom it was fetched is deleted.
TABLE = """
DROP TRIGGER keep_images ON fragments;
DROP FUNCTION note_images();
DROP INDEX ix_media_lead_image;
DROP TABLE media_images;

CREATE TABLE media_images (
    url_key bytea NOT NULL,
    media_id uuid NOT NULL CONSTRAINT fk_media_images_media_id REFERENCES media ON DELETE CASCADE,
    url text NOT NULL,
    user_id uuid CONSTRAINT fk_media_images_user_id REFERENCES users ON DELETE SET NULL,
    queue_user_id uuid NOT NULL
        GENERATED ALWAYS AS (coalesce(user_id, '00000000-0000-0000-0000-000000000000')) STORED,
    position integer NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'pending',
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz DEFAULT now(),
    claimed_by uuid,
    claimed_at timestamptz,
    lease_until timestamptz,
    settled_at timestamptz,
    sha256 bytea CONSTRAINT fk_media_images_sha256 REFERENCES blobs,
    size bigint,
    content_type text,
    width integer,
    height integer,
    CONSTRAINT pk_media_images PRIMARY KEY (url_key, media_id),
    CONSTRAINT ck_media_images_url_key CHECK (url_key = text_key(url)),
    CONSTRAINT ck_media_images_state CHECK (state IN ('pending', 'kept', 'gone', 'refused')),
    CONSTRAINT ck_media_images_reason CHECK (CASE state
        WHEN 'gone' THEN coalesce(reason IN ('http_404', 'http_410', 'unreachable'), false)
        WHEN 'refused' THEN coalesce(
            reason IN ('not_an_image', 'image_too_large', 'blocked_address', 'too_many', 'no_room'), false)
        ELSE reason IS NULL END),
    -- What only a setting refuses is looked at again: the setting may change, and room may become free.
    CONSTRAINT ck_media_images_due CHECK (
        (due_at IS NOT NULL) = (state = 'pending' OR coalesce(reason IN ('too_many', 'no_room'), false))),
    CONSTRAINT ck_media_images_settled CHECK ((settled_at IS NULL) = (state = 'pending')),
    CONSTRAINT ck_media_images_kept CHECK (
        num_nonnulls(sha256, size, content_type, width, height) = CASE state WHEN 'kept' THEN 5 ELSE 0 END),
    CONSTRAINT ck_media_images_picture CHECK (
        content_type IN ('image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp')
        AND size > 0 AND width BETWEEN 1 AND 4096 AND height BETWEEN 1 AND 4096),
    CONSTRAINT ck_media_images_claim CHECK (
        num_nonnulls(claimed_by, claimed_at, lease_until) IN (0, 3) AND (claimed_by IS NULL OR due_at IS NOT NULL)),
    CONSTRAINT ck_media_images_counts CHECK (attempts >= 0 AND position >= 0)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
"""

INDEXES = """
CREATE INDEX ix_media_images_media_id ON media_images (media_id);
CREATE INDEX ix_media_images_user_id_sha256 ON media_images (user_id, sha256) INCLUDE (size);
CREATE INDEX ix_media_images_sha256 ON media_images (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX ix_media_images_due ON media_images (queue_user_id, due_at DESC, position) WHERE due_at IS NOT NULL;
CREATE INDEX ix_media_images_leases ON media_images (claimed_by, lease_until) WHERE claimed_by IS NOT NULL;
"""

# `percent_decoded` undoes what the sanitizer did; what is no UTF-8 cannot be asked for either. As a JSON string each
# encoded byte is one character of Latin-1, which is far quicker than piece by piece. Of a text the first 1 000 pictures
# count: a hostile page that shows tens of thousands must not hold up the results of others.
# A picture that was gone and is shown by a new text is looked for once more.
TRIGGERS = r"""
CREATE FUNCTION percent_decoded(encoded text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
    RETURN convert_from(convert_to(('"' || replace(encoded, '%', '\u00') || '"')::jsonb #>> '{}', 'LATIN1'), 'UTF8');
EXCEPTION WHEN character_not_in_repertoire OR untranslatable_character OR invalid_text_representation THEN
    RETURN NULL;
END $$;

CREATE FUNCTION pictures_in(html text) RETURNS TABLE (url text, place integer) LANGUAGE sql IMMUTABLE STRICT AS $$
    SELECT percent_decoded(encoded), place FROM (
        SELECT split_part(piece, '"', 1) AS encoded, min(ordinality)::integer - 1 AS place
        FROM string_to_table(html, 'src="/media/image?url=') WITH ORDINALITY AS pieces (piece)
        WHERE ordinality > 1 AND piece ~ '^[A-Za-z0-9_.~%-]+"'
        GROUP BY encoded ORDER BY place LIMIT 1000
    ) AS pictures
$$;

CREATE FUNCTION add_pictures(of_media uuid, urls text[], places integer[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO media_images (url_key, media_id, url, user_id, position)
    SELECT text_key(given.url), media.id, given.url, coalesce(media.owner_user_id, media.created_by_user_id),
           given.place
    FROM media, (
        SELECT DISTINCT ON (url) url, place FROM unnest(urls, places) AS all_given (url, place)
        WHERE url <> '' ORDER BY url, place
    ) AS given
    WHERE media.id = of_media
    ON CONFLICT ON CONSTRAINT pk_media_images DO UPDATE
    SET state = 'pending', reason = NULL, attempts = 0, due_at = now(), settled_at = NULL
    WHERE media_images.state = 'gone'
$$;

CREATE FUNCTION note_pictures_of_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_pictures(NEW.media_id, array_agg(url), array_agg(place)) FROM pictures_in(NEW.html_sanitized);
    RETURN NULL;
END $$;
CREATE TRIGGER keep_pictures_of_text AFTER INSERT ON fragments FOR EACH ROW
    WHEN (NEW.html_sanitized LIKE '%src="/media/image?url=%') EXECUTE FUNCTION note_pictures_of_text();

CREATE FUNCTION note_lead_picture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_pictures(NEW.id, ARRAY[NEW.lead_image_url], ARRAY[0]);
    RETURN NULL;
END $$;
CREATE TRIGGER keep_lead_picture AFTER INSERT ON media FOR EACH ROW
    WHEN (NEW.lead_image_url IS NOT NULL) EXECUTE FUNCTION note_lead_picture();
CREATE TRIGGER keep_new_lead_picture AFTER UPDATE OF lead_image_url ON media FOR EACH ROW
    WHEN (NEW.lead_image_url IS DISTINCT FROM OLD.lead_image_url AND NEW.lead_image_url IS NOT NULL)
    EXECUTE FUNCTION note_lead_picture();

CREATE FUNCTION note_pictures_of_chapters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_pictures(NEW.media_id, array_agg(chapter ->> 'image'), array_agg(place::integer))
    FROM jsonb_array_elements(NEW.chapters) WITH ORDINALITY AS chapters (chapter, place);
    RETURN NULL;
END $$;
CREATE TRIGGER keep_pictures_of_chapters AFTER INSERT OR UPDATE OF media_id, chapters ON episodes FOR EACH ROW
    WHEN (NEW.media_id IS NOT NULL AND NEW.chapters @? '$[*].image ? (@ != null)')
    EXECUTE FUNCTION note_pictures_of_chapters();
"""

# What is there already. The newest media first in the queue, and behind what is saved from now on.
BACKFILL = """
INSERT INTO media_images (url_key, media_id, url, user_id, position, due_at)
SELECT DISTINCT ON (given.url, media.id) text_key(given.url), media.id, given.url,
       coalesce(media.owner_user_id, media.created_by_user_id), given.place, media.created_at
FROM media JOIN (
    SELECT fragments.media_id, found.url, found.place FROM fragments, pictures_in(html_sanitized) AS found
    WHERE html_sanitized LIKE '%src="/media/image?url=%'
    UNION ALL SELECT id, lead_image_url, 0 FROM media WHERE lead_image_url IS NOT NULL
    UNION ALL SELECT media_id, chapter ->> 'image', place::integer
    FROM episodes, jsonb_array_elements(chapters) WITH ORDINALITY AS chapters (chapter, place)
    WHERE media_id IS NOT NULL AND chapters @? '$[*].image ? (@ != null)'
) AS given ON given.media_id = media.id
WHERE given.url <> ''
ORDER BY given.url, media.id, given.place;
"""


def upgrade() -> None:
    op.execute(TABLE)
    op.execute(TRIGGERS)
    op.execute(BACKFILL)
    op.execute(INDEXES)
