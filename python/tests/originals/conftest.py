"""Saved pages with their originals, a store in a folder, and what moves the one into the other."""

from pathlib import Path

import pytest

from nexus.config import load_settings
from nexus.db.session import Database
from nexus.store import BlobStore, open_store
from tests.lifecycle_steps import LifecycleSteps
from tests.originals.saved_originals import SavedOriginals


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the store."""
    return tmp_path / "blobs"


@pytest.fixture
def store(folder: Path, database: Database) -> BlobStore:
    return open_store(load_settings(store=f"file:{folder}", data_dir=folder.parent), database)


@pytest.fixture
def saved(steps: LifecycleSteps, store: BlobStore) -> SavedOriginals:
    return SavedOriginals(steps, store)
