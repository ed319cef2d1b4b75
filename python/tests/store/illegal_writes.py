"""Illegal writes to the tables of the store and to those that name its blobs; test_schema_refuses.py tries them."""

from collections.abc import Callable
from uuid import uuid4

from psycopg import Connection

from tests import factories as make

Illegal = Callable[[Connection], object]


def blob(**values: object) -> Illegal:
    return lambda db: make.insert(db, "blobs", **({"sha256": b"x" * 32, "size": 1} | values))


def check(**values: object) -> Illegal:
    return lambda db: make.insert(db, "store_checks", **({"blobs": 2} | values))


def collection(**values: object) -> Illegal:
    return lambda db: make.insert(db, "store_collections", **({"blobs": 2} | values))


def audio(**values: object) -> Illegal:
    facts = {"sha256": b"x" * 32, "content_type": "audio/mpeg"} | values
    return lambda db: (blob()(db), make.insert(db, "media_audio", media_id=make.ready_media(db), **facts))


def two_audios_of_one_media(db: Connection) -> None:
    blob()(db)
    media = make.ready_media(db)
    for _ in range(2):
        make.insert(db, "media_audio", media_id=media, sha256=b"x" * 32, content_type="audio/mpeg")


def twice(write: Illegal) -> Illegal:
    return lambda db: (write(db), write(db))


REFUSED_BY_STORE: list[tuple[str, Illegal]] = [
    ("pk_blobs", twice(blob())),
    ("ck_blobs_hash", blob(sha256=b"plain")),
    ("ck_blobs_size", blob(size=-1)),
    ("ck_blobs_problem", blob(problem="unpopular")),
    ("uq_store_identity_the_only_one", twice(lambda db: make.insert(db, "store_identity", id=uuid4()))),
    ("ck_store_identity_the_only_one", lambda db: make.insert(db, "store_identity", id=uuid4(), the_only_one=False)),
    ("uq_store_checks_unfinished", twice(check())),
    ("ck_store_checks_counts", check(missing=2, damaged=1)),
    ("ck_store_checks_counts", check(bytes=-1)),
    ("ck_store_checks_end", check(finished_at="2020-01-01")),
    ("uq_store_collections_unfinished", twice(collection())),
    ("ck_store_collections_phase", collection(phase="elsewhere")),
    ("ck_store_collections_counts", collection(strays=-1)),
    ("ck_store_collections_end", collection(finished_at="2020-01-01")),
    ("pk_media_audio", two_audios_of_one_media),
    ("fk_media_audio_sha256", audio(sha256=b"y" * 32)),
    ("ck_media_audio_type", audio(content_type="text/html")),
]
