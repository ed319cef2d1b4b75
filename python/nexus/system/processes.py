"""All processes of this machine."""

from collections.abc import Iterator

import psutil


def all_processes() -> Iterator[psutil.Process]:
    """Instead of psutil.process_iter, which raises FileNotFoundError when a pid ends and is reused while it looks."""
    for pid in psutil.pids():
        try:
            process = psutil.Process(pid)
        except (psutil.Error, OSError):
            continue
        yield process
