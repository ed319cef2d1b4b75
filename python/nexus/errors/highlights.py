"""Errors of highlights."""

from nexus.errors.base import ConflictError, NexusError


class TextMovedError(ConflictError):
    code = "text_moved"


class TooManyHighlightsError(ConflictError):
    code = "too_many_highlights"


class HighlightExistsError(ConflictError):
    code = "highlight_exists"


class HighlightDeletedError(NexusError):
    status = 410
    code = "highlight_deleted"


class InvalidRangeError(NexusError):
    status = 422
    code = "invalid_range"


class InvalidDayError(NexusError):
    status = 422
    code = "invalid_day"
