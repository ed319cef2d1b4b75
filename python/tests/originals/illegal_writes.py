"""Illegal writes to the table of originals; test_schema_refuses.py tries them."""

from collections.abc import Callable
from uuid import uuid4

from psycopg import Connection

from tests import factories as make

Illegal = Callable[[Connection], object]


def original(**values: object) -> Illegal:
    def write(db: Connection) -> None:
        base = {"media_id": make.ready_media(db), "version": 1, "content": b"x", "size": 1, "read_with": 1}
        make.insert(db, "originals", **(base | values))

    return write


def two_of_one_version(db: Connection) -> None:
    media_id = make.ready_media(db)
    for _ in range(2):
        original(media_id=media_id)(db)


REFUSED_ORIGINALS: list[tuple[str, Illegal]] = [
    ("pk_originals", two_of_one_version),
    ("fk_originals_version", original(version=2)),
    ("fk_originals_sha256", original(content=None, sha256=b"x" * 32)),
    ("fk_originals_fetched_for", original(fetched_for=uuid4())),
    ("ck_originals_one_place", original(content=None, size=None)),
    ("ck_originals_one_place", original(missing="too_large", size=None)),
    ("ck_originals_missing", original(content=None, missing="lost", size=None)),
    ("ck_originals_size", original(size=None)),
    ("ck_originals_size", original(size=0)),
    ("ck_originals_size", original(content=None, missing="too_large")),
    ("ck_originals_reread_result", original(reread_result="nicer")),
]
