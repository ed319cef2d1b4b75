"""Keeps the garbage collector away from what the imports at the start of a process create."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """For the imports at the start of a process: the collector is off meanwhile, and leaves their objects alone later.

    Imports create 180 000 objects that are never freed. The collector would look through them several times while they
    are created, which is a sixth of a command's start. `gc.freeze` afterwards excludes them from later collections,
    each of which would take a server 0.2 s, the one at its end included.
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
    """Only the first time: where several commands run in one process (tests), the second call would also exclude the
    garbage of the first command for ever."""
    gc.freeze()
