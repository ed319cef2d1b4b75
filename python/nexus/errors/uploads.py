"""Errors of uploads, and of what may be done with an import."""

from nexus.errors.base import ConflictError, NexusError


class InvalidUploadError(NexusError):
    status = 422
    code = "invalid_upload"


class UploadInterruptedError(NexusError):
    """The client disconnected during the upload, so only the log shows this error."""

    status = 400
    code = "upload_interrupted"


class TooManyUploadsError(NexusError):
    status = 429
    code = "too_many_uploads"


class ImportInvalidStateError(ConflictError):
    code = "import_invalid_state"


class TooManyImportsError(ConflictError):
    code = "too_many_imports"


class ImportUnreadableError(NexusError):
    """Recognised, but too large or too damaged to be read within the limits."""

    status = 422
    code = "import_unreadable"


class DamagedImportFileError(NexusError):
    """The file of rows that an upload was read into is damaged or gone."""

    code = "import_damaged"
