"""Any exception as an error with a code, for the summary and the incidents."""

from sqlalchemy.exc import SQLAlchemyError

from nexus.errors import DatabaseUnavailableError, NexusError, UnreadableInputError
from nexus.logging import get_logger

log = get_logger(__name__)


def as_failure(error: Exception) -> NexusError:
    if isinstance(error, NexusError):
        return error
    if isinstance(error, SQLAlchemyError):
        return DatabaseUnavailableError(f"The library cannot be written: {type(error).__name__}.")
    if isinstance(error, OSError):
        return UnreadableInputError(f"{error.filename or 'The corpus'}: {error.strerror or error}.")
    log.error("unexpected failure of an episode or feed", exc_info=error)
    return NexusError(f"An unexpected {type(error).__name__}; see the log.")
