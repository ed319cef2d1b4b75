"""Who has the library open hears of episodes that come, change or go: they have no save that could tell"""

from alembic import op

revision = "0011"
down_revision = "0010"

# By row, but only for episodes: a save pays nothing. The same words in one transaction are told once.
NOTIFY_TRIGGERS = """
CREATE FUNCTION tell_of_episode() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('nexus_status', owner_user_id || ':' || 'shelf') FROM libraries
    WHERE id = coalesce(NEW.library_id, OLD.library_id);
    RETURN NULL;
END $$;
CREATE TRIGGER shelf_rings_for_new AFTER INSERT ON library_media FOR EACH ROW
    WHEN (NEW.kind = 'podcast_episode') EXECUTE FUNCTION tell_of_episode();
CREATE TRIGGER shelf_rings_for_changed AFTER UPDATE ON library_media FOR EACH ROW
    WHEN (NEW.kind = 'podcast_episode' AND NEW.status <> OLD.status) EXECUTE FUNCTION tell_of_episode();
CREATE TRIGGER shelf_rings_for_gone AFTER DELETE ON library_media FOR EACH ROW
    WHEN (OLD.kind = 'podcast_episode') EXECUTE FUNCTION tell_of_episode();
"""


def upgrade() -> None:
    op.execute(NOTIFY_TRIGGERS)
