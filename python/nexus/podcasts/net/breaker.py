"""A circuit breaker: no requests to a feed or host that keeps failing; after the cooldown one is tried."""

import math
import threading
from collections import deque
from dataclasses import dataclass, field
from time import monotonic

from nexus.errors import CircuitOpenError, EgressError
from nexus.podcasts.config import PodcastConfig

# The host is down or refuses us; a missing file says nothing about the host.
COUNTED_STATUSES = frozenset({401, 403, 408, 429})
SERVER_ERRORS = 500


@dataclass
class _Circuit:
    failures: deque[float] = field(default_factory=deque)
    open_until: float | None = None
    is_trying: bool = False


class Breakers:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._circuits: dict[str, _Circuit] = {}

    def check(self, key: str, config: PodcastConfig) -> None:
        if not config.circuit_breaker_enabled:
            return
        with self._lock:
            circuit = self._circuits.setdefault(key, _Circuit())
            if circuit.open_until is None:
                return
            left = circuit.open_until - monotonic()
            if left <= 0 and not circuit.is_trying:
                circuit.is_trying = True
                return
        name = key.partition(":")[2]
        raise CircuitOpenError(
            f"{name} failed {config.circuit_breaker_failure_threshold} times within "
            f"{config.circuit_breaker_window_seconds} s; no requests go to it for now.",
            retry_after=float(max(1, math.ceil(left))),
        )

    def succeeded(self, key: str) -> None:
        with self._lock:
            if key in self._circuits and self._circuits[key].is_trying:
                del self._circuits[key]

    def failed(self, key: str, error: EgressError, config: PodcastConfig) -> None:
        if not config.circuit_breaker_enabled:
            return
        if not _counts(error):
            self.succeeded(key)  # a file is missing, but the host responds
            return
        now = monotonic()
        with self._lock:
            circuit = self._circuits.setdefault(key, _Circuit())
            circuit.failures.append(now)
            while circuit.failures[0] < now - config.circuit_breaker_window_seconds:
                circuit.failures.popleft()
            if circuit.is_trying or len(circuit.failures) >= config.circuit_breaker_failure_threshold:
                circuit.open_until = now + config.circuit_breaker_cooldown_seconds
                circuit.is_trying = False


def _counts(error: EgressError) -> bool:
    if error.http_status is not None:
        return error.http_status in COUNTED_STATUSES or error.http_status >= SERVER_ERRORS
    return error.retryable
