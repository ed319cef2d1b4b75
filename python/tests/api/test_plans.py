"""Lists stay quick however long they get: PostgreSQL reads them from an index, one range at a time."""

import json
from itertools import product
from typing import Any, get_args
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection
from sqlalchemy import event, text
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.search.query import read_query
from nexus.services.items import list_items
from nexus.services.library.filters import Filters, build_conditions
from nexus.services.library.listing import list_entries
from nexus.services.library.query_plan import count_matching, match_ids
from nexus.services.library.sorting import Sort
from nexus.services.lifecycle.entry_state import lock_entries
from nexus.services.lifecycle.settlement_sql import MOVE_TAGS
from nexus.services.receipts import get_receipt
from nexus.services.search.change_log import changes_since, complete_before
from nexus.services.search.entry_texts import entry_texts
from nexus.services.search.filter_conditions import search_conditions
from nexus.services.search.hits import check_entries, show_hits
from nexus.services.users import CurrentUser, ensure_user
from tests.processes import plain_url

SAVES = 20_000
FILL = """
    WITH new_media AS (
        INSERT INTO media (kind, requested_url) SELECT 'web_article', 'https://example.com/' || n
        FROM generate_series(1, %(saves)s) AS n RETURNING id
    ), new_items AS (
        INSERT INTO items (user_id, media_id, status, source_type, requested_url, created_at)
        SELECT %(user)s, id, 'queued', 'url', 'https://example.com/', now() - random() * interval '1 year'
        FROM new_media RETURNING id
    )
    SELECT count(*) FROM new_items
"""
ADD_ENTRY = """
    INSERT INTO library_media (library_id, media_id, created_at)
    SELECT %(library)s, media_id, created_at FROM items WHERE user_id = %(user)s
"""
PASTE = "INSERT INTO item_pastes (item_id, user_pasted_text) SELECT id, 'Mine' FROM items WHERE user_id = %(user)s"
# Not left empty: of an empty table that was just analyzed PostgreSQL reads the whole.
TRY = """
    INSERT INTO extraction_attempts
        (item_id, attempt_no, rung, started_at, finished_at, duration_ms, result, error_code)
    SELECT id, 1, 'static', now(), now(), 0, 'error', 'timeout' FROM items WHERE user_id = %(user)s
"""
# As long as the log of counts is between two folds.
COUNT = """
    INSERT INTO shelf_counts (library_id, kind, status, difference)
    SELECT library.id, 'web_article', 'queued', 0
    FROM generate_series(1, 50), libraries AS library
"""


# Every sixth and every tenth has one tag, every thousandth another, and one below it too; half of them one of many.
TAG = """
    WITH new_tags AS (
        INSERT INTO tags (user_id, name, name_key)
        SELECT %(user)s, name, name FROM (
            VALUES ('sixth'), ('many'), ('few'), ('few/below')
            UNION ALL SELECT 'some ' || n FROM generate_series(0, 99) AS n
        ) AS names(name) RETURNING id, name
    )
    INSERT INTO entry_tags (library_id, media_id, tag_id, is_set, decided_at)
    SELECT %(library)s, media_id, new_tags.id, true, now()
    FROM (SELECT media_id, row_number() OVER () AS n FROM items WHERE user_id = %(user)s) AS numbered
    CROSS JOIN LATERAL (
        SELECT 'some ' || n %% 100 WHERE n %% 2 = 0 UNION ALL SELECT 'many' WHERE n %% 10 = 0
        UNION ALL SELECT 'sixth' WHERE n %% 6 = 0
        UNION ALL SELECT unnest(ARRAY['few', 'few/below']) WHERE n %% 1000 = 0
    ) AS given(name) JOIN new_tags USING (name)
"""
TAG_OF_OTHERS = """
    INSERT INTO tags (user_id, name, name_key) SELECT id, 'tag ' || n, 'tag ' || n
    FROM users, generate_series(1, 100) AS n WHERE id NOT IN (SELECT user_id FROM tags)
"""
COUNT_TAGS = """
    INSERT INTO tag_counts (tag_id, is_archived, difference)
    SELECT id, false, 0 FROM generate_series(1, 50), tags WHERE user_id = %(user)s
"""
READ_ON = """
    INSERT INTO positions (user_id, media_id, audio_at, audio_ms)
    SELECT user_id, media_id, now(), 1 FROM items WHERE user_id = %(user)s
"""
# Every fifth, as if it had one: the triggers that count are not the subject.
HIGHLIGHT = """
    UPDATE library_media SET highlight_count = 1, has_highlights = true
    WHERE library_id = %(library)s AND media_id IN (SELECT media_id FROM fragments)
"""

# Every fifth has a text.
WRITE = """
    WITH texts AS (
        SELECT media_id
        FROM (SELECT media_id, row_number() OVER () AS n FROM items WHERE user_id = %(user)s) AS numbered
        WHERE n %% 5 = 0
    ), versions AS (
        INSERT INTO media_versions (media_id, version, origin) SELECT media_id, 1, 'fetched' FROM texts
    ), current AS (
        UPDATE media SET current_version = 1 FROM texts WHERE media.id = texts.media_id
    )
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    SELECT media_id, 1, 0, '', 'common' FROM texts
"""


@pytest.fixture
def reader(database: Database, connection: Connection) -> CurrentUser:
    """A user with many items, in a database where others have as many."""
    user, other = uuid4(), uuid4()
    with database.transaction() as session:
        libraries = {each: ensure_user(session, each) for each in (user, other)}
        for _ in range(40):
            ensure_user(session, uuid4())
    for each, library in libraries.items():
        values = {"user": each, "library": library, "saves": SAVES}
        connection.execute(FILL, values)
        connection.execute(ADD_ENTRY, values)
        connection.execute(PASTE, values)
        connection.execute(TRY, values)
        connection.execute(COUNT, values)
        connection.execute(WRITE, values)
        connection.execute(TAG, values)
        connection.execute(COUNT_TAGS, values)
        connection.execute(READ_ON, values)
        connection.execute(HIGHLIGHT, values)
    connection.execute(TAG_OF_OTHERS)
    connection.commit()
    connection.autocommit = True
    connection.execute(
        "VACUUM ANALYZE items, media, library_media, shelf_counts, item_pastes, fragments, search_changes,"
        " media_versions, extraction_attempts, tags, entry_tags, tag_counts, positions"
    )
    return CurrentUser(user, libraries[user], is_operator=False)


def plans(database: Database, ask: Any) -> list[dict[str, Any]]:
    """The plan of every statement that `ask` makes PostgreSQL run."""
    statements: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        statements.append((statement, parameters))

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        with database.transaction() as session:
            ask(session)
    finally:
        event.remove(database.engine, "before_cursor_execute", note)
    url = plain_url(database.url)
    found = []
    with psycopg.connect(url) as raw:
        for statement, parameters in statements:
            row = raw.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters).fetchone()
            assert row is not None
            found.append(row[0][0]["Plan"])
    return found


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for below in plan.get("Plans", []) for node in nodes(below))]


def check(database: Database, ask: Any, most_rows: int) -> None:
    for plan in plans(database, ask):
        every = nodes(plan)
        scans = [node for node in every if "Scan" in node["Node Type"] and "Relation Name" in node]
        assert [node["Relation Name"] for node in scans if node["Node Type"] == "Seq Scan"] == [], json.dumps(plan)
        # Rows read, not only rows given: a filter that throws most of them away would grow with the table.
        read = sum(
            (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"] for node in scans
        )
        assert read <= most_rows, json.dumps(plan)


def test_lists_and_receipts(database: Database, reader: CurrentUser, connection: Connection) -> None:
    """In one test, because filling the tables is most of it."""
    with database.transaction() as session:
        page = list_items(session, reader, limit=20, cursor=None)
    for cursor in (None, page.next_cursor):
        check(database, lambda session, at=cursor: list_items(session, reader, limit=20, cursor=at), 25)
    for kind, status in product((None, "web_article", "podcast_episode"), (None, "queued", "failed")):
        check_library(database, reader, Filters(kind, status))
        check_library(database, reader, Filters(kind, status, unread=True))
        check_library(database, reader, Filters(kind, status, starred=True, archived="any"))
    for tags in (("many",), ("few",), ("many", "few")):
        check_library(database, reader, Filters(tags=tags, archived="any"))
    some = [Filters(), Filters(tags=("few",)), Filters(site="example.com"), Filters(untagged=True)]
    some.append(Filters(highlighted=True))
    for filters, sort in product(some, get_args(Sort)):
        check_library(database, reader, filters, sort)
    check_counts(database, reader)
    check_all_found(database, reader)
    check_merge(database, reader)
    check_hits(database, reader)
    # Counting those ahead in the queue stops at 10 000.
    check(database, lambda session: get_receipt(session, reader, page.items[0].id), 10_050)
    check_what_comes_last(database, reader, connection)


# Most was read, and has a length.
READ_MOST = """
    UPDATE library_media SET status = 'succeeded', reading_seconds = 60, read_at = now(), last_read_at = now()
    WHERE created_at < now() - interval '4 months'
"""


def check_what_comes_last(database: Database, reader: CurrentUser, connection: Connection) -> None:
    """Entries without a length or a date of reading come last, and are read from an index of their own."""
    connection.execute(READ_MOST)
    connection.execute("VACUUM ANALYZE library_media, shelf_counts")
    for sort in ("longest", "shortest", "recently_read"):
        check_library(database, reader, Filters(status="queued"), sort)
    connection.execute("UPDATE library_media SET status = 'succeeded' WHERE read_at IS NULL")
    connection.execute("VACUUM ANALYZE library_media, shelf_counts")
    check_library(database, reader, Filters(unread=True), "recently_read")


def check_counts(database: Database, reader: CurrentUser) -> None:
    """How many entries a state, a kind or a tag finds is known without reading them."""

    def ask(session: Session, filters: Filters) -> None:
        assert (
            count_matching(session, filters, build_conditions(session, reader, filters, archived="false"), limit=1000)
            > 1000
        )

    for filters in (Filters(), Filters(status="queued"), Filters(kind="web_article"), Filters(tags=("sixth",))):
        check(database, lambda session, filters=filters: ask(session, filters), 500)


def check_merge(database: Database, reader: CurrentUser) -> None:
    """Tags are found through the entries of the media: none of their indexes begins with it."""

    def ask(session: Session) -> None:
        pair = session.scalars(text("SELECT media_id FROM library_media WHERE library_id = :id AND has_tags LIMIT 2"),
                               {"id": reader.default_library_id}).all()  # fmt: skip
        lock_entries(session, [(pair[0], pair[1])])
        session.execute(text(MOVE_TAGS), {"losers": pair[:1], "winners": pair[1:]})

    for plan in plans(database, ask)[1:]:
        scans = [
            node for node in nodes(plan) if node.get("Relation Name") == "entry_tags" and "Scan" in node["Node Type"]
        ]
        assert all("library_id" in node.get("Index Cond", "") for node in scans), json.dumps(plan)


def check_hits(database: Database, reader: CurrentUser) -> None:
    """The statements for a page of a search, and for one entry that is added to the index."""
    with database.transaction() as session:
        page = list_entries(session, reader, Filters(), limit=20, cursor=None)
    ids = [entry.media_id for entry in page.entries]
    query = read_query("common is:unread tag:many site:example.com after:2020 ")

    def ask(session: Session, filters: Filters) -> None:
        entries = check_entries(session, search_conditions(session, reader, query, filters), ids)
        show_hits(session, entries, query, {})

    for filters in (Filters(), Filters(tags=("few",), unread=True), Filters(min_minutes=1)):
        check(database, lambda session, filters=filters: ask(session, filters), 500)
    check(database, lambda session: list(entry_texts(session, reader.default_library_id, ids[:1])), 50)
    check(database, lambda session: changes_since(session, complete_before(session)), 10)


def check_all_found(database: Database, reader: CurrentUser) -> None:
    """Only the rows that the narrowest filter finds are read, though they are too many to be sorted quickly."""

    def ask(session: Session, filters: Filters) -> None:
        conditions = build_conditions(session, reader, filters, archived="false")
        match_ids(session, filters, conditions, limit=5000)

    for filters in (Filters(tags=("sixth",)), Filters(tags=("sixth",), site="example.com")):
        check(database, lambda session, filters=filters: ask(session, filters), 7000)


def check_library(database: Database, reader: CurrentUser, filters: Filters, sort: Sort = "newest") -> None:
    def ask(session: Session, cursor: str | None = None) -> str | None:
        return list_entries(session, reader, filters, limit=50, cursor=cursor, sort=sort).next_cursor

    # Where several filters, or another order than that of time, make it look how many there are, it stops at 2 000.
    check(database, ask, 2600)
    with database.transaction() as session:
        second = ask(session)
    if second:
        check(database, lambda session: ask(session, second), 2600)
