"""Podcasts and their episodes"""

from alembic import op

revision = "0004"
down_revision = "0003"

PODCASTS = """
CREATE TABLE podcasts (
    id uuid CONSTRAINT pk_podcasts PRIMARY KEY DEFAULT gen_random_uuid(),
    feed_url text NOT NULL,
    moved_from text[] NOT NULL DEFAULT '{}',
    title text,
    site_url text,
    lang text,
    image_url text,
    etag text,
    last_modified text,
    last_fetched_at timestamptz,
    last_succeeded_at timestamptz,
    last_error_code text,
    last_error_message text,
    consecutive_failures integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_podcasts_failures CHECK (consecutive_failures >= 0)
);
CREATE UNIQUE INDEX uq_podcasts_feed_url ON podcasts (text_key(feed_url));
CREATE TRIGGER touch BEFORE UPDATE ON podcasts FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE episodes (
    id uuid CONSTRAINT pk_episodes PRIMARY KEY DEFAULT gen_random_uuid(),
    podcast_id uuid NOT NULL CONSTRAINT fk_episodes_podcast_id REFERENCES podcasts ON DELETE CASCADE,
    media_id uuid CONSTRAINT fk_episodes_media_id REFERENCES media ON DELETE SET NULL,
    guid text NOT NULL,
    guid_source text NOT NULL,
    title text,
    link text,
    enclosure_url text,
    published_at timestamptz,
    duration_ms bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_episodes_guid_source CHECK (guid_source IN ('guid', 'enclosure', 'title_and_date')),
    CONSTRAINT ck_episodes_duration CHECK (duration_ms >= 0)
);
CREATE UNIQUE INDEX uq_episodes_podcast_guid ON episodes (podcast_id, text_key(guid));
CREATE UNIQUE INDEX uq_episodes_media_id ON episodes (media_id);
CREATE TRIGGER touch BEFORE UPDATE ON episodes FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
"""


def upgrade() -> None:
    op.execute(PODCASTS)
