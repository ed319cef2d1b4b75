"""Pictures of what cannot be read are settled, and of an episode's chapters the first 1 000 count, as of a text"""

from alembic import op

revision = "0030"
down_revision = "0029"

# Only pictures of readable media are claimed: the others stayed due for ever, at the head of their user's queue, where
# each claim looked at them again. A picture of a text that is read after all is looked for again by its trigger; that
# of the card too, also where its address stays the same.
UNREADABLE = """
CREATE FUNCTION settle_pictures_of_failed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE media_images SET state = 'gone', reason = 'unreachable', due_at = NULL, settled_at = now(),
        claimed_by = NULL, claimed_at = NULL, lease_until = NULL
    WHERE media_id = NEW.id AND due_at IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER keep_pictures_settled AFTER UPDATE OF processing_status ON media FOR EACH ROW
    WHEN (NEW.processing_status = 'failed' AND OLD.processing_status <> 'failed')
    EXECUTE FUNCTION settle_pictures_of_failed();
CREATE TRIGGER keep_lead_picture_of_read AFTER UPDATE OF processing_status ON media FOR EACH ROW
    WHEN (NEW.processing_status = 'ready_for_reading' AND OLD.processing_status <> 'ready_for_reading'
          AND NEW.lead_image_url IS NOT NULL AND NEW.lead_image_url IS NOT DISTINCT FROM OLD.lead_image_url)
    EXECUTE FUNCTION note_lead_picture();

UPDATE media_images SET state = 'gone', reason = 'unreachable', due_at = NULL, settled_at = now(),
    claimed_by = NULL, claimed_at = NULL, lease_until = NULL
FROM media WHERE media.id = media_images.media_id AND media.processing_status = 'failed' AND due_at IS NOT NULL;
"""
CHAPTERS = """
CREATE OR REPLACE FUNCTION note_pictures_of_chapters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_pictures(NEW.media_id, array_agg(url), array_agg(place)) FROM (
        SELECT chapter ->> 'image' AS url, min(place)::integer AS place
        FROM jsonb_array_elements(NEW.chapters) WITH ORDINALITY AS chapters (chapter, place)
        WHERE chapter ->> 'image' IS NOT NULL GROUP BY url ORDER BY place LIMIT 1000
    ) AS pictures;
    RETURN NULL;
END $$;
"""


def upgrade() -> None:
    op.execute(UNREADABLE)
    op.execute(CHAPTERS)
