"""What came from a person is never a version of a text that others have"""

from alembic import op

revision = "0023"
down_revision = "0022"

# Only for these origins, so that a page that was fetched pays nothing.
PRIVATE = """
CREATE FUNCTION refuse_private_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM media WHERE id = NEW.media_id AND owner_user_id IS NULL) THEN
        RAISE EXCEPTION 'a text from a person is no version of what others have'
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER media_versions_from_people_are_private BEFORE INSERT ON media_versions FOR EACH ROW
    WHEN (NEW.origin IN ('pasted', 'captured', 'uploaded')) EXECUTE FUNCTION refuse_private_version();
"""


def upgrade() -> None:
    op.execute(PRIVATE)
