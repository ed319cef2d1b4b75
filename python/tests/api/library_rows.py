"""Two people, and shelves filled through the API or behind its back."""

from typing import Any
from uuid import UUID, uuid4

import httpx2
from psycopg import Connection

from tests import factories as make

ALICE = UUID("11111111-1111-1111-1111-111111111111")
BOB = UUID("22222222-2222-2222-2222-222222222222")
LINK = "https://example.com/article"


def as_user(user: UUID) -> dict[str, str]:
    return {"X-User-Id": str(user)}


def save(client: httpx2.Client, user: UUID = ALICE, **body: Any) -> str:
    answer = client.post("/items", json=body or {"url": LINK}, headers=as_user(user))
    assert answer.status_code == 200, answer.text
    made: str = answer.json()["id"]
    return made


def library_of(client: httpx2.Client, user: UUID) -> UUID:
    return UUID(client.get("/api/me", headers=as_user(user)).json()["default_library_id"])


def shelve(connection: Connection, library: UUID, media: UUID, **values: Any) -> None:
    make.insert(connection, "library_media", library_id=library, media_id=media, **values)
    connection.commit()


def settle(connection: Connection, item: str | UUID, text: str = "Hello there", **media: Any) -> UUID:
    """What the worker does when it could read the page."""
    row = connection.execute("SELECT media_id FROM items WHERE id = %s", [item]).fetchone()
    assert row is not None
    work: UUID = row[0]
    _claim(connection, item)
    make.fragment(connection, work, canonical_text=text, html_sanitized=media.pop("html", f"<p>{text}</p>"))
    values = {"title": "A title", "canonical_url": f"https://example.com/{uuid4()}"} | media
    names = ", ".join(f"{name} = %s" for name in values)
    connection.execute(
        "UPDATE media SET processing_status = 'ready_for_reading', processing_completed_at = now(),"
        f" last_error_code = NULL, {names} WHERE id = %s",
        [*values.values(), work],
    )
    connection.execute(
        "UPDATE items SET status = 'succeeded', final_text_source = 'extracted_from_url', title = %s,"
        " claimed_by = NULL, claimed_at = NULL, lease_until = NULL WHERE id = %s",
        [values["title"], item],
    )
    connection.commit()
    return work


def fail(connection: Connection, item: str | UUID, status: str = "needs_user_text") -> None:
    """What the worker does when it could not."""
    _claim(connection, item)
    connection.execute(
        "UPDATE media SET processing_status = 'failed', failed_at = now(), failure_stage = 'extract',"
        " last_error_code = 'E_INGEST_FAILED', last_error_message = 'secret detail', processing_attempts = 1"
        " WHERE id = (SELECT media_id FROM items WHERE id = %s)",
        [item],
    )
    connection.execute(
        "UPDATE items SET status = %s, status_detail = 'It could not be read.',"
        " claimed_by = NULL, claimed_at = NULL, lease_until = NULL WHERE id = %s",
        [status, item],
    )
    connection.commit()


def _claim(connection: Connection, item: str | UUID) -> None:
    connection.execute(
        "UPDATE media SET processing_status = 'extracting', processing_started_at = now()"
        " WHERE id = (SELECT media_id FROM items WHERE id = %s)",
        [item],
    )
    connection.execute(
        "UPDATE items SET status = 'processing', attempts = 1, claimed_by = gen_random_uuid(), claimed_at = now(),"
        " lease_until = now() + interval '1 minute' WHERE id = %s",
        [item],
    )


def merge(connection: Connection, loser: UUID, winner: UUID) -> None:
    """What the worker does with a duplicate."""
    connection.execute("UPDATE items SET media_id = %s WHERE media_id = %s", [winner, loser])
    connection.execute(
        "INSERT INTO library_media (library_id, media_id) SELECT library_id, %s FROM library_media WHERE media_id = %s"
        " ON CONFLICT DO NOTHING",
        [winner, loser],
    )
    connection.execute(
        "INSERT INTO media_aliases (alias_id, user_id, media_id) SELECT media_id, owner_user_id, %s FROM library_media"
        " JOIN libraries ON libraries.id = library_id WHERE media_id = %s",
        [winner, loser],
    )
    connection.execute("DELETE FROM media WHERE id = %s", [loser])
    connection.commit()
