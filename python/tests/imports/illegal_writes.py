"""Illegal writes to the tables of imports; test_schema_refuses.py tries them."""

from collections.abc import Callable
from uuid import UUID, uuid4

from psycopg import Connection

from tests import factories as make

STARTED = {"status": "running", "started_at": "now"}


def add_import(db: Connection, **values: object) -> UUID:
    base = {"id": uuid4(), "user_id": make.user(db), "source": "pocket", "label": "Pocket", "files": "[]"}
    added: UUID = make.insert(db, "imports", **(base | values))
    return added


def illegal_import(**values: object) -> Callable[[Connection], object]:
    return lambda db: add_import(db, **values)


def row(**values: object) -> Callable[[Connection], object]:
    def insert(db: Connection) -> None:
        base = {"import_id": add_import(db), "number": 0, "file": "a.csv", "line": 1, "record": "{}"}
        make.insert(db, "import_rows", **(base | values))

    return insert


def moving(before: str, after: str) -> Callable[[Connection], object]:
    """Changes one status to another, with the times that both require."""

    def move(db: Connection) -> None:
        over = ("cancelled", "finished", "undoing", "undone")
        times = {
            "started_at": None if before == "previewed" else "now",
            "finished_at": "now" if before in over else None,
        }
        moved = add_import(db, status=before, **times)
        db.execute(
            "UPDATE imports SET status = %s, started_at = now(), finished_at = %s WHERE id = %s",
            [after, "now" if after in over else None, moved],
        )

    return move


REFUSED_IMPORTS: list[tuple[str, Callable[[Connection], object]]] = [
    ("ck_imports_status", illegal_import(status="lost", started_at="now", finished_at="now")),
    ("ck_imports_names", illegal_import(source=" ")),
    ("ck_imports_names", illegal_import(label="x" * 201)),
    ("ck_imports_json", illegal_import(files="{}")),
    ("ck_imports_json", illegal_import(options="[]")),
    ("ck_imports_json", illegal_import(summary="[]")),
    ("ck_imports_undo", illegal_import(undo="[]")),
    ("ck_imports_counts", illegal_import(total=1, loaded=2)),
    ("ck_imports_started", illegal_import(status="running")),
    ("ck_imports_started", illegal_import(started_at="now")),
    ("ck_imports_finished", illegal_import(**STARTED, finished_at="now")),
    ("ck_imports_finished", illegal_import(**STARTED | {"status": "finished"})),
    ("ck_imports_finished", illegal_import(**STARTED | {"status": "finished", "finished_at": "2020-01-01"})),
    ("ck_imports_outcomes", illegal_import(added=-1)),
    ("ck_imports_outcomes", illegal_import(merged=-1)),
    ("ck_imports_outcomes", illegal_import(unchanged=-1)),
    ("ck_imports_outcomes", illegal_import(failed=-1)),
    ("ck_imports_outcomes", illegal_import(total=1, loaded=1, added=1, merged=1)),
    ("ck_imports_progress", illegal_import(samples="{}")),
    ("ck_imports_progress", illegal_import(fetching="[]")),
    ("ck_imports_rows", illegal_import(total=1)),
    ("ck_imports_whole", illegal_import(**STARTED | {"status": "finished", "finished_at": "now"}, total=1, loaded=1)),
    *(
        ("imports_move_as_they_may", moving(before, after))
        for before, after in [
            ("previewed", "paused"),
            ("previewed", "undoing"),
            ("paused", "finished"),
            ("finished", "paused"),
            ("cancelled", "running"),
            ("undoing", "running"),
            ("undone", "running"),
            ("undone", "undoing"),
        ]
    ),
    ("fk_imports_rows_sha256", illegal_import(rows_sha256=b"x" * 32)),
    ("ck_import_rows_place", row(number=-1)),
    ("ck_import_rows_place", row(line=-1)),
    ("ck_import_rows_url_key", row(url_key=b"short")),
    ("ck_import_rows_record", row(record="[]")),
    ("ck_import_rows_content", row(content="words")),
    ("ck_import_rows_content", row(content="words", content_type="pdf")),
    ("ck_import_rows_content_due", row(content_due=True)),
    ("ck_import_rows_outcome", row(outcome="lost", applied_at="now")),
    ("ck_import_rows_applied", row(outcome="added")),
    ("ck_import_rows_applied", row(applied_at="now")),
    ("ck_import_rows_says_why", row(outcome="failed", applied_at="now")),
    ("ck_import_rows_says_why", row(code="bad_link")),
    ("ck_import_rows_undo", row(undo="{}")),
    ("ck_import_rows_undo", row(undo="{}", outcome="unchanged", applied_at="now")),
    ("ck_import_rows_undo", row(undo="[]", outcome="added", applied_at="now")),
]
