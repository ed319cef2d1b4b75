"""No search index, for changes of entries that are chosen by their ids."""

from pathlib import Path

from nexus.services.search.indexes import Indexes

NO_INDEXES = Indexes(Path("/nonexistent"))
