"""Errors of reading the exports of other programs."""

from nexus.errors.base import NexusError


class ImportNotRecognisedError(NexusError):
    """The files are not an export of any program that we know."""

    status = 422
    code = "import_not_recognised"


class ImportEmptyError(NexusError):
    """The export was recognised and nothing is in it."""

    status = 422
    code = "import_empty"


class ImportTooLargeError(NexusError):
    """Reading it takes more memory or time than one import may have."""

    status = 422
    code = "import_too_large"


class UnreadableDocumentError(NexusError):
    """One file of an export cannot be read, or not to its end; the others can."""

    status = 422
    code = "unreadable_file"
