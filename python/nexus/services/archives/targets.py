"""Which media each record of an archive becomes. docs/adr/0008-restored-texts-are-private.md says why.

1. The user has it: under its id, under an id that led to it, as the page with the same canonical URL, or as another
   capture of the same page.
2. The server has the page, with the very same text: the user gets that one.
3. Else a media of its own. It owns its canonical URL only where nobody else uses this server and the user is its
   operator; elsewhere it is private.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID, uuid5

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.errors import InvalidUrlError
from nexus.services.archives.records import PERSONAL, Record
from nexus.services.users import CurrentUser
from nexus.web.urls import normalize_url

NAMESPACE = UUID("5f7c2a0e-6f0b-4c0c-9d52-5f2d6f1c7a11")  # for ids that somebody else has

TargetKind = Literal["known", "joined", "shared", "private"]

IS_ALONE = text("""
    SELECT NOT EXISTS (
        SELECT FROM libraries WHERE owner_user_id <> :user_id
          AND (EXISTS (SELECT FROM library_media WHERE library_id = libraries.id)
               OR EXISTS (SELECT FROM items WHERE user_id = owner_user_id)))
""")
# An alias first, as everywhere (services/locks.py).
EXISTING_MEDIA = text("""
    SELECT given.id, coalesce(led.media_id, own.media_id, other.media_id) AS media_id
    FROM unnest(CAST(:ids AS uuid[]), CAST(:others AS uuid[])) AS given (id, other_id)
    LEFT JOIN media_aliases AS alias ON alias.alias_id = given.id AND alias.user_id = :user_id
    LEFT JOIN library_media AS led ON led.library_id = :library_id AND led.media_id = alias.media_id
    LEFT JOIN library_media AS own ON own.library_id = :library_id AND own.media_id = given.id
    LEFT JOIN library_media AS other ON other.library_id = :library_id AND other.media_id = given.other_id
    WHERE coalesce(led.media_id, own.media_id, other.media_id) IS NOT NULL
""")
BY_URL = text("""
    SELECT media.id, canonical_url, entry.media_id IS NOT NULL AS is_own
    FROM media LEFT JOIN library_media AS entry ON entry.library_id = :library_id AND entry.media_id = media.id
    WHERE media.kind = 'web_article' AND text_key(canonical_url) = ANY(:keys) AND canonical_url IS NOT NULL
""")
# A capture of a page is the user's own.
CAPTURED = text("""
    SELECT media.id, captured_url_key FROM media
    JOIN library_media AS entry ON entry.library_id = :library_id AND entry.media_id = media.id
    WHERE owner_user_id = :user_id AND captured_url_key = ANY(:keys)
""")
BY_GUID = text("""
    SELECT given.id AS record_id, episodes.media_id, entry.media_id IS NOT NULL AS is_own
    FROM unnest(CAST(:ids AS uuid[]), CAST(:feeds AS bytea[]), CAST(:guids AS bytea[]))
        AS given (id, feed_key, guid_key)
    JOIN podcasts ON text_key(podcasts.feed_url) = given.feed_key
    JOIN episodes ON episodes.podcast_id = podcasts.id AND text_key(episodes.guid) = given.guid_key
    LEFT JOIN library_media AS entry ON entry.library_id = :library_id AND entry.media_id = episodes.media_id
    WHERE episodes.media_id IS NOT NULL
""")
TEXTS = text("""
    SELECT media_id, sha256(convert_to(string_agg(canonical_text, chr(10) ORDER BY idx), 'UTF8')) AS key
    FROM fragments WHERE media_id = ANY(:ids) GROUP BY media_id, version
""")
TAKEN = text("SELECT id FROM media WHERE id = ANY(:ids)")


@dataclass(frozen=True)
class RestoreTarget:
    kind: TargetKind
    media_id: UUID

    @property
    def is_new(self) -> bool:
        return self.kind in ("shared", "private")

    def has_own_pictures(self, record: Record) -> bool:
        """Whether they count as the user's: those of a shared text count as those of whoever saved it first."""
        return self.kind == "private" or bool(record.media["is_creator"])


@dataclass(frozen=True)
class Resolver:
    user: CurrentUser
    feeds: Mapping[UUID, str]  # the feeds of the archive's podcasts

    def find_known(self, session: Session, records: Sequence[Record]) -> dict[UUID, RestoreTarget]:
        """Those that the user has. Their texts need not be sanitized."""
        return self._find(session, records)[0]

    def _find(self, session: Session, records: Sequence[Record]) -> tuple[dict[UUID, RestoreTarget], dict[UUID, UUID]]:
        """Those that the user has, and the media of others that only the server has."""
        values = self._values | {
            "ids": [record.id for record in records],
            "others": [self.other_id(record.id) for record in records],
        }
        found = {row.id: RestoreTarget("known", row.media_id) for row in session.execute(EXISTING_MEDIA, values)}
        on_server: dict[UUID, UUID] = {}
        for record, media_id, is_own in self._on_server(session, [each for each in records if each.id not in found]):
            if is_own:
                found[record.id] = RestoreTarget("known", media_id)
            else:
                on_server[record.id] = media_id
        return found | self._find_captured(session, [each for each in records if each.id not in found]), on_server

    def resolve(self, session: Session, records: Sequence[Record]) -> dict[UUID, RestoreTarget]:
        """By the ids of the archive. Their texts are sanitized, unless the user has them."""
        found, on_server = self._find(session, records)
        unknown = [record for record in records if record.id not in found]
        texts = self._texts(session, on_server.values())
        taken = set(session.scalars(TAKEN, {"ids": [record.id for record in unknown]}))
        is_trusted = self.user.is_operator and bool(session.scalar(IS_ALONE, self._values))
        for record in unknown:
            there = on_server.get(record.id)
            if there is not None and record.current is not None and (there, record.current.key) in texts:
                found[record.id] = RestoreTarget("joined", there)
                continue
            own_id = self.other_id(record.id) if record.id in taken else record.id
            kind = self._new_kind(record, is_trusted=is_trusted and there is None)
            found[record.id] = RestoreTarget(kind, own_id)
        return found

    def other_id(self, media_id: UUID) -> UUID:
        """The id of this user's copy where somebody else has the id; the same each time."""
        return uuid5(NAMESPACE, f"{self.user.user_id}:{media_id}")

    def canonical_url(self, record: Record) -> str | None:
        """None: it is not in the form that identifies pages here."""
        url: str | None = record.media["canonical_url"]
        try:
            return url if url and normalize_url(url) == url else None
        except InvalidUrlError:
            return None

    @property
    def _values(self) -> dict[str, Any]:
        return {"user_id": self.user.user_id, "library_id": self.user.default_library_id}

    def _on_server(self, session: Session, records: Sequence[Record]) -> list[tuple[Record, UUID, bool]]:
        """Media with the same identity on the network, and whether the user has them."""
        shared = [record for record in records if record.is_ready and not record.media["is_private"]]
        articles = [record for record in shared if record.media["kind"] == "web_article"]
        by_url = {url: record for record in articles if (url := record.media["canonical_url"])}
        found: list[tuple[Record, UUID, bool]] = []
        if by_url:
            values = self._values | {"keys": [text_key(url) for url in by_url]}
            rows = session.execute(BY_URL, values)
            found += [(by_url[row.canonical_url], row.id, row.is_own) for row in rows]
        episodes = {
            record.id: (record, feed)
            for record in shared
            if record.episode and (feed := self.feeds.get(record.episode["podcast_id"]))
        }
        if episodes:
            values = self._values | {
                "ids": list(episodes),
                "feeds": [text_key(feed) for _, feed in episodes.values()],
                "guids": [text_key(record.episode["guid"]) for record, _ in episodes.values() if record.episode],
            }
            rows = session.execute(BY_GUID, values)
            found += [(episodes[row.record_id][0], row.media_id, row.is_own) for row in rows]
        return found

    def _find_captured(self, session: Session, records: Sequence[Record]) -> dict[UUID, RestoreTarget]:
        keys = {bytes.fromhex(key): record.id for record in records if (key := record.captured_url_key)}
        if not keys:
            return {}
        rows = session.execute(CAPTURED, self._values | {"keys": list(keys)})
        return {keys[bytes(row.captured_url_key)]: RestoreTarget("known", row.id) for row in rows}

    def _texts(self, session: Session, media_ids: Any) -> set[tuple[UUID, bytes]]:
        ids = list(media_ids)
        if not ids:
            return set()
        return {(row.media_id, bytes(row.key)) for row in session.execute(TEXTS, {"ids": ids})}

    def _new_kind(self, record: Record, *, is_trusted: bool) -> TargetKind:
        """What is not read yet will be by the network, and may be shared then."""
        if record.media["is_private"] or record.media["kind"] == "pasted_text":
            return "private"
        if not record.is_ready:
            return "shared"
        if not is_trusted or any(version.row["origin"] in PERSONAL for version in record.versions):
            return "private"
        if record.media["kind"] == "podcast_episode":
            return "shared" if record.episode and record.episode["podcast_id"] in self.feeds else "private"
        return "shared" if self.canonical_url(record) else "private"
