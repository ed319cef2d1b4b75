"""An episode that was taken off a shelf is not put back by the next run"""

from alembic import op

revision = "0009"
down_revision = "0008"

REMOVALS = """
CREATE TABLE episode_removals (
    user_id uuid NOT NULL CONSTRAINT fk_episode_removals_user_id REFERENCES users ON DELETE CASCADE,
    episode_id uuid NOT NULL CONSTRAINT fk_episode_removals_episode_id REFERENCES episodes ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT pk_episode_removals PRIMARY KEY (user_id, episode_id)
);
CREATE INDEX ix_episode_removals_episode_id ON episode_removals (episode_id);
"""


def upgrade() -> None:
    op.execute(REMOVALS)
