"""Processor time that a server and its database spend on a request: on a busy machine the wall clock tells more about
the others than about the request."""

from pathlib import Path

import psutil
import psycopg

BACKENDS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


class CpuTime:
    """Of the process that answers and of all its database connections."""

    def __init__(self, server: int, connection: psycopg.Connection) -> None:
        self._server = server
        self._connection = connection
        self._files: list[Path] = []

    def refresh(self) -> None:
        """Threads and connections come and go."""
        backends = [pid for (pid,) in self._connection.execute(BACKENDS)]
        folders = [Path(f"/proc/{pid}/task") for pid in (self._server, *backends)]
        self._files = [file for folder in folders for file in folder.glob("*/schedstat")]

    def milliseconds(self) -> float:
        """So far; only differences mean something. Of a thread that ended meanwhile nothing is known."""
        total = 0
        for file in self._files:
            try:
                total += int(file.read_text().split()[0])
            except OSError:
                continue
        return total / 1e6


def newest_child() -> int:
    """The server that was started last by this process."""
    return max(psutil.Process().children(), key=lambda child: child.create_time()).pid
