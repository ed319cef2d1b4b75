"""What a parser may do on a hostile page, as functions that a child process can import."""

import os
import signal
import time

import psutil

from nexus.errors import SanitizationError


def sleep_forever() -> None:
    while True:
        time.sleep(60)


def sleep_a_while(seconds: float) -> None:
    time.sleep(seconds)


def spin_holding_the_gil() -> int:
    return sum(range(10**13))


def take_memory(count: int) -> int:
    return len(bytearray(count))


def die_by(number: int) -> None:
    os.kill(os.getpid(), number)
    signal.pause()


def recurse(depth: int = 0) -> int:
    return recurse(depth + 1)


def raise_typed() -> None:
    raise SanitizationError("No stable form.", passes=8)


def raise_untyped() -> None:
    raise KeyError("a bug in a parser")


def answer_with_a_lambda() -> object:
    return lambda: None


def process_id() -> int:
    return os.getpid()


def environment() -> dict[str, str]:
    return dict(os.environ)


def echo(value: str) -> str:
    return value


def threads() -> int:
    return psutil.Process().num_threads()
