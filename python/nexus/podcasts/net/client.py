"""Asks for things on behalf of one feed: through the one door, as patiently and politely as its configuration says."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import ada_url

from nexus.errors import CircuitOpenError, EgressError, HttpStatusError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.net.breaker import Breakers
from nexus.podcasts.net.pacing import HostPacing, Stop
from nexus.web.egress import Egress, Fetched, Limits, Response
from nexus.web.egress.politeness import retry_after

T = TypeVar("T")

FIRST_FAILURE = 400
NOT_MODIFIED = 304
MAX_WAIT = 120.0  # a host that wants a longer pause is asked again by the next run
MAX_BACKOFF = 60.0
SMALL_TOTAL_SECONDS = 120.0
CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class Patience:
    retries: int
    factor: float

    def pause(self, attempt: int) -> float:
        return min(MAX_BACKOFF, self.factor * 2.0**attempt)


@dataclass(frozen=True)
class FetchPolicy:
    """What all feeds of a run share."""

    egress: Egress
    pacing: HostPacing
    breakers: Breakers
    stop: Stop


class FeedClient:
    def __init__(self, policy: FetchPolicy, config: PodcastConfig, feed_url: str) -> None:
        self.config = config
        self.stop = policy.stop
        self._policy = policy
        self._feed_url = feed_url
        self.for_feed = Patience(config.rss_retry_total, config.rss_backoff_factor)
        self.for_files = Patience(config.http_retry_total, config.http_backoff_factor)

    def may_request(self, url: str) -> bool:
        return self._policy.egress.may_request(url)

    def fetch(
        self, url: str, patience: Patience, *, max_bytes: int, headers: Mapping[str, str] | None = None
    ) -> Fetched:
        """A small body, whole. 304 is an answer; what is 400 or more is an error."""

        def ask() -> Fetched:
            with self.stream(url, max_bytes=max_bytes, headers=headers) as answer:
                body = b"".join(answer.iter_bytes())
                return Fetched(answer.status, answer.headers, answer.url, answer.hops, body)

        return self.patiently(url, patience, ask)

    def patiently(self, url: str, patience: Patience, ask: Callable[[], T]) -> T:
        """Again after a passing failure, with growing pauses, not before the host wants it."""
        attempt = 0
        while True:
            try:
                return self._once(url, ask)
            except EgressError as error:
                wait = max(patience.pause(attempt), error.retry_after or 0.0)
                if not error.retryable or attempt >= patience.retries or wait > MAX_WAIT:
                    raise
                if isinstance(error, CircuitOpenError):
                    raise
            attempt += 1
            self.stop.sleep(wait)

    def _once(self, url: str, ask: Callable[[], T]) -> T:
        self.stop.check()
        host = host_of(url)
        key = f"host:{host}" if self.config.circuit_breaker_scope == "host" else f"feed:{self._feed_url}"
        self._policy.breakers.check(key, self.config)
        interval, at_once = self.config.host_request_interval_ms, self.config.host_max_concurrent
        try:
            with self._policy.pacing.turn(host, interval_ms=interval, at_once=at_once):
                result = ask()
        except EgressError as error:
            self._policy.breakers.failed(key, error, self.config)
            raise
        self._policy.breakers.succeeded(key)
        return result

    @contextmanager
    def stream(
        self,
        url: str,
        *,
        max_bytes: int,
        headers: Mapping[str, str] | None = None,
        total_seconds: float = SMALL_TOTAL_SECONDS,
    ) -> Iterator[Response]:
        """One request, no patience; a failure status is an error."""
        timeout = float(self.config.timeout)
        limits = Limits(max_bytes, min(CONNECT_SECONDS, timeout), timeout, max(total_seconds, timeout))
        own = {"user-agent": self.config.user_agent, **(headers or {})}
        with self._policy.egress.stream(url, headers=own, limits=limits) as answer:
            if answer.status >= FIRST_FAILURE:
                raise status_error(answer)
            yield answer


def status_error(answer: Response) -> HttpStatusError:
    return HttpStatusError(
        f"{host_of(answer.url)} answered with status {answer.status}.",
        http_status=answer.status,
        retry_after=retry_after(answer.headers),
        final_url=answer.url,
    )


def host_of(url: str) -> str:
    try:
        return ada_url.URL(url).host
    except ValueError:
        return ""
