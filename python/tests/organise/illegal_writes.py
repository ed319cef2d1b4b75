"""Illegal writes to library entries, tags and saved searches; test_schema_refuses.py tries them."""

from collections.abc import Callable
from uuid import uuid4

from psycopg import Connection

from tests import factories as make


def entry(**values: object) -> Callable[[Connection], object]:
    def insert(db: Connection) -> None:
        library = make.library(db, make.user(db))
        make.insert(db, "library_media", library_id=library, media_id=make.ready_media(db), **values)

    return insert


def tag(**values: object) -> Callable[[Connection], object]:
    def insert(db: Connection) -> None:
        make.insert(db, "tags", **({"user_id": make.user(db), "name": "Mine", "name_key": "mine"} | values))

    return insert


def same_tag_twice(db: Connection) -> None:
    owner = make.user(db)
    for _ in range(2):
        tag(user_id=owner)(db)


def tag_of_another_user(db: Connection) -> None:
    library, media = make.library(db, make.user(db)), make.ready_media(db)
    make.insert(db, "library_media", library_id=library, media_id=media)
    theirs = make.insert(db, "tags", id=uuid4(), user_id=make.user(db), name="Theirs", name_key="theirs")
    make.insert(db, "entry_tags", library_id=library, media_id=media, tag_id=theirs, is_set=True, decided_at="now")


def undo_of_an_unknown_part(db: Connection) -> None:
    undo = make.insert(db, "bulk_undos", id=uuid4(), user_id=make.user(db), decided_at="now")
    make.insert(db, "bulk_undo_entries", undo_id=undo, media_id=make.ready_media(db), part="title")


def search(**values: object) -> Callable[[Connection], object]:
    def insert(db: Connection) -> None:
        base = {"user_id": make.user(db), "name": "Mine", "query": "{}", "sort": "newest", "position": 1}
        make.insert(db, "saved_searches", **(base | values))

    return insert


def same_search_twice(db: Connection) -> None:
    owner = make.user(db)
    for _ in range(2):
        search(user_id=owner)(db)


REFUSED_ENTRIES: list[tuple[str, Callable[[Connection], object]]] = [
    ("ck_library_media_own_title", entry(own_title=" \n")),
    ("ck_library_media_own_title", entry(own_title="x" * 501)),
    ("ck_library_media_note", entry(note="")),
    ("ck_library_media_note", entry(note="x" * 100_001)),
    ("uq_tags_user_id_name_key", same_tag_twice),
    ("ck_tags_name", tag(name=" ")),
    ("ck_tags_name", tag(name="x" * 101)),
    ("ck_tags_color", tag(color="pink")),
    ("entry_tags_are_own", tag_of_another_user),
    ("ck_bulk_undo_entries_part", undo_of_an_unknown_part),
    ("uq_saved_searches_user_id_name", same_search_twice),
    ("ck_saved_searches_name", search(name=" ")),
    ("ck_saved_searches_query", search(query="[]")),
    ("ck_saved_searches_sort", search(sort="luck")),
]
