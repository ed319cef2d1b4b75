"""The audio of episodes that is kept in the store"""

from alembic import op

revision = "0022"
down_revision = "0021"

AUDIO = """
CREATE TABLE media_audio (
    media_id uuid CONSTRAINT pk_media_audio PRIMARY KEY
        CONSTRAINT fk_media_audio_media_id REFERENCES media ON DELETE CASCADE,
    sha256 bytea NOT NULL CONSTRAINT fk_media_audio_sha256 REFERENCES blobs,
    content_type text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ck_media_audio_type CHECK (content_type IN (
        'audio/aac', 'audio/flac', 'audio/mp4', 'audio/mpeg', 'audio/ogg', 'audio/wav', 'audio/webm'))
);
CREATE INDEX ix_media_audio_sha256 ON media_audio (sha256);
"""


def upgrade() -> None:
    op.execute(AUDIO)
