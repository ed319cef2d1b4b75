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


class YamlDocumentError(ConfigError):
    """A YAML file cannot be read as one; says the line."""

    status = 422
    code = "invalid_yaml"


class FeedsSpecError(ConfigError):
    """A list of feeds is wrong; says the file, the entry and the key."""

    status = 400
    code = "invalid_feeds_spec"


class PodcastConfigError(ConfigError):
    """The podcast configuration is wrong; says the file and the key."""

    status = 422
    code = "invalid_podcast_config"


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


class InvalidCursorError(NexusError):
    status = 400
    code = "invalid_cursor"


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


class NotWaitingForTextError(ConflictError):
    code = "not_waiting_for_text"


class RetryInvalidStateError(ConflictError):
    code = "retry_invalid_state"


class RetryExhaustedError(ConflictError):
    code = "retry_exhausted"


class MediaNotReadyError(ConflictError):
    code = "media_not_ready"


class BodyTooLargeError(NexusError):
    status = 413
    code = "body_too_large"


class TooManyStreamsError(NexusError):
    status = 429
    code = "too_many_streams"


class BlankTextError(NexusError):
    status = 422
    code = "blank_text"


# Egress: why a request to the outside came to nothing. Receipts show these codes.


class EgressError(NexusError):
    status = 502
    retryable = False

    def __init__(
        self,
        message: str,
        *,
        retryable: bool | None = None,
        retry_after: float | None = None,
        http_status: int | None = None,
        final_url: str | None = None,
    ) -> None:
        super().__init__(message)
        if retryable is not None:
            self.retryable = retryable
        self.retry_after = retry_after
        self.http_status = http_status
        self.final_url = final_url


class InvalidUrlError(EgressError):
    status = 400
    code = "invalid_url"


class BlockedAddressError(EgressError):
    """The address is one this machine must not be made to call: private, loopback, link-local, reserved."""

    status = 400
    code = "blocked_address"


class FetchTimeoutError(EgressError):
    status = 504
    code = "timeout"
    retryable = True


class ConnectionFailedError(EgressError):
    code = "connection_error"
    retryable = True


class TlsError(EgressError):
    code = "tls_error"


class TooManyRedirectsError(EgressError):
    code = "too_many_redirects"


class MaxBytesError(EgressError):
    code = "max_bytes_exceeded"


class NonHtmlError(EgressError):
    code = "non_html"


class HttpStatusError(EgressError):
    """The site answered with a failure. Walls come this way too, so what it sent is kept for whoever judges it."""

    def __init__(
        self,
        message: str,
        *,
        http_status: int,
        retry_after: float | None = None,
        final_url: str | None = None,
        body: bytes = b"",
        content_type: str | None = None,
    ) -> None:
        again = http_status in (408, 429) or http_status >= 500  # noqa: PLR2004
        super().__init__(
            message, retryable=again, retry_after=retry_after, http_status=http_status, final_url=final_url
        )
        self.code = f"http_{http_status}"
        self.body = body
        self.content_type = content_type


class HostPausedError(HttpStatusError):
    """The site asked for a pause that is not over: it was not asked at all, and nobody's attempt is used up."""


class RenderFailedError(EgressError):
    """The browser could not show the page."""

    code = "render_failed"


class RenderTimeoutError(EgressError):
    status = 504
    code = "render_timeout"
    retryable = True


# Podcasts


class CircuitOpenError(EgressError):
    """The feed or host kept failing and is left alone for a while."""

    code = "circuit_open"
    retryable = True


class RunStoppedError(NexusError):
    """The run was told to stop; what it has not finished waits for the next one."""

    code = "stopped"


class NotAFeedError(NexusError):
    """The bytes behind a feed's address are no feed."""

    code = "not_a_feed"


class UnreadableTranscriptError(NexusError):
    code = "unreadable_transcript"


class NoTranscriptError(NexusError):
    """The publisher has no transcript, and making one was not asked for or not possible."""

    code = "no_transcript"


class UnreadableAudioError(NexusError):
    code = "unreadable_audio"


class TranscriptionUnavailableError(NexusError):
    """Transcripts are to be made, and what makes them is missing here."""

    code = "transcription_unavailable"


class TranscriptionFailedError(NexusError):
    code = "transcription_failed"


class CorpusBusyError(NexusError):
    status = 409
    code = "corpus_busy"


# Pictures: what the image proxy can say. Never the address, nor why our own rules refused it.


class ImageError(NexusError):
    pass


class ImageUnavailableError(ImageError):
    status = 502
    code = "image_unavailable"


class ImageTimeoutError(ImageError):
    status = 504
    code = "image_timeout"


class ImageTooLargeError(ImageError):
    status = 413
    code = "image_too_large"


class NotAnImageError(ImageError):
    status = 415
    code = "not_an_image"


# Text: what a hostile page can do to the pure functions, each with its own name.


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


# The operator's side: corpus directories, feeds, configuration, jobs.


class InvalidCorpusPathError(NexusError):
    status = 400
    code = "invalid_corpus_path"


class OperatorRequiredError(NexusError):
    status = 403
    code = "operator_required"


class PreconditionFailedError(NexusError):
    """Somebody else changed it in the meantime."""

    status = 412
    code = "precondition_failed"


class RegistryBusyError(NexusError):
    status = 503
    code = "registry_busy"


class CorpusWriteError(NexusError):
    status = 503
    code = "corpus_not_writable"


class DiskFullError(NexusError):
    status = 507
    code = "disk_full"


class MissingInstallExtrasError(NexusError):
    status = 400
    code = "pipeline_install_extras_required"


class UnreadableFeedsError(NexusError):
    status = 409
    code = "unreadable_feeds"


class ForbiddenOperatorKeysError(NexusError):
    """400 for what somebody sends; 409 for what already lies on the disk."""

    status = 400
    code = "forbidden_operator_keys"


class ForbiddenOperatorFeedKeysError(ForbiddenOperatorKeysError):
    code = "forbidden_operator_feed_keys"


class UnreadableOperatorConfigError(NexusError):
    status = 409
    code = "unreadable_operator_config"
