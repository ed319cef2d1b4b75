"""Media written straight into a user's library: what would take long to save, or needs other sites."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx2
from psycopg import Connection
from psycopg.types.json import Jsonb

from nexus.text.canonical_text import canonicalize
from tests import factories
from tests.processes import eventually


@dataclass
class UserLibrary:
    connection: Connection
    user: UUID
    id: UUID

    def article(self, title: str, html: str, **values: Any) -> str:
        """Ready to read; returns its id."""
        facts = {"title": title, "word_count": len(html.split()), "site_name": "The Test Post"} | values
        return self._add([(html, None, None)], kind="web_article", **facts)

    def episode(
        self,
        title: str,
        cues: Sequence[tuple[str, int | None, int | None]],
        *,
        chapters: Sequence[tuple[int, str, str | None]] = (),
        **values: Any,
    ) -> str:
        media = self._add(cues, kind="podcast_episode", title=title, **values)
        listed = [
            {"start_ms": start, "end_ms": None, "title": name, "url": url, "image": None}
            for start, name, url in chapters
        ]
        feed = factories.podcast(self.connection, feed_url=f"https://show.example/{media}")
        factories.episode(self.connection, feed, media_id=media, chapters=Jsonb(listed))
        return media

    def wait_until_searchable(self) -> None:
        """The worker indexes them: they were not added by the services that do it at once."""
        waiting = "SELECT count(*) FROM search_waiting JOIN library_media USING (media_id) WHERE library_id = %s"
        done = lambda: self.connection.execute(waiting, [self.id]).fetchone() == (0,)  # noqa: E731
        eventually(done, "not indexed")

    def _add(self, fragments: Sequence[tuple[str, int | None, int | None]], **values: Any) -> str:
        with self.connection.transaction():  # a ready media without its text is refused
            media = factories.media(
                self.connection, processing_status="ready_for_reading", processing_completed_at="now", **values
            )
            for index, (html, start, end) in enumerate(fragments):
                facts = {"html_sanitized": html, "canonical_text": canonicalize(html), "start_ms": start, "end_ms": end}
                factories.fragment(self.connection, media, idx=index, **facts)
            factories.insert(self.connection, "library_media", library_id=self.id, media_id=media)
            if values["kind"] == "web_article":
                self._save(media, values["title"])
        return str(media)

    def _save(self, media: UUID, title: str) -> None:
        facts = {"status": "succeeded", "final_text_source": "extracted_from_url"}
        factories.item(self.connection, user_id=self.user, media_id=media, title=title, **facts)


def library_of(connection: Connection, server: str, user: UUID | None = None) -> UserLibrary:
    """After a first request, with which the server creates the user and their library."""
    user = user or uuid4()
    me = httpx2.get(f"{server}/api/me", headers={"X-User-Id": str(user)}).raise_for_status().json()
    return UserLibrary(connection, user, UUID(me["default_library_id"]))
