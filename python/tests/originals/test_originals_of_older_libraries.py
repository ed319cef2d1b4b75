"""For whom originals were fetched, in a library that is older than the column for it."""

from uuid import UUID

from psycopg import Connection

from nexus.db.embedded import EmbeddedServer
from nexus.db.migrate import upgrade
from nexus.db.session import Database
from tests import factories as make
from tests.conftest import settings_for

PAGE = "https://example.org/page"
FIRST, SECOND = b"1" * 32, b"2" * 32


def media_with_originals(db: Connection, saved_by: UUID, owned_by: list[UUID], hashes: list[bytes], url: str) -> UUID:
    made = make.ready_media(db, created_by_user_id=saved_by, requested_url=url, canonical_url=url)
    for user in owned_by:
        make.item(db, user_id=user, media_id=made, status="succeeded", final_text_source="extracted_from_url")
    for number, sha256 in enumerate(hashes, start=1):
        if number > 1:
            make.version(db, made, version=number)
            make.fragment(db, made, version=number)
        make.insert(db, "originals", media_id=made, version=number, sha256=sha256, size=1, read_with=1)
    return made


def test_originals_of_an_older_library(postgres: EmbeddedServer, empty_database: str) -> None:
    with Database(settings_for(postgres, empty_database)) as database:
        upgrade(database.engine, to="0027")
        with postgres.connect(dbname=empty_database) as db:
            alice, bob = make.user(db), make.user(db)
            for sha256 in (FIRST, SECOND):
                make.insert(db, "blobs", sha256=sha256, size=1)
            both = media_with_originals(db, alice, [alice, bob], [FIRST, FIRST, SECOND], PAGE)
            left = media_with_originals(db, alice, [bob], [FIRST, SECOND, FIRST], f"{PAGE}/2")
            db.commit()
            upgrade(database.engine)
            query = "SELECT fetched_for, is_direct FROM originals WHERE media_id = %s ORDER BY version"
            found = [db.execute(query, [media]).fetchall() for media in (both, left)]
    assert found == [
        [(alice, True), (alice, True), (None, False)],
        [(alice, True), (bob, False), (alice, True)],
    ]
