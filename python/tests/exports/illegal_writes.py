"""Illegal writes to the tables of exports; test_schema_refuses.py tries them."""

from collections.abc import Callable
from uuid import uuid4

from psycopg import Connection

from tests import factories as make

Illegal = Callable[[Connection], object]
CLAIM = {"claimed_by": uuid4(), "claimed_at": "now", "lease_until": "now"}
FILE = {"status": "finished", "finished_at": "now", "size": 1, "filename": "a.zip", "modified_ns": 1}


def schedule(**values: object) -> Illegal:
    facts = {"format": "markdown", "every": "daily", "keep": 1, "destination": "store"} | values
    return lambda db: make.insert(db, "export_schedules", user_id=make.user(db), **facts)


def export(**values: object) -> Illegal:
    return lambda db: make.insert(db, "exports", **({"user_id": make.user(db), "format": "markdown"} | values))


REFUSED_EXPORTS: list[tuple[str, Illegal]] = [
    ("ck_export_schedules_format", schedule(format="papyrus")),
    ("ck_export_schedules_query", schedule(query=" ")),
    ("ck_export_schedules_every", schedule(every="hourly")),
    ("ck_export_schedules_keep", schedule(keep=0)),
    ("ck_export_schedules_destination", schedule(destination="moon")),
    ("ck_exports_format", export(format="papyrus")),
    ("ck_exports_query", export(query="")),
    ("ck_exports_status", export(status="lost")),
    ("ck_exports_claim", export(status="running")),
    ("ck_exports_claim", export(**CLAIM)),
    ("ck_exports_finished_at", export(status="cancelled")),
    ("ck_exports_finished_at", export(finished_at="now")),
    ("ck_exports_file", export(**FILE | {"filename": None})),
    ("ck_exports_file", export(**FILE | {"modified_ns": None})),
    ("ck_exports_file", export(size=1)),
    ("ck_exports_message", export(status="failed", finished_at="now")),
    ("ck_exports_counts", export(done=-1)),
    ("ck_exports_left_out", export(left_out="{}")),
    ("fk_exports_sha256", export(**FILE | {"modified_ns": None, "sha256": b"x" * 32})),
]
