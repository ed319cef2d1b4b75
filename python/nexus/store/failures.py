"""Errors of the store: the message for users, and the details for the operator's log."""

import threading
import time

from nexus.errors import StoreFullError, StoreUnavailableError
from nexus.logging import get_logger

log = get_logger(__name__)

# What waits for the store tries again and again: one that is absent for a day is a line every ten minutes.
LOG_SECONDS = 600.0
OPERATOR_MUST_FIX = "The operator must fix this."

_logged: dict[tuple[str, object], float] = {}
_lock = threading.Lock()


def full(location: str, reason: object) -> StoreFullError:
    _log("the store is full", location, reason)
    return StoreFullError("There is no room left where originals and pictures are kept. The operator must make room.")


def reserve_reached(location: str, reserve: int) -> StoreFullError:
    _log(
        "the store may not use the rest of its disk",
        location,
        f"less than NEXUS_STORE_RESERVE_BYTES={reserve} are free",
    )
    return StoreFullError(
        f"Where originals and pictures are kept, the last {reserve:,} bytes of the disk are reserved for the database "
        "(NEXUS_STORE_RESERVE_BYTES). The operator must make room."
    )


def unavailable(location: str, reason: object, message: str) -> StoreUnavailableError:
    _log("the store is not available", location, reason)
    return StoreUnavailableError(f"{message} {OPERATOR_MUST_FIX}")


def _log(event: str, location: str, reason: object) -> None:
    now = time.monotonic()
    with _lock:
        if now - _logged.get((location, reason), float("-inf")) < LOG_SECONDS:
            return
        _logged.clear()  # another reason, or an old one: few are worth remembering
        _logged[location, reason] = now
    log.warning(event, store=location, reason=str(reason))
