"""A server, and a worker's exporter that writes all that is due when it is told to."""

from collections.abc import Iterator, Mapping

import httpx2
import pytest

from nexus.config import Settings
from nexus.db.session import Database
from nexus.services.exports.formats.format import ExportFormat
from nexus.store import open_store
from nexus.worker.export_formats import open_formats
from tests.downloads.conftest import checks, download_server, http, picture_steps, save_text, settings, site
from tests.exports.exporting import Exports

__all__ = ["checks", "download_server", "http", "picture_steps", "save_text", "settings", "site"]


@pytest.fixture(scope="module")
def formats(settings: Settings, shared_database: Database) -> Iterator[Mapping[str, ExportFormat]]:
    with open_formats(settings, open_store(settings, shared_database)) as made:
        yield made


@pytest.fixture
def exports(
    http: httpx2.Client, database: Database, settings: Settings, formats: Mapping[str, ExportFormat]
) -> Exports:
    return Exports(http, database, settings, formats)
