"""Steps of the tests of exports: ask for one, let a worker write it, download it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2

from nexus.config import Settings
from nexus.db.session import Database
from nexus.services.exports.export_run import ExportDestinations
from nexus.services.exports.formats.format import ExportFormat
from nexus.services.search.indexes import Indexes
from nexus.store import open_store
from nexus.worker.background import Background
from nexus.worker.exporter import Exporter
from tests.api.saving import ALICE, as_user

DAY = 86_400


@dataclass
class Exports:
    http: httpx2.Client
    database: Database
    settings: Settings
    formats: Mapping[str, ExportFormat]
    folder: Path | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def worker(self, **options: Any) -> tuple[Background, Exporter]:
        background = Background(poll_seconds=0.05)
        store = open_store(self.settings, self.database)
        values: dict[str, Any] = {"bytes_per_user": 0, "lease_seconds": 120, "formats": self.formats} | options
        destinations = ExportDestinations(store, self.scratch, self.folder, values.pop("bytes_per_user"))
        values |= {"indexes": Indexes(self.settings.data_dir), "keep_seconds": DAY, "wake": background.wake}
        exporter = Exporter(destinations, values.pop("formats"), **values)
        background.add(exporter)
        return background, exporter

    @property
    def scratch(self) -> Path:
        return self.settings.data_dir / "exports"

    def work(self, **options: Any) -> None:
        """Writes all exports that are due."""
        background, _ = self.worker(**options)
        background.drain(lambda: False)
        background.stop(60)

    def ask(self, format: str, *, user: UUID = ALICE, **chosen: Any) -> str:  # noqa: A002
        response = self.http.post("/api/exports", json={"format": format, **chosen}, headers=as_user(user))
        assert response.status_code == 202, response.text
        assert response.json()["status"] == "queued"
        made: str = response.json()["id"]
        return made

    def get(self, export_id: str, user: UUID = ALICE) -> dict[str, Any]:
        response = self.http.get(f"/api/exports/{export_id}", headers=as_user(user))
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def download(self, export_id: str, user: UUID = ALICE, headers: Mapping[str, str] = {}) -> httpx2.Response:
        return self.http.get(f"/api/exports/{export_id}/download", headers=as_user(user) | dict(headers))

    def file(self, format: str, *, user: UUID = ALICE, **chosen: Any) -> bytes:  # noqa: A002
        """The file of a new export, which is written and downloaded."""
        made = self.ask(format, user=user, **chosen)
        self.work()
        export = self.get(made, user)
        assert export["status"] == "finished", export
        response = self.download(made, user)
        assert response.status_code == 200, response.text
        assert len(response.content) == export["size"]
        return response.content

    def highlight(self, media_id: str, start: int, end: int, **facts: Any) -> str:
        place = {"start": {"fragment_idx": 0, "offset": start}, "end": {"fragment_idx": 0, "offset": end}}
        response = self.http.post(f"/media/{media_id}/highlights", json={"version": 1} | place | facts)
        assert response.is_success, response.text
        made: str = response.json()["data"]["id"]
        return made
