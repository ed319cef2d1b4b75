"""What PostgreSQL refuses to hold about library entries."""

from collections.abc import Callable

from psycopg import Connection

from tests import factories as make


def entry(**values: object) -> Callable[[Connection], object]:
    def insert(db: Connection) -> None:
        library = make.library(db, make.user(db))
        make.insert(db, "library_media", library_id=library, media_id=make.ready_media(db), **values)

    return insert


REFUSED_ENTRIES: list[tuple[str, Callable[[Connection], object]]] = [
    ("ck_library_media_own_title", entry(own_title=" \n")),
    ("ck_library_media_own_title", entry(own_title="x" * 501)),
    ("ck_library_media_note", entry(note="")),
    ("ck_library_media_note", entry(note="x" * 100_001)),
]
