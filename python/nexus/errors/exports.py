"""Errors of exports: the files that a worker makes of a library."""

from nexus.errors.base import ConflictError, NexusError


class TooManyExportsError(ConflictError):
    code = "too_many_exports"


class ExportNotReadyError(ConflictError):
    code = "export_not_ready"


class ExportFolderError(ConflictError):
    """The folder for scheduled exports is not set, or cannot be written to."""

    code = "export_folder_unavailable"


class NoRoomForExportError(NexusError):
    status = 413
    code = "no_room_for_export"


class ExportStoppedError(NexusError):
    """Its user cancelled it, another worker has it, or this one stops."""

    code = "export_stopped"
