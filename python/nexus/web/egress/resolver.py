"""Names to addresses. The system's resolver cannot be interrupted, so it works in threads nobody has to wait for."""

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from nexus.errors import ConnectionFailedError, FetchTimeoutError
from nexus.web.egress.limits import Deadline

Resolver = Callable[[str, int], Sequence[str]]

LOOK_UPS_AT_ONCE = 64


def system_resolver(host: str, port: int) -> Sequence[str]:
    # As bytes, since Python's own IDNA step refuses names that the URL parser has already settled.
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class PatientResolver:
    """Asks a resolver in daemon threads: a name server that hangs costs its caller the time-out and nobody more."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._free = threading.BoundedSemaphore(LOOK_UPS_AT_ONCE)

    def addresses(self, host: str, port: int, deadline: Deadline, seconds: float) -> Sequence[str]:
        allowed = deadline.bounded(seconds)
        if not self._free.acquire(timeout=allowed):
            raise FetchTimeoutError("Too many name look-ups are waiting for an answer; try again later.")
        answer: Future[Sequence[str]] = Future()
        threading.Thread(target=self._ask, args=(host, port, answer), name="look-up", daemon=True).start()
        try:
            found = answer.result(timeout=deadline.bounded(seconds))
        except TimeoutError:
            raise FetchTimeoutError(f"The name {host} could not be looked up in time.") from None
        except (OSError, UnicodeError) as error:
            raise ConnectionFailedError(f"The name {host} cannot be found: {_reason(error)}.") from error
        if not found:
            raise ConnectionFailedError(f"The name {host} has no address.")
        return found

    def _ask(self, host: str, port: int, answer: "Future[Sequence[str]]") -> None:
        try:
            answer.set_result(self._resolver(host, port))
        except Exception as error:  # noqa: BLE001  (handed to the thread that asked)
            answer.set_exception(error)
        finally:
            self._free.release()


def _reason(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else "it is not a valid name"
