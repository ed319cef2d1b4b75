"""Errors of the store, which holds originals, pictures and audio. Messages are for users of the library; the store's
location is only in the operator's view and in the log."""

from nexus.errors.base import NexusError


class StoreError(NexusError):
    status = 503
    code = "store_unavailable"


class StoreUnavailableError(StoreError):
    """The folder is not mounted, or the S3 server does not respond or refuses access. Work that needs the store is
    retried later."""


class StoreBusyError(StoreError):
    """A backup, a collection or a check is running on the store."""

    status = 409
    code = "store_busy"


class StoreExistsError(StoreError):
    """There is a store already where a new one was to be created."""

    status = 409
    code = "store_begun"


class StoreFullError(StoreError):
    status = 507
    code = "store_full"


class BlobTooLargeError(StoreError):
    status = 413
    code = "blob_too_large"


class BlobMissingError(StoreError):
    status = 500
    code = "blob_missing"


class BlobDamagedError(StoreError):
    status = 500
    code = "blob_damaged"
