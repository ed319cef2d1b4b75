"""A restored archive is taken back: what it added goes, what was there before or was changed since stays."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

from nexus.services.archives import restore
from nexus.services.highlights.text_search import words_of
from tests.api.saving import as_user
from tests.archives.archive_imports import Imports
from tests.archives.library_view import View, view_of
from tests.archives.test_round_trip import assert_equal
from tests.lifecycle_steps import LifecycleSteps, article

# Logs of changes, which the view adds up, and what workers do later; what is only of the import; bytes, which are
# collected daily.
LOGS = {"search_changes", "shelf_counts", "tag_counts", "highlights_waiting", "imports", "import_rows", "blobs",
        "store_identity", "alembic_version"}  # fmt: skip
EARLY = datetime(2001, 1, 1, tzinfo=UTC)


def every_row(connection: psycopg.Connection) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables of the server."""
    connection.rollback()
    with connection.cursor(row_factory=dict_row) as cursor:
        named = cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        tables = sorted({row["tablename"] for row in named} - LOGS)
        return {table: sorted(_rows(cursor, table), key=repr) for table in tables}


def _rows(cursor: psycopg.Cursor[Any], table: str) -> list[dict[str, Any]]:
    rows = cursor.execute(f"SELECT * FROM {table}").fetchall()
    return [{name: value for name, value in row.items() if name != "updated_at"} for row in rows]


def library(connection: psycopg.Connection, user: UUID) -> View:
    connection.rollback()
    view = view_of(connection, user)
    for row in view["highlights"]:
        del row["updated_at"]  # of one that was changed and changed back, the time of that
    return view


def use_library(connection: psycopg.Connection) -> None:
    """Some of the restored entries are gone, and all decisions about the others were earlier and different."""
    gone = "SELECT id FROM media ORDER BY id LIMIT 4"
    connection.execute(f"DELETE FROM items WHERE media_id IN ({gone})")
    connection.execute(f"DELETE FROM media WHERE id IN ({gone})")
    connection.execute("DELETE FROM podcasts WHERE NOT EXISTS (SELECT FROM episodes WHERE media_id IS NOT NULL)")
    connection.execute(
        "UPDATE library_media SET created_at = now(), read_at = NULL, read_decided_at = %(at)s, note = 'Mine',"
        " note_decided_at = %(at)s, own_title = 'Mine', title_decided_at = %(at)s, starred_decided_at = %(at)s,"
        " archived_decided_at = %(at)s, last_read_at = NULL, tags_decided_at = NULL", {"at": EARLY},
    )  # fmt: skip
    connection.execute("UPDATE entry_tags SET is_set = NOT is_set, decided_at = %s", [EARLY])
    connection.execute(
        "UPDATE highlights SET color = 'pink', note = 'Mine', place_decided_at = %(at)s, color_decided_at = %(at)s,"
        " note_decided_at = %(at)s, tags_decided_at = %(at)s, deletion_decided_at = %(at)s, deleted_at = NULL",
        {"at": EARLY},
    )  # fmt: skip
    for highlight, quote in connection.execute("SELECT id, quote FROM highlights").fetchall():
        words = words_of(quote, "Mine")
        connection.execute("UPDATE highlights SET words = %s WHERE id = %s", [words, highlight])
    connection.execute("UPDATE positions SET text_at = %s, fraction = 0.5", [EARLY])
    for table in ("highlights", "saved_searches", "media_aliases", "highlight_reviews", "entry_tags", "highlight_tags"):
        connection.execute(f"DELETE FROM {table} WHERE ctid IN (SELECT ctid FROM {table} ORDER BY ctid LIMIT 1)")
    connection.execute("DELETE FROM positions WHERE ctid IN (SELECT ctid FROM positions ORDER BY ctid LIMIT 1)")
    connection.execute("DELETE FROM items WHERE media_id IN (SELECT id FROM media WHERE canonical_url IS NOT NULL)")
    connection.execute("DELETE FROM tags WHERE id IN (SELECT id FROM tags ORDER BY id LIMIT 1)")
    connection.execute("DELETE FROM highlights_waiting")
    connection.commit()


def test_what_was_there_before_is_as_it_was(
    imports: Imports, content: bytes, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = imports.restore(content)
    assert first["outcomes"]["added"] == 10
    use_library(connection)
    before, rows = library(connection, imports.user), every_row(connection)
    monkeypatch.setattr(restore, "BATCH_RECORDS", 4)
    second = imports.restore(content)
    assert (second["outcomes"]["added"], second["outcomes"]["merged"]) == (4, 6)
    after = library(connection, imports.user)
    changed = {table for table in before if after[table] != before[table]}
    assert changed >= {"entries", "entry tags", "highlights", "highlight tags", "positions", "items", "tags",
                       "saved searches", "aliases", "reviews", "media"}  # fmt: skip

    imports.undo(second)

    assert_equal(library(connection, imports.user), before)
    assert_same_rows(every_row(connection), rows)
    assert {row["code"] for row in imports.rows(second)} == {"undone"}
    again = imports.restore(content)
    assert again["outcomes"] == second["outcomes"], "as if it had never been"


def assert_same_rows(after: dict[str, list[dict[str, Any]]], before: dict[str, list[dict[str, Any]]]) -> None:
    for table, rows in before.items():
        assert after[table] == rows, table


def test_nothing_is_left_in_an_empty_library(
    imports: Imports, content: bytes, connection: psycopg.Connection, steps: LifecycleSteps
) -> None:
    """What a worker did since, such as reading a waiting page, is no change by the user."""
    made = imports.begin(content)
    rows = every_row(connection)
    imports.work()
    assert steps.succeed(steps.claim_one(), article("https://example.org/read-meanwhile")) == "won"
    imports.undo(made)
    assert_same_rows(every_row(connection), rows)
    refused = imports.post(made, "undo")
    assert (refused.status_code, refused.json()["detail"]["error"]) == (409, "import_invalid_state")


def test_one_that_was_cancelled_is_taken_back(
    imports: Imports, content: bytes, connection: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restore, "BATCH_RECORDS", 3)
    made = imports.begin(content)
    rows = every_row(connection)
    worker = imports.worker()
    assert worker.step()
    assert imports.post(made, "cancel").status_code == 200
    assert not worker.step()
    assert imports.get(made)["outcomes"]["added"] == 3
    imports.undo(made)
    assert_same_rows(every_row(connection), rows)


def test_what_was_touched_since_stays(imports: Imports, content: bytes, connection: psycopg.Connection) -> None:
    made = imports.restore(content)
    media = [row["media_id"] for row in imports.rows(made)]
    texts = [row["media_id"] for row in imports.rows(made) if row["item_status"] == "succeeded"]
    for media_id, body in zip(media[:5], [{"starred": True}, {"tags": ["Mine"]}, {"title": "Mine"}, {"note": "Mine"},
                                          {"read": True}], strict=True):  # fmt: skip
        changed = imports.http.patch(f"/api/library/{media_id}", json=body, headers=as_user(imports.user))
        assert changed.status_code == 200, changed.text
    marked = next(each for each in texts if each not in media[:5])
    place = {"fragment_idx": 0, "offset": 0}, {"fragment_idx": 0, "offset": 1}
    version = imports.http.get(f"/media/{marked}", headers=as_user(imports.user)).json()["data"]["version"]
    body = {"version": version, "start": place[0], "end": place[1]}
    done = imports.http.post(f"/media/{marked}/highlights", json=body, headers=as_user(imports.user))
    assert done.status_code == 201, done.text
    connection.rollback()
    connection.execute("UPDATE saved_searches SET name = 'Mine' WHERE position = 0")
    connection.execute("UPDATE tags SET color = 'red' WHERE id = (SELECT id FROM tags ORDER BY id LIMIT 1)")
    connection.commit()

    imports.undo(made)

    view = library(connection, imports.user)
    kept = {*media[:5], marked}
    assert {str(row["media_id"]) for row in view["entries"]} == kept
    assert {row["media_id"] for row in imports.rows(made) if row["code"] == "kept"} == kept
    assert [row["name"] for row in view["saved searches"]] == ["Mine"]
    assert "red" in {row["color"] for row in view["tags"]}
    assert [row for row in view["highlights"] if str(row["media_id"]) == marked]


def test_of_what_was_joined_each_part_that_changed_since_stays(
    imports: Imports, content: bytes, connection: psycopg.Connection
) -> None:
    imports.restore(content)
    use_library(connection)
    second = imports.restore(content)
    connection.rollback()
    connection.execute("UPDATE library_media SET note = 'Later', note_decided_at = now()")
    connection.execute("UPDATE highlights SET note = 'Later', note_decided_at = now() WHERE quote <> ''")
    connection.execute("UPDATE positions SET text_at = now(), fraction = 1")
    connection.commit()
    imports.undo(second)
    view = library(connection, imports.user)
    assert {row["note"] for row in view["entries"]} == {"Later"}
    joined = [row for row in view["entries"] if row["own_title"] == "Mine"]
    assert len(joined) == 6, "the title is as it was before"
    assert {row["fraction"] for row in view["positions"]} == {1}
    connection.rollback()
    of_joined = "SELECT DISTINCT note, color FROM highlights WHERE quote <> '' AND color_decided_at = %s"
    assert connection.execute(of_joined, [EARLY]).fetchall() == [("Later", "pink")]


def test_lines_that_failed_are_tried_again(imports: Imports, content: bytes, connection: psycopg.Connection) -> None:
    """The database refuses one media for a while, and there is no room for another search."""
    connection.execute("INSERT INTO users (id) VALUES (%s) ON CONFLICT DO NOTHING", [imports.user])
    connection.execute(
        "INSERT INTO saved_searches (user_id, name, query, sort, position)"
        " SELECT %s, 'Mine ' || number, '{}', 'newest', 1 FROM generate_series(1, 99) AS number", [imports.user],
    )  # fmt: skip
    connection.execute("ALTER TABLE media ADD CONSTRAINT no_episodes CHECK (kind <> 'podcast_episode') NOT VALID")
    connection.commit()
    try:
        made = imports.restore(content)
        assert (made["status"], made["total"], made["outcomes"]["failed"]) == ("finished", 12, 3)
        failed = imports.rows(made, "failed")
        assert [row["file"] for row in failed] == ["media/000001.jsonl", "saved_searches.jsonl", "saved_searches.jsonl"]
        assert all(row["code"] and row["message"] for row in failed)
        assert "limit" in failed[1]["message"]
    finally:
        connection.rollback()
        connection.execute("ALTER TABLE media DROP CONSTRAINT no_episodes")
        connection.execute("DELETE FROM saved_searches WHERE name = 'Mine 1'")
        connection.commit()
    assert imports.post(made, "retry-failed").json()["outcomes"]["waiting"] == 3
    imports.work()
    done = imports.get(made)
    assert (done["status"], done["total"]) == ("finished", 12)
    assert (done["outcomes"]["failed"], done["outcomes"]["added"]) == (1, 11)
    assert [row["outcome"] for row in imports.rows(made)].count("failed") == 1
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM episodes WHERE media_id IS NOT NULL").fetchone() == (1,)
    connection.execute("DELETE FROM saved_searches WHERE name = 'Mine 2'")
    connection.commit()
    assert imports.post(made, "retry-failed").status_code == 200
    imports.work()
    assert imports.get(made)["outcomes"]["failed"] == 0
    connection.rollback()
    assert connection.execute("SELECT rows_sha256 FROM imports").fetchone() == (None,)
    imports.undo(made)
    assert library(connection, imports.user)["entries"] == []
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM saved_searches").fetchone() == (97,)
