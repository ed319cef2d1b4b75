"""The base class, and errors of the server, its database and requests."""

from typing import Any


class NexusError(Exception):
    """An error that a person can act on: the message says what happened and what to do."""

    status = 500
    code = "internal_error"

    def __init__(self, message: str, **extras: Any) -> None:
        super().__init__(message)
        self.message = message
        self.extras = extras


class ConfigError(NexusError):
    """A setting is missing or wrong; raised at start-up, never inside a request."""

    code = "bad_configuration"


class EmbeddedDatabaseError(NexusError):
    """The embedded PostgreSQL cannot be started."""

    code = "embedded_database"


class DatabaseUnavailableError(NexusError):
    status = 503
    code = "database_unavailable"


class SchemaOutdatedError(NexusError):
    status = 503
    code = "schema_outdated"


class BackupError(NexusError):
    code = "backup_failed"


class UnreadableInputError(NexusError):
    code = "unreadable_input"


class InvalidUserIdError(NexusError):
    status = 400
    code = "invalid_user_id"


class InvalidCursorError(NexusError):
    status = 400
    code = "invalid_cursor"


class InvalidQueryError(NexusError):
    status = 400
    code = "invalid_query"


class ForeignHostError(NexusError):
    status = 400
    code = "foreign_host"


class UnauthenticatedError(NexusError):
    status = 401
    code = "unauthenticated"


class ForeignOriginError(NexusError):
    status = 403
    code = "foreign_origin"


class RemoteDevAccessError(NexusError):
    status = 403
    code = "dev_mode_is_local"


class NotFoundError(NexusError):
    status = 404
    code = "not_found"


class AudioNotKeptError(NotFoundError):
    code = "audio_not_kept"


class RangeNotSatisfiableError(NexusError):
    status = 416
    code = "range_not_satisfiable"


class ConflictError(NexusError):
    status = 409
    code = "conflict"


class NotWaitingForTextError(ConflictError):
    code = "not_waiting_for_text"


class NothingToKeepError(ConflictError):
    code = "nothing_to_keep"


class RetryInvalidStateError(ConflictError):
    code = "retry_invalid_state"


class RetryExhaustedError(ConflictError):
    code = "retry_exhausted"


class NotFetchedFromWebError(ConflictError):
    code = "not_fetched_from_web"


class MediaNotReadyError(ConflictError):
    code = "media_not_ready"


class NothingToDownloadError(ConflictError):
    code = "nothing_to_download"


class OtherUserError(ConflictError):
    code = "other_user"


class MalformedRequestError(NexusError):
    status = 400
    code = "malformed_request"


class RequestTimeoutError(NexusError):
    status = 408
    code = "request_timeout"


class HeadersTooLargeError(NexusError):
    status = 431
    code = "headers_too_large"


class ServerBusyError(NexusError):
    status = 503
    code = "server_busy"


class BodyTooLargeError(NexusError):
    status = 413
    code = "body_too_large"


class TooManyStreamsError(NexusError):
    status = 429
    code = "too_many_streams"


class FetchedMomentsAgoError(NexusError):
    """`retry_after`: seconds until the next fetch is allowed."""

    status = 429
    code = "fetched_moments_ago"


class TooManyEntriesError(NexusError):
    status = 422
    code = "too_many_entries"


class BlankTextError(NexusError):
    status = 422
    code = "blank_text"
