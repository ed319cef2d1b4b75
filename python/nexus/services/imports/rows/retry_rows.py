"""Rows that failed are tried again: with the next batches of the import, which runs again."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.users import CurrentUser

# Feeds, and what could not be read in the file, would only fail again. An archive is kept while lines of it failed.
RETRY = text("""
    UPDATE import_rows SET outcome = NULL, code = NULL, message = NULL, applied_at = NULL
    FROM imports
    WHERE imports.id = import_id AND import_id = :import_id AND imports.user_id = :user_id
      AND outcome = 'failed'
      AND (record ->> 'kind' = 'item' OR (record ->> 'kind' = 'archive' AND imports.rows_sha256 IS NOT NULL))
""")


def retry_failed_rows(session: Session, user: CurrentUser, import_id: UUID) -> int:
    """How many wait again. The pages that could not be read are `lifecycle.retry_imported`'s."""
    values = {"import_id": import_id, "user_id": user.user_id}
    return int(session.execute(RETRY, values).rowcount)  # type: ignore[attr-defined] # an UPDATE has one
