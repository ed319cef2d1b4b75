"""Errors of archives of libraries."""

from nexus.errors.base import NexusError


class ArchiveError(NexusError):
    """The archive is incomplete, inconsistent or larger than the limits."""

    status = 422
    code = "archive_unreadable"


class ArchiveTooNewError(ArchiveError):
    code = "archive_too_new"


class DamagedManifestError(ArchiveError):
    """It says that it is an archive, and what follows cannot be used."""


class RestoreStoppedError(NexusError):
    """Within a worker: the import was paused or cancelled, or another worker is at it."""

    code = "restore_stopped"


class InvalidRecordError(ArchiveError):
    """One line of it. The others are restored."""

    code = "archive_invalid_record"
