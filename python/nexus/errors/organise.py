"""Errors of tags, bulk changes, undo and saved searches."""

from nexus.errors.base import ConflictError, NexusError


class InvalidTagError(NexusError):
    status = 422
    code = "invalid_tag"


class TagExistsError(ConflictError):
    code = "tag_exists"


class TooManyTagsError(ConflictError):
    code = "too_many_tags"


class SearchExistsError(ConflictError):
    code = "search_exists"


class TooManySearchesError(ConflictError):
    code = "too_many_searches"


class ChangedSinceError(ConflictError):
    code = "changed_since"


class UndoExpiredError(NexusError):
    status = 410
    code = "undo_expired"
