"""Rows for tests, written as plain SQL so that they depend on nothing but the schema."""

import hashlib
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection, sql


def insert(connection: Connection, table: str, **values: Any) -> UUID:
    """Insert a row; the value of its first column (its id) comes back."""
    columns = sql.SQL(", ").join(map(sql.Identifier, values))
    query = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING {}").format(
        sql.Identifier(table),
        columns,
        sql.SQL(", ").join(sql.Placeholder() * len(values)),
        sql.Identifier(next(iter(values))),
    )
    row = connection.execute(query, list(values.values())).fetchone()
    assert row is not None
    first: UUID = row[0]
    return first


def user(connection: Connection) -> UUID:
    return insert(connection, "users", id=uuid4())


def library(connection: Connection, owner: UUID, **values: Any) -> UUID:
    return insert(connection, "libraries", **({"id": uuid4(), "owner_user_id": owner, "name": "Mine"} | values))


def media(connection: Connection, **values: Any) -> UUID:
    return insert(connection, "media", **({"id": uuid4(), "kind": "web_article"} | values))


def ready_media(connection: Connection, text: str = "Hello", **values: Any) -> UUID:
    ready = {"processing_status": "ready_for_reading", "processing_completed_at": "now", "current_version": 1}
    made = media(connection, **(ready | values))
    version(connection, made)
    fragment(connection, made, canonical_text=text)
    return made


def paste(connection: Connection, owner: UUID) -> UUID:
    return ready_media(connection, kind="pasted_text", owner_user_id=owner)


def version(connection: Connection, of: UUID, **values: Any) -> UUID:
    return insert(connection, "media_versions", **({"media_id": of, "version": 1, "origin": "fetched"} | values))


def fragment(connection: Connection, of: UUID, **values: Any) -> UUID:
    base = {"id": uuid4(), "media_id": of, "version": 1, "idx": 0, "html_sanitized": "<p>Hello</p>"}
    return insert(connection, "fragments", **(base | {"canonical_text": "Hello"} | values))


def item(connection: Connection, **values: Any) -> UUID:
    base = {"id": uuid4(), "status": "queued", "source_type": "url", "requested_url": "https://example.org/"}
    merged = base | values
    merged.setdefault("user_id", None)
    merged["user_id"] = merged["user_id"] or user(connection)
    merged["media_id"] = merged.get("media_id") or media(connection)
    return insert(connection, "items", **merged)


def attempt(connection: Connection, of: UUID, **values: Any) -> UUID:
    base = {
        "id": uuid4(), "item_id": of, "attempt_no": 1, "rung": "static", "result": "success",
        "started_at": "now", "finished_at": "now", "duration_ms": 12,
    }  # fmt: skip
    return insert(connection, "extraction_attempts", **(base | values))


def podcast(connection: Connection, **values: Any) -> UUID:
    return insert(connection, "podcasts", **({"id": uuid4(), "feed_url": "https://example.org/feed"} | values))


def episode(connection: Connection, of: UUID, **values: Any) -> UUID:
    base = {"id": uuid4(), "podcast_id": of, "guid": "one", "guid_source": "guid"}
    return insert(connection, "episodes", **(base | values))


def episode_alias(connection: Connection, podcast_id: UUID, of: UUID, **values: Any) -> UUID:
    alias = "guid:one"
    key = hashlib.sha256(alias.encode()).digest()
    base = {"episode_id": of, "podcast_id": podcast_id, "alias": alias, "alias_sha256": key}
    return insert(connection, "episode_aliases", **(base | values))
