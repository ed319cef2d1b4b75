"""Requests on behalf of one feed, through the egress, with the retries and limits of its configuration."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import ada_url

from nexus.errors import CircuitOpenError, EgressError, HttpStatusError
from nexus.podcasts.config import PodcastConfig
from nexus.podcasts.net.breaker import Breakers
from nexus.podcasts.net.pacing import HostPacing, StopFlag
from nexus.web.egress import Egress, FetchedResponse, Limits, Response
from nexus.web.egress.politeness import retry_after

T = TypeVar("T")

FIRST_FAILURE = 400
NOT_MODIFIED = 304
MAX_WAIT_SECONDS = 120.0  # after a longer Retry-After the next run tries again
MAX_BACKOFF_SECONDS = 60.0
SMALL_TOTAL_SECONDS = 120.0
CONNECT_SECONDS = 10.0


@dataclass(frozen=True)
class RetryPolicy:
    retries: int
    backoff_factor: float

    def backoff(self, attempt: int) -> float:
        return min(MAX_BACKOFF_SECONDS, self.backoff_factor * 2.0**attempt)


@dataclass(frozen=True)
class FetchPolicy:
    """What all feeds of a run share."""

    egress: Egress
    pacing: HostPacing
    breakers: Breakers
    stop: StopFlag


class FeedClient:
    def __init__(self, policy: FetchPolicy, config: PodcastConfig, feed_url: str) -> None:
        self.config = config
        self.stop = policy.stop
        self._policy = policy
        self._feed_url = feed_url
        self.feed_retries = RetryPolicy(config.rss_retry_total, config.rss_backoff_factor)
        self.file_retries = RetryPolicy(config.http_retry_total, config.http_backoff_factor)
        self._retries_used: dict[str, int] = {}

    def may_request(self, url: str) -> bool:
        return self._policy.egress.may_request(url)

    def fetch(
        self, url: str, policy: RetryPolicy, *, max_bytes: int, headers: Mapping[str, str] | None = None
    ) -> FetchedResponse:
        """A small body, read whole. 304 is a response; a status of 400 or more is an error."""

        def send() -> FetchedResponse:
            with self.stream(url, max_bytes=max_bytes, headers=headers) as response:
                body = b"".join(response.iter_bytes())
                return FetchedResponse(response.status, response.headers, response.url, response.hops, body)

        return self.with_retries(url, policy, send)

    def with_retries(self, url: str, policy: RetryPolicy, send: Callable[[], T], *, key: str | None = None) -> T:
        """Retries a retryable failure with exponential backoff, and not before the host's Retry-After.

        The policy counts for the life of this client, by ``key`` (by default the URL): an episode that is processed
        again does not get the retries of its requests again.
        """
        key = key or url
        while True:
            attempt = self._retries_used.get(key, 0)
            try:
                return self._send_once(url, send)
            except EgressError as error:
                wait = wait_before_retry(error, policy.backoff(attempt))
                if wait is None or attempt >= policy.retries or isinstance(error, CircuitOpenError):
                    raise
            self._retries_used[key] = attempt + 1
            self.stop.sleep(wait)

    def _send_once(self, url: str, send: Callable[[], T]) -> T:
        self.stop.check()
        host = host_with_port(url)
        key = f"host:{host}" if self.config.circuit_breaker_scope == "host" else f"feed:{self._feed_url}"
        self._policy.breakers.check(key, self.config)
        interval, max_concurrent = self.config.host_request_interval_ms, self.config.host_max_concurrent
        try:
            with self._policy.pacing.turn(host, interval_ms=interval, max_concurrent=max_concurrent):
                result = send()
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
        """One request, without retries; a failure status is an error."""
        timeout = float(self.config.timeout)
        limits = Limits(max_bytes, min(CONNECT_SECONDS, timeout), timeout, max(total_seconds, timeout))
        all_headers = {"user-agent": self.config.user_agent, **(headers or {})}
        with self._policy.egress.stream(url, headers=all_headers, limits=limits) as response:
            if response.status >= FIRST_FAILURE:
                raise status_error(response)
            yield response


def wait_before_retry(error: EgressError, pause: float) -> float | None:
    """At least the host's Retry-After; None if the error is not to be retried in this run."""
    wait = max(pause, error.retry_after or 0.0)
    return wait if error.retryable and wait <= MAX_WAIT_SECONDS else None


def status_error(response: Response) -> HttpStatusError:
    return HttpStatusError(
        f"{host_with_port(response.url)} responded with status {response.status}.",
        http_status=response.status,
        retry_after=retry_after(response.headers),
        final_url=response.url,
    )


def host_with_port(url: str) -> str:
    try:
        return ada_url.URL(url).host
    except ValueError:
        return ""
