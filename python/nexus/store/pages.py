"""The rows of `blobs`, a bounded number at a time, each with whether anything names it."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import text

from nexus.db.session import Database
from nexus.store.rows import reference_condition

PAGE_SIZE = 2000


class BlobState(NamedTuple):
    sha256: bytes
    size: int
    problem: str | None
    is_referenced: bool
    is_old: bool


def pages(database: Database, *, after: bytes = b"", grace_seconds: float = 0) -> Iterator[list[BlobState]]:
    while True:
        with database.transaction() as session:
            query = text(f"""
                SELECT sha256, size, problem, {reference_condition(session)},
                       touched_at <= now() - make_interval(secs => :grace)
                FROM blobs b WHERE sha256 > :after ORDER BY sha256 LIMIT :page
            """)  # noqa: S608 - names from the catalogue, quoted by PostgreSQL
            found = session.execute(query, {"after": after, "page": PAGE_SIZE, "grace": grace_seconds})
            page = [BlobState(*row) for row in found]
        if not page:
            return
        yield page
        after = page[-1].sha256
