"""Illegal writes to the tables of highlights; test_schema_refuses.py tries them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from tests import factories as make

Illegal = Callable[[Connection], object]


def library_with_text(db: Connection) -> tuple[UUID, UUID]:
    library, media = make.library(db, make.user(db)), make.ready_media(db)
    make.insert(db, "library_media", library_id=library, media_id=media)
    return library, media


def add(db: Connection, library: UUID, media: UUID, **values: Any) -> UUID:
    """A highlight of the text "Hello"."""
    place = {"version": 1, "start_fragment": 0, "start_offset": 0, "end_fragment": 0, "end_offset": 4}
    words = {"quote": "Hell", "prefix": "", "suffix": "o", "color": "yellow", "state": "attached"}
    base = {"id": uuid4(), "library_id": library, "media_id": media, "carried_version": 1}
    return make.insert(db, "highlights", **(base | place | words | values))


def highlight(**values: Any) -> Illegal:
    return lambda db: add(db, *library_with_text(db), **values)


def in_nobodys_library(db: Connection) -> None:
    add(db, make.library(db, make.user(db)), make.ready_media(db))


def moved_out_of_the_text(db: Connection) -> None:
    highlight()(db)
    db.execute("UPDATE highlights SET end_offset = 6")


def same_id_twice(db: Connection) -> None:
    library, media = library_with_text(db)
    for _ in range(2):
        add(db, library, media, id=UUID(int=1))


def tag_of_another_user(db: Connection) -> None:
    library, media = library_with_text(db)
    made = add(db, library, media)
    theirs = make.insert(db, "tags", id=uuid4(), user_id=make.user(db), name="Theirs", name_key="theirs")
    make.insert(db, "highlight_tags", library_id=library, highlight_id=made, tag_id=theirs, created_at="now")


def review(*numbers: int) -> Illegal:
    def insert(db: Connection) -> None:
        library, media = library_with_text(db)
        made = add(db, library, media)
        for number in numbers:
            make.insert(db, "highlight_reviews", library_id=library, day="2026-01-31", number=number, highlight_id=made)

    return insert


def feed(secret: bytes) -> Illegal:
    return lambda db: make.insert(db, "highlight_feeds", user_id=make.user(db), secret_sha256=secret)


def same_secret_twice(db: Connection) -> None:
    for _ in range(2):
        feed(b"x" * 32)(db)


def counted_below_zero(db: Connection) -> None:
    library_with_text(db)
    db.execute("UPDATE library_media SET highlight_count = -1")


def counted_as_none(db: Connection) -> None:
    library_with_text(db)
    db.execute("UPDATE library_media SET highlight_count = 1")


REFUSED_HIGHLIGHTS: list[tuple[str, Illegal]] = [
    ("pk_highlights", same_id_twice),
    ("fk_highlights_library_id", in_nobodys_library),
    ("fk_highlights_library_id", highlight(media_id=uuid4())),
    ("fk_highlights_media_id", highlight(version=2, carried_version=2)),
    ("highlights_lie_in_text", highlight(end_fragment=1)),
    ("highlights_lie_in_text", highlight(end_offset=6)),
    ("highlights_stay_in_text", moved_out_of_the_text),
    ("ck_highlights_range", highlight(end_offset=0)),
    ("ck_highlights_range", highlight(start_offset=-1)),
    ("ck_highlights_range", highlight(start_fragment=-1)),
    ("ck_highlights_range", highlight(start_fragment=1)),
    ("ck_highlights_range", highlight(end_fragment=1, end_offset=-1)),
    ("ck_highlights_quote", highlight(quote="")),
    ("ck_highlights_quote", highlight(quote="x" * 50_001)),
    ("ck_highlights_context", highlight(prefix="x" * 65)),
    ("ck_highlights_context", highlight(suffix="x" * 65)),
    ("ck_highlights_start_ms", highlight(start_ms=-1)),
    ("ck_highlights_color", highlight(color="red")),
    ("ck_highlights_note", highlight(note="")),
    ("ck_highlights_note", highlight(note="x" * 10_001)),
    ("ck_highlights_state", highlight(state="lost", carried_version=2)),
    ("ck_highlights_attached", highlight(carried_version=2)),
    ("ck_highlights_attached", highlight(carried_version=None)),
    ("ck_highlights_attached", highlight(version=None, carried_version=None)),
    ("ck_highlights_attached", highlight(state="orphaned")),
    ("ck_highlights_review_round", highlight(review_round=-1)),
    ("ck_library_media_highlight_count", counted_below_zero),
    ("ck_library_media_has_highlights", counted_as_none),
    ("highlight_tags_are_own", tag_of_another_user),
    ("pk_highlight_reviews", review(1, 1)),
    ("uq_highlight_reviews_library_id_day_highlight_id", review(1, 2)),
    ("ck_highlight_reviews_number", review(0)),
    ("ck_highlight_reviews_number", review(6)),
    ("ck_highlight_feeds_secret_sha256", feed(b"short")),
    ("uq_highlight_feeds_secret_sha256", same_secret_twice),
]
