"""Archives that are uploaded as imports, through the API, and the worker that restores them."""

import io
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from sqlalchemy import func

from nexus.db.models import Import
from nexus.services.archives.archive_file import ArchiveFile
from nexus.services.archives.restore import RestoreResources
from nexus.services.users import ensure_user
from nexus.store.rows import keep_blob
from nexus.web.public_address import AllowList
from nexus.worker.archive_restorer import ArchiveRestorer
from nexus.worker.importer import Importer
from tests.api.saving import as_user


class Imports:
    """A user at the server that `client` talks to, and its worker."""

    def __init__(self, http: httpx2.Client, resources: RestoreResources, scratch: Path) -> None:
        self.http, self.resources, self.scratch = http, resources, scratch
        self.user = UUID(int=0)

    def worker(self) -> ArchiveRestorer:
        return ArchiveRestorer(self.resources, self.scratch)

    def work(self) -> None:
        worker = self.worker()
        while worker.step():
            pass
        worker.stop(0)

    def upload(self, content: bytes) -> httpx2.Response:
        files = [("files", ("library.zip", content))]
        return self.http.post("/api/imports", files=files, headers=as_user(self.user))

    def post(self, made: dict[str, Any], verb: str) -> httpx2.Response:
        return self.http.post(f"/api/imports/{made['id']}/{verb}", headers=as_user(self.user))

    def get(self, made: dict[str, Any], path: str = "") -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"/api/imports/{made['id']}{path}", headers=as_user(self.user)).json()
        return found

    def start(self, content: bytes) -> dict[str, Any]:
        made: dict[str, Any] = self.upload(content).json()
        assert self.post(made, "start").status_code == 200
        return made

    def rows(self, made: dict[str, Any], outcome: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(made, f"/rows?outcome={outcome}" if outcome else "/rows")["rows"]
        return found

    def begin(self, content: bytes) -> dict[str, Any]:
        """The same as `start` without the preview, which needs a process."""
        blob = self.resources.store.put(content)
        with ArchiveFile(io.BytesIO(content)) as archive, self.resources.database.transaction() as session:
            ensure_user(session, self.user)
            keep_blob(session, blob)
            made = Import(
                user_id=self.user, source="nexus", label="Nexus archive", files=[], rows_sha256=blob.sha256,
                total=archive.count, summary={"is_operator": True}, status="running", started_at=func.now(),
            )  # fmt: skip
            session.add(made)
            session.flush()
            return {"id": str(made.id)}

    def restore(self, content: bytes) -> dict[str, Any]:
        made = self.begin(content)
        self.work()
        return self.get(made)

    def undo(self, made: dict[str, Any]) -> None:
        assert self.post(made, "undo").json()["status"] == "undoing"
        importer = Importer(self.resources.database, self.resources.store, allow=AllowList(), max_attempts=1)
        while importer.step():
            pass
        assert self.get(made)["status"] == "undone"
