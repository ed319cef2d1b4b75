"""Being told early that the server is to stop: it waits for open answers before it tells the application."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def when_told_to_stop(tell: Callable[[], object]) -> Iterator[None]:
    """Call `tell` at the first signal, before the server's own handler, for as long as the block lasts."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's; whoever runs us elsewhere ends us by other means
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        tell()
        following: Any = before[signal.Signals(number)]
        if callable(following):
            following(number, frame)

    for number in SIGNALS:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is handle:
                signal.signal(number, handler)
