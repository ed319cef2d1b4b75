"""Libraries for the tests of archives: as plain rows, chosen by a random number generator, with everything there is."""

import hashlib
import io
import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from PIL import Image
from psycopg import Connection

from nexus.services.highlights.text_search import words_of
from nexus.services.library.tag_names import read_tag_name
from nexus.store import Blob, BlobStore
from nexus.text.canonical_text import canonicalize
from nexus.text.originals.original_file import OriginalFacts, pack
from nexus.text.sanitize import sanitize_html
from tests.factories import insert

WORDS = [
    "harbour",
    "lantern",
    "Größe",
    "été",
    "naïve",
    "東京",
    "😀",
    "rain",
    "ledger",
    "quiet",
    "copper",
    "<b>bold</b>",
    "&",
    "'quoted'",
    "\\",
    '"said"',
]
COLORS = ["yellow", "green", "blue", "pink"]
START = datetime(2024, 1, 1, tzinfo=UTC)


class LibraryMaker:
    """One user's library in a database and its store. All choices are made by `random`."""

    def __init__(self, connection: Connection, store: BlobStore, user: UUID, random: Random) -> None:
        self.connection, self.store, self.user, self.random = connection, store, user, random
        self.library = insert(
            connection, "libraries", id=self.uuid(), owner_user_id=user, name="My Library", is_default=True
        )
        self.tags: list[UUID] = []
        self.highlights: list[UUID] = []

    def uuid(self) -> UUID:
        return UUID(int=self.random.getrandbits(128), version=4)

    def time(self) -> datetime:
        return START + timedelta(seconds=self.random.randrange(60_000_000), microseconds=self.random.randrange(10**6))

    def maybe(self, value: Any) -> Any:
        return value if self.random.random() < 0.5 else None

    def phrase(self, most: int = 12) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, most)))

    def add_tags(self, count: int) -> None:
        for number in range(count):
            name = read_tag_name(f"Tag {number}/{self.phrase(2).replace('/', '')}"[:100])
            self.tags.append(
                insert(
                    self.connection, "tags", id=self.uuid(), user_id=self.user, name=name.name, name_key=name.key,
                    color=self.maybe("teal"), created_at=self.time(),
                )
            )  # fmt: skip

    def add_searches(self, count: int) -> None:
        for number in range(count):
            insert(
                self.connection, "saved_searches", id=self.uuid(), user_id=self.user, name=f"Search {number}",
                query=json.dumps({"q": self.phrase(), "unread": True}), sort="newest", position=number,
                created_at=self.time(),
            )  # fmt: skip

    def add_article(self, **values: Any) -> UUID:
        """An article that was read: shared, with versions, originals and pictures."""
        made = self.time()
        picture_url = f"https://pictures.example/{self.uuid()}.png"
        known: dict[str, Any] = {
            "id": self.uuid(), "kind": "web_article", "created_by_user_id": self.user,
            "requested_url": f"https://example.org/{self.uuid()}?utm=1", "title": self.maybe(self.phrase()),
            "canonical_url": f"https://example.org/{self.uuid()}", "byline": self.maybe(self.phrase()),
            "lang": self.maybe("de"), "published_at": self.maybe(self.time()), "word_count": 200,
            "lead_image_url": self.maybe(picture_url), "processing_status": "ready_for_reading",
            "processing_attempts": 1, "processing_started_at": made, "processing_completed_at": made,
            "created_at": made, "updated_at": made, "excerpt": self.maybe(self.phrase()),
        }  # fmt: skip
        known |= values
        versions = self.random.randint(1, 3)
        media = insert(self.connection, "media", **known, current_version=versions)
        for version in range(1, versions + 1):
            self.add_version(media, version, made, pictures=[picture_url, f"https://pictures.example/{version}.png"])
        self.settle_pictures(media)
        return media

    def add_version(
        self,
        media: UUID,
        version: int,
        at: datetime,
        *,
        origin: str = "fetched",
        pictures: Any = (),
        times: bool = False,
    ) -> None:
        insert(
            self.connection, "media_versions", media_id=media, version=version, origin=origin,
            extractor=self.maybe(3), title=self.phrase(), word_count=200, created_at=at,
        )  # fmt: skip
        for idx in range(self.random.randint(1, 3)):
            images = "".join(f'<img src="{url}" alt="A">' for url in pictures)
            html = sanitize_html(f"<h2>{idx}</h2><p>{self.phrase(60)}</p>{images}<pre>a\n b</pre>", "https://e.org/")
            insert(
                self.connection, "fragments", id=self.uuid(), media_id=media, version=version, idx=idx,
                html_sanitized=html, canonical_text=canonicalize(html), created_at=at,
                start_ms=idx * 1000 if times else None, end_ms=idx * 1000 + 900 if times else None,
            )  # fmt: skip
        if origin == "fetched":
            self.add_original(media, version)

    def add_original(self, media: UUID, version: int) -> None:
        content = pack(f"<p>{media} {version}</p>".encode(), OriginalFacts("fetched", url="https://example.org/"))
        values: dict[str, Any] = {"read_with": 2, "fetched_for": self.user, "is_direct": self.random.random() < 0.5}
        kind = self.random.randrange(3)
        if kind == 0:
            values |= {"missing": "too_large"}
        elif kind == 1:
            values |= {"content": content, "size": len(content)}
        else:
            values |= {"sha256": self.put(content).sha256, "size": len(content), "reread_result": self.maybe("same")}
        insert(self.connection, "originals", media_id=media, version=version, **values)

    def put(self, content: bytes) -> Blob:
        return self.store.put(content)

    def settle_pictures(self, media: UUID) -> None:
        rows = self.connection.execute("SELECT url FROM media_images WHERE media_id = %s ORDER BY url", [media])
        for (url,) in rows.fetchall():
            state = self.random.choice(["kept", "gone", "refused", "pending"])
            values: dict[str, Any] = {"state": state, "due_at": None, "settled_at": self.time(), "attempts": 1}
            if state == "kept":
                content = picture(self.random.randint(1, 60), self.random.randint(1, 60))
                values |= {"sha256": self.put(content[0]).sha256, "size": len(content[0]), "content_type": "image/png",
                           "width": content[1], "height": content[2]}  # fmt: skip
            elif state != "pending":
                values["reason"] = "http_404" if state == "gone" else "not_an_image"
            else:
                values |= {"due_at": self.time(), "settled_at": None}
            columns = ", ".join(f"{name} = %({name})s" for name in values)
            self.connection.execute(
                f"UPDATE media_images SET {columns} WHERE media_id = %(media)s AND url = %(url)s",
                values | {"media": media, "url": url},
            )

    def add_paste(self) -> UUID:
        made = self.time()
        media = insert(
            self.connection, "media", id=self.uuid(), kind="pasted_text", owner_user_id=self.user,
            created_by_user_id=self.user, title=self.phrase(), processing_status="ready_for_reading",
            processing_completed_at=made, current_version=1, created_at=made, updated_at=made, word_count=9,
        )  # fmt: skip
        self.add_version(media, 1, made, origin="pasted")
        item = self.add_item(media, source_type="pasted_text", requested_url=None, status="succeeded", url_key=None,
                             final_text_source="user_pasted_text")  # fmt: skip
        insert(
            self.connection,
            "item_pastes",
            item_id=item,
            user_pasted_text=self.phrase(),
            created_at=made,
            updated_at=made,
        )
        return media

    def add_capture(self, url: str | None = None) -> UUID:
        """A page as the user's browser showed it."""
        made, url = self.time(), url or f"https://example.org/{self.uuid()}"
        key = hashlib.sha256(url.encode()).digest()
        media = insert(
            self.connection, "media", id=self.uuid(), kind="web_article", owner_user_id=self.user,
            created_by_user_id=self.user, requested_url=url, captured_url_key=key, title=self.phrase(), word_count=9,
            processing_status="ready_for_reading", processing_completed_at=made, current_version=1, created_at=made,
            updated_at=made,
        )  # fmt: skip
        self.add_version(media, 1, made, origin="captured")
        item = self.add_item(media, requested_url=url, url_key=key)
        insert(
            self.connection, "extraction_attempts", id=self.uuid(), item_id=item, attempt_no=9, rung="captured",
            result="success", started_at=made, finished_at=made, duration_ms=12,
        )  # fmt: skip
        return media

    def add_item(self, media: UUID, **values: Any) -> UUID:
        url = f"https://example.org/{self.uuid()}"
        made = self.time()
        known: dict[str, Any] = {
            "id": self.uuid(), "user_id": self.user, "media_id": media, "status": "succeeded", "source_type": "url",
            "requested_url": url, "url_key": hashlib.sha256(url.encode()).digest(), "title": self.maybe(self.phrase()),
            "final_text_source": "extracted_from_url", "request_id": self.maybe("r-1"), "due_at": made, "attempts": 1,
            "max_attempts": 2, "created_at": made, "updated_at": made, "fetched_again_at": self.maybe(self.time()),
            "save_key": self.maybe(hashlib.sha256(url.encode()).digest()), "status_detail": self.maybe(self.phrase()),
        }  # fmt: skip
        item = insert(self.connection, "items", **(known | values))
        for number in range(1, self.random.randint(1, 3)):
            failed = self.random.random() < 0.5
            insert(
                self.connection, "extraction_attempts", id=self.uuid(), item_id=item, attempt_no=number, rung="static",
                result="error" if failed else "success", started_at=made, finished_at=made, duration_ms=12,
                error_code="timeout" if failed else None, error_detail=self.maybe(self.phrase()), http_status=200,
                final_url=self.maybe(url), content_length=self.maybe(900),
            )  # fmt: skip
        return item

    def add_unread(self, status: str) -> UUID:
        """A link that waits for its page, or could not be read."""
        made = self.time()
        failed = {"failed_at": made, "failure_stage": "extract", "last_error_code": "E_INGEST_FAILED"}
        is_failed = status in ("failed", "needs_user_text")
        media = insert(
            self.connection, "media", id=self.uuid(), kind="web_article", created_by_user_id=self.user,
            requested_url="https://example.org/later", created_at=made, updated_at=made,
            processing_status="failed" if is_failed else "pending", **(failed if is_failed else {}),
        )  # fmt: skip
        self.add_item(media, status=status, final_text_source=None)
        return media

    def add_episode(self) -> UUID:
        made = self.time()
        media = insert(
            self.connection, "media", id=self.uuid(), kind="podcast_episode", created_by_user_id=self.user,
            title=self.phrase(), audio_url="https://audio.example/1.mp3", processing_status="ready_for_reading",
            processing_completed_at=made, current_version=1, created_at=made, updated_at=made, word_count=9,
        )  # fmt: skip
        self.add_version(media, 1, made, origin="transcribed", times=True)
        podcast = self.podcast()
        guid = str(self.uuid())
        chapters = [{"start_ms": 0, "end_ms": None, "title": self.phrase(), "url": None, "image": None}]
        episode = insert(
            self.connection, "episodes", id=self.uuid(), podcast_id=podcast, media_id=media, guid=guid,
            guid_source="guid", title=self.phrase(), duration_ms=9000, chapters=json.dumps(chapters),
            transcript_source="whisper",
        )  # fmt: skip
        alias = f"guid:{guid}"
        insert(
            self.connection, "episode_aliases", podcast_id=podcast, alias=alias, episode_id=episode,
            alias_sha256=hashlib.sha256(alias.encode()).digest(),
        )  # fmt: skip
        blob = self.put(b"ID3 sound " + guid.encode())
        insert(
            self.connection,
            "media_audio",
            media_id=media,
            sha256=blob.sha256,
            content_type="audio/mpeg",
            created_at=made,
        )
        return media

    def podcast(self) -> UUID:
        found = self.connection.execute("SELECT id FROM podcasts").fetchone()
        if found:
            podcast: UUID = found[0]
            return podcast
        return insert(
            self.connection, "podcasts", id=self.uuid(), feed_url="https://feeds.example/one", title="One",
            moved_from=["https://feeds.example/old"],
        )  # fmt: skip

    def remove_episode(self) -> None:
        episode = insert(
            self.connection, "episodes", id=self.uuid(), podcast_id=self.podcast(), guid="gone", guid_source="guid"
        )
        insert(self.connection, "episode_removals", user_id=self.user, episode_id=episode, created_at=self.time())

    def add_entry(self, media: UUID) -> None:
        """The library entry with its state, tags, position and highlights."""
        state = {
            name: self.maybe(self.time())
            for name in ("read_at", "archived_at", "starred_at", "last_read_at", "read_decided_at",
                         "archived_decided_at", "starred_decided_at", "title_decided_at", "note_decided_at",
                         "tags_decided_at")
        }  # fmt: skip
        insert(
            self.connection, "library_media", library_id=self.library, media_id=media, created_at=self.time(),
            own_title=self.maybe(self.phrase()), note=self.maybe(self.phrase()), **state,
        )  # fmt: skip
        for tag in self.random.sample(self.tags, min(len(self.tags), self.random.randint(0, 3))):
            insert(
                self.connection, "entry_tags", library_id=self.library, media_id=media, tag_id=tag,
                is_set=self.random.random() < 0.8, decided_at=self.time(),
            )  # fmt: skip
        fragments = self.connection.execute(
            "SELECT version, idx, canonical_text, current_version FROM fragments JOIN media ON media.id = media_id"
            " WHERE media_id = %s ORDER BY version, idx", [media],
        ).fetchall()  # fmt: skip
        if fragments:
            self.add_position(media, fragments)
            for _ in range(self.random.randint(0, 3)):
                self.add_highlight(media, *self.random.choice(fragments))

    def add_position(self, media: UUID, fragments: Any) -> None:
        version, idx, _, _ = self.random.choice(fragments)
        insert(
            self.connection, "positions", user_id=self.user, media_id=media, text_at=self.time(), version=version,
            fragment_idx=idx, text_offset=1, words="harbour", share=self.random.random(), fraction=0.25,
            text_device=self.maybe("Phone"),
        )  # fmt: skip

    def add_highlight(self, media: UUID, version: int, idx: int, text: str, current: int) -> None:
        start = self.random.randrange(len(text) - 1)
        end = self.random.randrange(start + 1, len(text))
        is_current = version == current
        is_deleted = self.random.random() < 0.2
        quote, note, made = text[start:end], self.maybe(self.phrase()), self.time()
        decided = {f"{part}_decided_at": self.time() for part in ("place", "color", "note", "tags", "deletion")}
        self.highlights.append(
            insert(
                self.connection, "highlights", id=self.uuid(), library_id=self.library, media_id=media, version=version,
                start_fragment=idx, start_offset=start, end_fragment=idx, end_offset=end, quote=quote,
                prefix=text[max(0, start - 64) : start], suffix=text[end : end + 64], start_ms=self.maybe(5),
                color=self.random.choice(COLORS), note=note, words=words_of(quote, note),
                state="attached" if is_current else "orphaned", carried_version=current, created_at=made,
                updated_at=self.time(), deleted_at=self.time() if is_deleted else None, review_round=2,
                review_order=self.random.random(), seen_at=self.maybe(self.time()), **decided,
            )
        )  # fmt: skip
        for tag in self.random.sample(self.tags, min(len(self.tags), self.random.randint(0, 2))):
            insert(
                self.connection, "highlight_tags", library_id=self.library, highlight_id=self.highlights[-1],
                tag_id=tag, created_at=made,
            )  # fmt: skip

    def finish(self) -> None:
        for number, highlight in enumerate(self.highlights[:5], start=1):
            insert(
                self.connection, "highlight_reviews", library_id=self.library, day="2026-03-01", number=number,
                highlight_id=highlight,
            )  # fmt: skip
        self.connection.commit()


def fill_library(maker: LibraryMaker, *, size: int = 3) -> None:
    """Fills a library with media of every kind."""
    maker.add_tags(size)
    maker.add_searches(min(size, 3))
    for _ in range(size):
        article = maker.add_article()
        maker.add_item(article)
        maker.add_entry(article)
        insert(
            maker.connection, "media_aliases", alias_id=maker.uuid(), user_id=maker.user, media_id=article,
            created_at=maker.time(),
        )  # fmt: skip
        maker.add_entry(maker.add_paste())
    for status in ("queued", "needs_user_text", "failed"):
        maker.add_entry(maker.add_unread(status))
    maker.add_entry(maker.add_episode())
    maker.remove_episode()
    maker.finish()


def picture(width: int, height: int) -> tuple[bytes, int, int]:
    written = io.BytesIO()
    Image.new("RGB", (width, height), (width, height, 7)).save(written, "PNG")
    return written.getvalue(), width, height
