"""Errors of the search index."""

from nexus.errors.base import NexusError


class BrokenIndexError(NexusError):
    """Its files are damaged, foreign or cannot be written: it is rebuilt."""

    status = 503
    code = "search_index_unavailable"


class IndexBuildingError(NexusError):
    """What a search finds is to be changed or downloaded as a whole, but not all of it can be found yet."""

    status = 503
    code = "search_index_building"
