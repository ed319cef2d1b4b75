"""Where each user is in each media, in its text and in its audio"""

from alembic import op

revision = "0025"
down_revision = "0024"

# The text's part and the audio's settle each by its own time. `version` null: the sentence is looked for in the current
# text, by its `words`.
POSITIONS = """
CREATE TABLE positions (
    user_id uuid NOT NULL CONSTRAINT fk_positions_user_id REFERENCES users ON DELETE CASCADE,
    media_id uuid NOT NULL CONSTRAINT fk_positions_media_id REFERENCES media ON DELETE CASCADE,
    text_at timestamptz,
    version integer,
    fragment_idx integer,
    text_offset integer,
    words text,
    share double precision,
    fraction double precision,
    text_device text,
    audio_at timestamptz,
    audio_ms bigint,
    audio_device text,
    CONSTRAINT pk_positions PRIMARY KEY (user_id, media_id),
    CONSTRAINT ck_positions_something CHECK (text_at IS NOT NULL OR audio_at IS NOT NULL),
    CONSTRAINT ck_positions_text_is_whole CHECK (
        num_nonnulls(text_at, fragment_idx, text_offset, words, share, fraction) IN (0, 6)),
    CONSTRAINT ck_positions_audio_is_whole CHECK ((audio_at IS NULL) = (audio_ms IS NULL)),
    CONSTRAINT ck_positions_ranges CHECK (
        fragment_idx >= 0 AND text_offset >= 0 AND audio_ms >= 0
        AND share BETWEEN 0 AND 1 AND fraction BETWEEN 0 AND 1),
    CONSTRAINT ck_positions_lengths CHECK (
        length(words) <= 100 AND length(text_device) <= 100 AND length(audio_device) <= 100)
);
CREATE INDEX ix_positions_media_id ON positions (media_id);
"""


def upgrade() -> None:
    op.execute(POSITIONS)
