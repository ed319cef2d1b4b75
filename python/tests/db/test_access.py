"""One predicate decides who may read what, and no other code does."""

from pathlib import Path
from uuid import UUID, uuid4

import pytest
from psycopg import Connection
from sqlalchemy import text

import nexus.services
from nexus.db.session import Database
from nexus.services.access import is_readable
from nexus.services.users import ensure_user
from tests import factories as make

READABLE = text(f"SELECT {is_readable(':media_id')}")
# Statements for many users at once, and those that add entries instead of reading them.
OTHER_USES = {
    "access.py", "events.py", "lifecycle/settlement_sql.py", "lifecycle/library_entries.py", "originals/quota.py",
    "search/entry_texts.py",
}  # fmt: skip


@pytest.mark.parametrize("is_default", [True, False])
def test_media_is_readable_by_those_who_have_it_in_a_library(
    database: Database, connection: Connection, is_default: bool
) -> None:
    owner, other = uuid4(), uuid4()
    with database.transaction() as session:
        library_id = ensure_user(session, owner)
        ensure_user(session, other)
    if not is_default:
        library_id = uuid4()
        make.insert(connection, "libraries", id=library_id, owner_user_id=owner, name="Second")
    media_id = make.ready_media(connection)
    connection.commit()

    def readable(user_id: UUID, media_id: UUID = media_id) -> bool:
        with database.transaction() as session:
            return bool(session.scalar(READABLE, {"user_id": user_id, "media_id": media_id}))

    assert not readable(owner)
    make.insert(connection, "library_media", library_id=library_id, media_id=media_id)
    connection.commit()
    assert readable(owner)
    assert not readable(other)
    assert not readable(owner, uuid4())


def test_no_other_module_joins_libraries_with_their_owner() -> None:
    (folder,) = map(Path, nexus.services.__path__)
    uses = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "libraries.owner_user_id" in path.read_text()
    }
    assert uses == OTHER_USES
