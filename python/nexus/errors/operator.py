"""Errors of the operator's functions: corpus directories, feeds, configuration, jobs."""

from nexus.errors.base import NexusError


class InvalidCorpusPathError(NexusError):
    status = 400
    code = "invalid_corpus_path"


class OperatorRequiredError(NexusError):
    status = 403
    code = "operator_required"


class PreconditionFailedError(NexusError):
    """It was changed in the meantime."""

    status = 412
    code = "precondition_failed"


class RegistryBusyError(NexusError):
    status = 503
    code = "registry_busy"


class UnreadableRegistryError(NexusError):
    status = 409
    code = "unreadable_job_registry"


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
    """400 for a request; 409 for a file that is already on the disk."""

    status = 400
    code = "forbidden_operator_keys"


class ForbiddenOperatorFeedKeysError(ForbiddenOperatorKeysError):
    code = "forbidden_operator_feed_keys"


class UnreadableOperatorConfigError(NexusError):
    status = 409
    code = "unreadable_operator_config"
