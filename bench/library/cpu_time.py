"""Processor time that a server and its database spend on a request: on a busy machine the wall clock tells more about
the others than about the request."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg

BACKENDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class CpuTime:
    """Processor time of the server process and of all its database connections."""

    def __init__(self, server: int, connection: psycopg.Connection) -> None:
        self._server = server
        self._connection = connection
        self._spent: dict[Path, int] = {}

    def refresh(self) -> None:
        """Threads and connections come and go."""
        backends = [pid for (pid,) in self._connection.execute(BACKENDS)]
        folders = [Path(f"/proc/{pid}/task") for pid in (self._server, *backends)]
        self._spent = {file: 0 for folder in folders for file in folder.glob("*/schedstat")}

    def milliseconds(self) -> float:
        """The time so far; only differences mean something. A thread that ended counts with its last time."""
        for file in self._spent:
            with suppress(OSError):
                self._spent[file] = int(file.read_text().split()[0])
        return sum(self._spent.values()) / 1e6


@contextmanager
def without_indexing(server: int) -> Iterator[None]:
    """Pages need no search index, and building that of a million entries would be measured with each of them."""
    while not (
        indexing := [each for each in psutil.Process(server).children() if "start_indexing" in str(each.cmdline())]
    ):
        time.sleep(0.1)
    indexing[0].suspend()
    try:
        yield
    finally:
        indexing[0].resume()


def newest_child() -> int:
    """The server that was started last by this process."""
    return max(psutil.Process().children(), key=lambda child: child.create_time()).pid
