"""Lists of highlights stay quick however many there are: PostgreSQL reads them from an index, one range at a time."""

from typing import Any, get_args
from uuid import uuid4

import pytest
from psycopg import Connection
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.services.highlights.listing import HighlightFilters, Sort, list_highlights
from nexus.services.highlights.review import get_review
from nexus.services.highlights.text_highlights import list_of_text
from nexus.services.users import CurrentUser, ensure_user
from tests.api.test_plans import check

TEXTS, EACH = 400, 50
FILL = """
    WITH numbers AS (SELECT gen_random_uuid() AS id, n FROM generate_series(1, %(texts)s) AS n),
    new_media AS (
        INSERT INTO media (id, kind, title, processing_status, processing_completed_at, current_version)
        SELECT id, 'web_article', md5(n::text), 'ready_for_reading', now(), 1 FROM numbers
    ), versions AS (
        INSERT INTO media_versions (media_id, version, origin) SELECT id, 1, 'fetched' FROM numbers
    )
    INSERT INTO fragments (media_id, version, idx, html_sanitized, canonical_text)
    SELECT id, 1, 0, '', repeat('common ', 100) FROM numbers
"""
ENTER = """
    INSERT INTO library_media (library_id, media_id)
    SELECT %(library)s, id FROM media WHERE id NOT IN (SELECT media_id FROM library_media)
"""
SAVE = """
    INSERT INTO items (user_id, media_id, status, source_type, requested_url, final_text_source)
    SELECT %(user)s, media_id, 'succeeded', 'url', 'https://example.com/', 'extracted_from_url'
    FROM library_media WHERE library_id = %(library)s
"""
# Every hundredth is pink, every tenth has a tag, every thousandth a rare one and a rare word.
MARK = """
    INSERT INTO highlights (library_id, media_id, version, carried_version, start_fragment, start_offset, end_fragment,
                            end_offset, quote, prefix, suffix, color, state, words, created_at)
    SELECT library_id, media_id, 1, 1, 0, n, 0, n + 7, 'common', '', '',
           CASE WHEN row_number() OVER () %% 100 = 0 THEN 'pink' ELSE 'yellow' END, 'attached',
           CAST(CASE WHEN row_number() OVER () %% 1000 = 0 THEN 'common rare' ELSE 'common' END AS tsvector),
           now() - interval '1 day' - random() * interval '1 year'
    FROM library_media, generate_series(1, %(each)s) AS n WHERE library_id = %(library)s
"""
TAG = """
    WITH new_tags AS (
        INSERT INTO tags (user_id, name, name_key)
        SELECT %(user)s, name, name FROM (VALUES ('many'), ('few'), ('few/below')) AS names(name) RETURNING id, name
    )
    INSERT INTO highlight_tags (library_id, highlight_id, tag_id, created_at)
    SELECT library_id, marked.id, new_tags.id, marked.created_at
    FROM (SELECT *, row_number() OVER () AS n FROM highlights WHERE library_id = %(library)s) AS marked
    JOIN new_tags ON name = 'many' AND n %% 10 = 0 OR name LIKE 'few%%' AND n %% 1000 = 0
"""
MANY, FEW = {"tags": ("many",)}, {"tags": ("few",)}


@pytest.fixture
def reader(database: Database, connection: Connection) -> CurrentUser:
    """A user with many highlights, in a database where others have as many."""
    users = [uuid4(), uuid4()]
    with database.transaction() as session:
        libraries = {user: ensure_user(session, user) for user in users}
        for _ in range(40):
            ensure_user(session, uuid4())
    for user, library in libraries.items():
        values = {"user": user, "library": library, "texts": TEXTS, "each": EACH}
        for statement in (FILL, ENTER, SAVE, MARK, TAG):
            connection.execute(statement, values)
    connection.execute("""
        INSERT INTO tags (user_id, name, name_key) SELECT id, 'tag ' || n, 'tag ' || n
        FROM users, generate_series(1, 100) AS n
    """)
    connection.commit()
    connection.autocommit = True
    connection.execute(
        "VACUUM ANALYZE media, library_media, items, fragments, highlights, highlight_tags, tags, media_versions"
    )
    return CurrentUser(users[0], libraries[users[0]], is_operator=False)


def test_lists(database: Database, reader: CurrentUser, connection: Connection) -> None:
    """In one test, because filling the tables is most of it."""
    for asked, most in (
        ({}, 400),
        ({"color": "yellow"}, 400),
        ({"color": "pink"}, 600),  # by chance, more of them may have tags
        (MANY, 700),
        (FEW, 600),
        (MANY | {"color": "pink"}, 3000),
        (MANY | {"query": "rare "}, 3000),
    ):
        check_list(database, reader, HighlightFilters(**asked), "newest", most)
    for sort in get_args(Sort):
        check_list(database, reader, HighlightFilters(), sort, 700)
    # Looking how many there are stops at 2 000.
    for asked in ({"color": "pink"}, {"query": "rare "}, FEW, {"color": "yellow"}):
        check_list(database, reader, HighlightFilters(**asked), "text", 3000)
    check_list(database, reader, HighlightFilters(query="rare "), "newest", 800)
    with database.transaction() as session:
        assert len(get_review(session, reader).highlights) == 5
    check(database, lambda session: get_review(session, reader), 100)
    row = connection.execute(
        "SELECT media_id FROM library_media WHERE library_id = %s LIMIT 1", [reader.default_library_id]
    ).fetchone()
    assert row is not None
    check(database, lambda session: list_of_text(session, reader, row[0]), 300)


def check_list(database: Database, reader: CurrentUser, filters: HighlightFilters, sort: Sort, most_rows: int) -> None:
    def ask(session: Session, cursor: str | None = None) -> Any:
        return list_highlights(session, reader, filters, sort=sort, limit=50, cursor=cursor)

    check(database, ask, most_rows)
    with database.transaction() as session:
        page = ask(session)
    assert page.highlights
    if page.next_cursor:
        check(database, lambda session: ask(session, page.next_cursor), most_rows)
