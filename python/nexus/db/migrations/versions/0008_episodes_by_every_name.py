"""Episodes are found by every name they ever had, and know their chapters"""

from alembic import op

revision = "0008"
down_revision = "0007"

EPISODES = """
ALTER TABLE episodes
    ADD COLUMN chapters jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN transcript_source text,
    ADD CONSTRAINT ck_episodes_chapters CHECK (jsonb_typeof(chapters) = 'array'),
    ADD CONSTRAINT ck_episodes_transcript_source CHECK (transcript_source IN ('publisher', 'openai', 'whisper'));

CREATE TABLE episode_aliases (
    podcast_id uuid NOT NULL CONSTRAINT fk_episode_aliases_podcast_id REFERENCES podcasts ON DELETE CASCADE,
    alias_sha256 bytea NOT NULL,
    alias text NOT NULL,
    episode_id uuid NOT NULL CONSTRAINT fk_episode_aliases_episode_id REFERENCES episodes ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_episode_aliases PRIMARY KEY (podcast_id, alias_sha256),
    CONSTRAINT ck_episode_aliases_hash CHECK (alias_sha256 = text_key(alias))
);
CREATE INDEX ix_episode_aliases_episode_id ON episode_aliases (episode_id);
"""


def upgrade() -> None:
    op.execute(EPISODES)
