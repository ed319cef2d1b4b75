"""Puts blobs and names them, or collects, in children that are killed at lines of the store, one after the other.

Started by test_killed.py: imports once, then a fork per line. Prints how many were killed.
"""

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from sqlalchemy import text

import nexus.store
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.store import BlobStore, keep_blob, open_store
from nexus.store.collect import collect_some
from tests.killed_at_lines import kill_at_line, kill_at_lines

NOW = timedelta(0)
LINES_OF = str(Path(nexus.store.__file__).parent)


def put_and_name(store: BlobStore, number: int) -> None:
    """New content in pieces, and content that everybody puts."""
    fresh = [b"piece %d of " % part + str(number).encode() * 1000 for part in range(3)]
    blobs = [store.put(iter(fresh)), store.put(b"put by all")]
    with store.database.transaction() as session:
        for blob in blobs:
            keep_blob(session, blob)
            session.execute(text("INSERT INTO names_a_blob VALUES (:s)"), {"s": blob.sha256})


def put_what_nothing_names(store: BlobStore, _: int) -> None:
    blobs = [store.put(b"unnamed %d" % part) for part in range(4)]
    with store.database.transaction() as session:
        session.execute(text("DELETE FROM blobs WHERE sha256 = :s"), {"s": blobs[0].sha256})  # a stray


def collect_in_steps(store: BlobStore, _: int) -> None:
    while collect_some(store, every=NOW, grace=NOW, seconds=0):
        pass


Step = Callable[[BlobStore, int], None]
# What is done without being killed, and then what is killed.
WORK: dict[str, tuple[Step, Step]] = {
    "put": (lambda *_: None, put_and_name),
    "collect": (put_what_nothing_names, collect_in_steps),
}


def main(work: str, step: int) -> None:
    prepare, do = WORK[work]

    def work_until_killed(number: int) -> None:
        settings = load_settings()
        store = open_store(settings, Database(settings))
        prepare(store, number)
        kill_at_line(number, LINES_OF)
        do(store, number)

    print(kill_at_lines(work_until_killed, step=step))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
