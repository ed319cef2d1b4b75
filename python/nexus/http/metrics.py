"""Prometheus metrics: requests, the queue, the worker. No label contains a user's data."""

import time
from collections.abc import Callable, Iterable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import Scope

from nexus.errors import NexusError
from nexus.logging import get_logger
from nexus.services.lifecycle import count_queue
from nexus.services.pictures.queue import count_pictures
from nexus.system.error_text import first_line

log = get_logger(__name__)

PICTURE_SECONDS = 60.0
PICTURE_TIMEOUT_MS = 2000
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Metrics:
    def __init__(
        self, engine: Engine, worker_state: Callable[[], str], skipped_lines: Callable[[], int] | None = None
    ) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._registry.register(QueueCollector(engine, worker_state))
        if skipped_lines:
            text = "Lines of job registries that are not records of jobs and were skipped."
            skipped = Gauge("nexus_job_registry_skipped_lines", text, registry=self._registry)
            skipped.set_function(skipped_lines)
        self._requests = Counter(
            "nexus_http_requests", "Requests with a response.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "nexus_http_request_seconds", "Time to respond.", ("method", "route"), registry=self._registry
        )

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        # The route's template, not the path: every label value is kept in memory.
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def render(self) -> bytes:
        return generate_latest(self._registry)


class QueueCollector(Collector):
    def __init__(self, engine: Engine, worker_state: Callable[[], str]) -> None:
        self._engine = engine
        self._worker_state = worker_state
        self._counted = float("-inf")
        self._pictures: dict[str, int] = {}

    def describe(self) -> Iterable[Metric]:
        return []  # so that registering does not query the database

    def collect(self) -> Iterable[Metric]:
        state = self._worker_state()
        yield GaugeMetricFamily("nexus_worker_up", "1 if this server's own worker runs.", float(state == "running"))
        try:
            with self._engine.connect() as connection:
                queue = count_queue(connection)
        except (SQLAlchemyError, NexusError):
            yield GaugeMetricFamily("nexus_database_up", "1 if the database responds.", 0)
            return
        yield GaugeMetricFamily("nexus_database_up", "1 if the database responds.", 1)
        yield GaugeMetricFamily("nexus_items_queued", "Items waiting for a worker.", queue.queued)
        yield GaugeMetricFamily("nexus_items_processing", "Items that a worker has claimed.", queue.processing)
        yield GaugeMetricFamily(
            "nexus_items_oldest_due_seconds", "How long the oldest due item has waited.", queue.oldest_due_seconds
        )
        self._count_pictures()
        pictures = GaugeMetricFamily("nexus_pictures", "Pictures by their state.", labels=["state"])
        for state, number in self._pictures.items():
            pictures.add_metric([state], number)
        yield pictures

    def _count_pictures(self) -> None:
        """It reads all of them: at most once a minute, also when it takes too long; the numbers before stay then."""
        if time.monotonic() - self._counted <= PICTURE_SECONDS:
            return
        try:
            with self._engine.begin() as connection:
                connection.execute(text(f"SET LOCAL statement_timeout = {PICTURE_TIMEOUT_MS}"))
                self._pictures = count_pictures(connection)
        except (SQLAlchemyError, NexusError) as error:
            log.warning("pictures are not counted", reason=first_line(error))
        self._counted = time.monotonic()
