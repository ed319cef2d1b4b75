"""Errors of the text functions on hostile pages."""

from nexus.errors.base import NexusError


class UnparsableHtmlError(NexusError):
    """The page has no HTML that can be read."""

    status = 422
    code = "unparsable_html"


class SanitizationError(NexusError):
    code = "E_SANITIZATION_FAILED"


class ProcessPoolError(NexusError):
    """One call in the process pool failed; the pool itself goes on."""

    code = "text_failed"


class TextTimeoutError(ProcessPoolError):
    code = "text_timeout"


class TextMemoryError(ProcessPoolError):
    code = "text_out_of_memory"


class TextCrashError(ProcessPoolError):
    code = "text_crash"


class DamagedOriginalError(NexusError):
    """The file of an original is not what was written."""

    code = "original_damaged"


class NoOriginalError(NexusError):
    """The media is there, and what it was read from was not kept."""

    status = 404
    code = "no_original"
