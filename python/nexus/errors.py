"""The error tree. Each leaf carries the HTTP status and the code a client sees. Imports nothing of ours."""

from typing import Any


class NexusError(Exception):
    """Something a person can act on: the message says what happened and what to do."""

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
    """The PostgreSQL that Nexus brings along cannot be started."""

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


class ForeignHostError(NexusError):
    status = 400
    code = "foreign_host"


class UnauthenticatedError(NexusError):
    status = 401
    code = "unauthenticated"


class ForeignOriginError(NexusError):
    status = 403
    code = "foreign_origin"


class NotFoundError(NexusError):
    status = 404
    code = "not_found"


class ConflictError(NexusError):
    status = 409
    code = "conflict"


class BodyTooLargeError(NexusError):
    status = 413
    code = "body_too_large"


class BlankTextError(NexusError):
    status = 422
    code = "blank_text"


# Text: what a hostile page or address can do to the pure functions, each with its own name.


class InvalidUrlError(NexusError):
    status = 400
    code = "invalid_url"


class BlockedAddressError(NexusError):
    """The address is one this machine must not be made to call: private, loopback, link-local, reserved."""

    status = 400
    code = "blocked_address"


class UnparsableHtmlError(NexusError):
    """The page holds no HTML that can be read."""

    status = 422
    code = "unparsable_html"


class SanitizationError(NexusError):
    code = "E_SANITIZATION_FAILED"


class TextPoolError(NexusError):
    """One call in the text pool came to nothing; the pool itself lives on."""

    code = "text_failed"


class TextTimeoutError(TextPoolError):
    code = "text_timeout"


class TextMemoryError(TextPoolError):
    code = "text_out_of_memory"


class TextCrashError(TextPoolError):
    code = "text_crash"
