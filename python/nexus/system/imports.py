"""Importing at the start of a process."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Imports make 180 000 objects that stay: looking through them again and again is a sixth of a command's start.

    Nor are they looked at later: each time costs a server 0.2 s, and it happens at the latest when it ends.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            _freeze_once()
            gc.enable()


@cache
def _freeze_once() -> None:
    """Not for each command that runs in this process: what the ones before it made is not to stay."""
    gc.freeze()
