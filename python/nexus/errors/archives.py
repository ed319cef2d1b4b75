"""Errors of archives of libraries."""

from nexus.errors.base import NexusError


class ArchiveError(NexusError):
    """It is not whole, not what it says it is, or more than may be read."""

    status = 422
    code = "archive_unreadable"


class ArchiveTooNewError(ArchiveError):
    code = "archive_too_new"


class InvalidRecordError(ArchiveError):
    """One line of it. The others are restored."""

    code = "archive_invalid_record"
