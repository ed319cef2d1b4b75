"""A search can be kept under a name"""

from alembic import op

revision = "0033"
down_revision = "0032"

SAVED = """
CREATE TABLE saved_searches (
    id uuid CONSTRAINT pk_saved_searches PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_saved_searches_user_id REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    query jsonb NOT NULL,
    sort text NOT NULL,
    position integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT uq_saved_searches_user_id_name UNIQUE (user_id, name),
    CONSTRAINT ck_saved_searches_name CHECK (name ~ '[^[:space:]]' AND char_length(name) <= 100),
    CONSTRAINT ck_saved_searches_query CHECK (jsonb_typeof(query) = 'object'),
    CONSTRAINT ck_saved_searches_sort CHECK (
        sort IN ('newest', 'oldest', 'longest', 'shortest', 'title', 'recently_read'))
);
"""


def upgrade() -> None:
    op.execute(SAVED)
