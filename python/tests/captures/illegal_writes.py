"""Illegal writes to the tables of captures and pairings; test_schema_refuses.py tries them."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from psycopg import Connection

from tests import factories as make

Illegal = Callable[[Connection], object]
KEY = b"k" * 32


def captured_twice(db: Connection) -> None:
    owner = make.user(db)
    for _ in range(2):
        make.media(db, owner_user_id=owner, captured_url_key=KEY)


def code(**values: Any) -> Illegal:
    base = {"code_sha256": KEY, "expires_at": "infinity"}
    return lambda db: make.insert(db, "pairing_codes", **({"user_id": make.user(db)} | base | values))


def same_code_twice(db: Connection) -> None:
    for _ in range(2):
        code()(db)


REFUSED_CAPTURES: list[tuple[str, Illegal]] = [
    ("uq_media_owner_captured_url_key", captured_twice),
    ("ck_media_captured_url_key", lambda db: make.media(db, owner_user_id=make.user(db), captured_url_key=b"short")),
    ("ck_media_captured_url_key_is_private", lambda db: make.media(db, captured_url_key=KEY)),
    ("ck_media_captured_url_key_is_private", lambda db: make.media(
        db, kind="pasted_text", owner_user_id=make.user(db), captured_url_key=KEY)),
    ("ck_api_tokens_paired_is_no_operator", lambda db: make.insert(
        db, "api_tokens", id=uuid4(), user_id=make.user(db), secret_sha256=KEY, is_operator=True, is_paired=True)),
    ("uq_pairing_codes_code_sha256", same_code_twice),
    ("ck_pairing_codes_hash", code(code_sha256=b"plain")),
    ("ck_pairing_codes_expiry", code(expires_at="2020-01-01")),
]  # fmt: skip
