"""What is unread or has no text is listed quickly in every order, and changing an entry asks for no owner again"""

from alembic import op

revision = "0038"
down_revision = "0037"

# In these orders most of it comes after everything that was read, or that has a length.
INDEXES = """
CREATE INDEX ix_library_media_unread_by_reading
    ON library_media (library_id, is_archived, status, read_order, media_id)
    WHERE status <> 'succeeded' OR read_at IS NULL;
CREATE INDEX ix_library_media_unready_by_length
    ON library_media (library_id, is_archived, status, reading_seconds, media_id)
    WHERE status <> 'succeeded';
"""

# Counting in an index is quick where no row has to be looked at: where they were vacuumed since they changed. By itself
# PostgreSQL does that only once a fifth of a table, of all libraries together, has changed.
VACUUM = """
ALTER TABLE library_media SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE entry_tags SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
"""

# Who may have a private text is asked when an entry comes, not with each change of its state.
PRIVATE = """
CREATE OR REPLACE TRIGGER library_media_pastes_are_private BEFORE INSERT OR UPDATE OF library_id, media_id
    ON library_media FOR EACH ROW EXECUTE FUNCTION refuse_foreign_paste_in_library();
"""


def upgrade() -> None:
    op.execute("SET LOCAL statement_timeout = 0")  # of a large library an index takes longer than a statement may
    op.execute(INDEXES)
    op.execute(VACUUM)
    op.execute(PRIVATE)
