"""Resolves names. The system's resolver cannot be interrupted, so it runs in daemon threads."""

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from nexus.errors import ConnectionFailedError, FetchTimeoutError
from nexus.web.egress.limits import Deadline

Resolver = Callable[[str, int], Sequence[str]]

MAX_LOOKUPS = 64


def system_resolver(host: str, port: int) -> Sequence[str]:
    # As bytes: Python's own IDNA step refuses some names that the URL parser has already encoded.
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class ThreadedResolver:
    """Resolves in a thread with a time-out, so that a name server that hangs delays only its caller."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._free = threading.BoundedSemaphore(MAX_LOOKUPS)

    def addresses(self, host: str, port: int, deadline: Deadline, seconds: float) -> Sequence[str]:
        allowed = deadline.bounded(seconds)
        if not self._free.acquire(timeout=allowed):
            raise FetchTimeoutError("Too many name look-ups are under way; try again later.")
        result: Future[Sequence[str]] = Future()
        threading.Thread(target=self._resolve, args=(host, port, result), name="look-up", daemon=True).start()
        try:
            found = result.result(timeout=deadline.bounded(seconds))
        except TimeoutError:
            raise FetchTimeoutError(f"The name {host} could not be looked up in time.") from None
        except (OSError, UnicodeError) as error:
            raise ConnectionFailedError(f"The name {host} cannot be found: {_reason(error)}.") from error
        if not found:
            raise ConnectionFailedError(f"The name {host} has no address.")
        return found

    def _resolve(self, host: str, port: int, result: "Future[Sequence[str]]") -> None:
        try:
            result.set_result(self._resolver(host, port))
        except Exception as error:  # noqa: BLE001  (raised in the calling thread)
            result.set_exception(error)
        finally:
            self._free.release()


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else "it is not a valid name"
