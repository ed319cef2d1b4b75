"""Articles and episodes put into a user's library at once, without a site to fetch them from."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
from psycopg import Connection

from nexus.db.session import Database
from nexus.services import lifecycle
from nexus.services.audio import keep_audio
from nexus.services.lifecycle.episodes import EpisodeFragment
from nexus.services.saving import SaveContext, save_link
from nexus.services.users import CurrentUser
from nexus.store import BlobStore
from nexus.store.folder import FolderBackend
from nexus.text.canonical_text import canonicalize
from nexus.web.public_address import AllowList
from tests.episodes import save_episode
from tests.lifecycle_steps import LifecycleSteps, article
from tests.processes import TRUSTS_NOBODY, eventually


@dataclass
class UserLibrary:
    database: Database
    connection: Connection
    user: UUID
    id: UUID
    server: str

    def article(self, title: str, html: str, **values: Any) -> str:
        """Ready to read; its id. In one transaction, so that the server's worker never sees it in the queue."""
        facts = {"title": title, "word_count": len(html.split()), "site_name": "The Test Post"} | values
        page = article(f"https://example.org/{uuid4()}", canonicalize(html), html_sanitized=html, **facts)
        user = CurrentUser(self.user, self.id, is_operator=False)
        with self.database.transaction() as session:
            saved = save_link(session, user, SaveContext(AllowList(), 1, "test"), "https://example.org/")
            claim = lifecycle.claim_media(session, saved.media_id, worker_id=uuid4(), lease_seconds=30)
            assert claim is not None
            assert lifecycle.settle(session, [lifecycle.Succeeded(claim, page, ())], min_chars=0) == {claim: "won"}
        return str(saved.media_id)

    def new_version(self, media_id: str, html: str, *, origin: str = "fetched") -> None:
        """As a later reading of its page adds it."""
        steps, media = LifecycleSteps(self.database, self.connection), UUID(media_id)
        version, url, title, site_name = steps.row(
            "SELECT current_version, canonical_url, title, site_name FROM media WHERE id = :p0", media
        )
        facts = {"title": title, "site_name": site_name, "word_count": len(html.split()), "origin": origin}
        page = article(url, canonicalize(html), html_sanitized=html, **facts)
        assert steps.reread(media, page, version, min_chars=0) in ("better", "different")

    def episode(
        self,
        title: str,
        cues: Sequence[tuple[str, int | None, int | None]],
        *,
        chapters: Sequence[tuple[int, str, str | None]] = (),
        **values: Any,
    ) -> str:
        fragments = [EpisodeFragment(html, canonicalize(html), start, end) for html, start, end in cues]
        listed = [
            {"start_ms": start, "end_ms": None, "title": name, "url": url, "image": None}
            for start, name, url in chapters
        ]
        return str(save_episode(self.database, self.user, fragments, listed, title=title, **values))

    def wait_until_found(self, q: str, total: int) -> None:
        """The search index is a moment behind."""
        asked: dict[str, Any] = {"params": {"q": q}, "headers": {"X-User-Id": str(self.user)}, "timeout": 60}
        url = f"{self.server}/api/search"
        eventually(lambda: httpx2.get(url, **asked).raise_for_status().json()["total"] == total, f"{q} is not found")

    def keep_audio(self, media: str, audio: bytes, content_type: str, data_dir: Path) -> None:
        blob = BlobStore(FolderBackend(data_dir / "blobs"), self.database).put(audio)
        with self.database.transaction() as session:
            keep_audio(session, UUID(media), blob, content_type)


def library_of(database: Database, connection: Connection, server: str, user: UUID | None = None) -> UserLibrary:
    """After a first request, with which the server creates the user and their library."""
    user = user or uuid4()
    asked = httpx2.get(f"{server}/api/me", headers={"X-User-Id": str(user)}, timeout=60, verify=TRUSTS_NOBODY)
    me = asked.raise_for_status().json()
    return UserLibrary(database, connection, user, UUID(me["default_library_id"]), server)
