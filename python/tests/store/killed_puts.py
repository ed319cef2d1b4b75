"""Puts blobs and names them in children that are killed at every line of the store, one line after the other.

Started by test_killed.py: imports once, then a fork per line. Prints how many were killed.
"""

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import text

import nexus.store
from nexus.config import load_settings
from nexus.db.session import Database
from nexus.store import BlobStore, keep_blob, open_store

LINES_OF = str(Path(nexus.store.__file__).parent)


def put_and_name(store: BlobStore, number: int) -> None:
    """New content in pieces, and content that everybody puts."""
    fresh = [b"piece %d of " % part + str(number).encode() * 1000 for part in range(3)]
    blobs = [store.put(iter(fresh)), store.put(b"put by all")]
    with store.database.transaction() as session:
        for blob in blobs:
            keep_blob(session, blob)
            session.execute(text("INSERT INTO names_a_blob VALUES (:s)"), {"s": blob.sha256})


class KillAtLine:
    def __init__(self, number: int) -> None:
        self._left = number

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(LINES_OF):
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def run_child(number: int) -> bool:
    """Whether it was killed; False: it had fewer lines than that."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            settings = load_settings()
            store = open_store(settings, Database(settings))
            sys.settrace(KillAtLine(number))
            put_and_name(store, number)
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return True
    if os.WEXITSTATUS(ended) != 0:
        raise SystemExit(f"a child failed at line {number}")
    return False


def main(step: int) -> None:
    number = 1
    while run_child(number):
        number += step
    print(number // step)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
