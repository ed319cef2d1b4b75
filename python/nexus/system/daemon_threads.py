"""A thread for each call, which the end of the process does not wait for: `ThreadPoolExecutor` joins its threads."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class DaemonThreads(Executor):
    """The number of threads is not limited here, but by the caller."""

    def __init__(self, name: str) -> None:
        self._name = name

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        arguments: tuple[Any, ...] = (future, lambda: fn(*args, **kwargs))
        threading.Thread(target=_run, args=arguments, name=self._name, daemon=True).start()
        return future


def _run(future: Future[T], work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - for whoever waits for the result
        future.set_exception(error)
    else:
        future.set_result(result)
