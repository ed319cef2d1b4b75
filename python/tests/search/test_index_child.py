"""When a server starts the process of the search index."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from nexus.db.session import Database
from nexus.services.search import index_child
from nexus.services.search.index_child import IndexChild


def test_a_server_that_ends_soon_starts_none(
    database: Database, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its imports would take more time of the processor than all else that the server does."""
    asked = threading.Event()

    def folder(*_: Any) -> None:
        asked.set()
        raise OSError("not in this test")

    monkeypatch.setattr(index_child, "open_folder", folder)
    monkeypatch.setattr(index_child, "START_AFTER_SECONDS", 0.3)
    begun = time.monotonic()
    with IndexChild(database, data_dir):
        assert asked.wait(60)
    assert time.monotonic() - begun >= 0.3
