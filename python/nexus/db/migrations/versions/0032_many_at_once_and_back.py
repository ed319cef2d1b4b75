"""Many entries can be changed at once, and that can be undone for an hour"""

from alembic import op

revision = "0032"
down_revision = "0031"

# The values from before, of the entries that were changed. `decided_at` is the time the change gave them: what was
# decided later is left alone.
UNDO = """
CREATE TABLE bulk_undos (
    id uuid CONSTRAINT pk_bulk_undos PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL CONSTRAINT fk_bulk_undos_user_id REFERENCES users ON DELETE CASCADE,
    decided_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL DEFAULT now() + interval '1 hour'
);
CREATE INDEX ix_bulk_undos_user_id ON bulk_undos (user_id);
CREATE INDEX ix_bulk_undos_expires_at ON bulk_undos (expires_at);

CREATE TABLE bulk_undo_entries (
    undo_id uuid NOT NULL CONSTRAINT fk_bulk_undo_entries_undo_id REFERENCES bulk_undos ON DELETE CASCADE,
    media_id uuid NOT NULL CONSTRAINT fk_bulk_undo_entries_media_id REFERENCES media ON DELETE CASCADE,
    part text NOT NULL,
    earlier timestamptz,
    earlier_read timestamptz,
    CONSTRAINT pk_bulk_undo_entries PRIMARY KEY (undo_id, media_id, part),
    CONSTRAINT ck_bulk_undo_entries_part CHECK (part IN ('read', 'archived', 'starred'))
);
CREATE INDEX ix_bulk_undo_entries_media_id ON bulk_undo_entries (media_id);

CREATE TABLE bulk_undo_tags (
    undo_id uuid NOT NULL CONSTRAINT fk_bulk_undo_tags_undo_id REFERENCES bulk_undos ON DELETE CASCADE,
    media_id uuid NOT NULL CONSTRAINT fk_bulk_undo_tags_media_id REFERENCES media ON DELETE CASCADE,
    tag_id uuid NOT NULL CONSTRAINT fk_bulk_undo_tags_tag_id REFERENCES tags ON DELETE CASCADE,
    was_set boolean NOT NULL,
    CONSTRAINT pk_bulk_undo_tags PRIMARY KEY (undo_id, media_id, tag_id)
);
CREATE INDEX ix_bulk_undo_tags_media_id ON bulk_undo_tags (media_id);
CREATE INDEX ix_bulk_undo_tags_tag_id ON bulk_undo_tags (tag_id);
"""


def upgrade() -> None:
    op.execute(UNDO)
