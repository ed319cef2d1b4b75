"""When a server starts the process of the search index, and what it imports."""

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from nexus.db.session import Database
from nexus.services.search import index_child
from nexus.services.search.index_child import IndexChild
from nexus.services.search.index_folder import IndexFolder
from tests.lifecycle_steps import LifecycleSteps


def test_a_server_that_ends_soon_starts_none(
    database: Database, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its imports would need more processor time than anything else the server does."""
    asked = threading.Event()

    def folder(*_: Any) -> None:
        asked.set()
        raise OSError("not in this test")

    monkeypatch.setattr(index_child, "open_folder", folder)
    monkeypatch.setattr(index_child, "START_AFTER_SECONDS", 0.3)
    begun = time.monotonic()
    with IndexChild(database, data_dir):
        assert asked.wait(300)
    assert time.monotonic() - begun >= 0.3


def test_none_is_started_before_the_first_text_is_saved(
    database: Database, data_dir: Path, steps: LifecycleSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, started, has_work = threading.Semaphore(0), threading.Event(), IndexChild._has_work

    def look(child: IndexChild, folder: IndexFolder) -> bool:
        looks.release()
        return has_work(child, folder)

    def start(*_: Any, **__: Any) -> "subprocess.Popen[bytes]":
        started.set()
        raise OSError("not in this test")

    monkeypatch.setattr(index_child, "START_AFTER_SECONDS", 0.0)
    monkeypatch.setattr(IndexChild, "_has_work", look)
    monkeypatch.setattr("subprocess.Popen", start)
    with IndexChild(database, data_dir):
        for _ in range(2):
            assert looks.acquire(timeout=300), "it does not look again"
        assert not started.is_set(), "with nothing to index"
        steps.succeed_item(steps.save(steps.user()))
        assert started.wait(300), "with a text to index"


def test_the_process_imports_nothing_of_the_server_and_of_pages() -> None:
    """Every further module makes each start of a server slower."""
    said = subprocess.run(
        [sys.executable, "-c", "import sys, nexus.services.search.index_process; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    imported = {name.partition(".")[0] for name in said.stdout.split()}
    assert "tantivy" in imported
    assert not imported & {"fastapi", "starlette", "lxml", "PIL", "celery", "typer", "httpx2", "alembic", "obstore"}
