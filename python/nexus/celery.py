"""Celery, as transport only: the rows are the queue, and a message only names one of them."""

from typing import Any

from celery import Celery

from nexus.config import Settings, get_settings

CELERY_QUEUE = "ingest"
INGEST_WEB_ARTICLE = "ingest_web_article"

# Fetch 60 s, text 10 s, two renderings of 40 s: a task that takes longer hangs.
SOFT_SECONDS = 200
HARD_SECONDS = 220

RELIABLE: dict[str, Any] = {
    "task_default_queue": CELERY_QUEUE,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "worker_cancel_long_running_tasks_on_connection_loss": True,
    "worker_max_tasks_per_child": 200,
    "worker_hijack_root_logger": False,
    "task_soft_time_limit": SOFT_SECONDS,
    "task_time_limit": HARD_SECONDS,
    "task_ignore_result": True,
    "task_serializer": "json",
    "result_serializer": "json",
    "accept_content": ["json"],
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
}
# A broker that hangs must not block the publisher: Redis would for ever, RabbitMQ would confirm a message it never
# got. Consumers do without these: a quiet queue is no error.
PUBLISHING: dict[str, dict[str, Any]] = {
    "redis": {"socket_timeout": 5, "socket_connect_timeout": 2},
    "amqp": {"confirm_publish": True, "read_timeout": 5, "write_timeout": 5},
}
# Redis delivers a message again after this long without an acknowledgement, and checks in each round.
CONSUMING: dict[str, dict[str, Any]] = {
    "redis": {"visibility_timeout": 2 * HARD_SECONDS, "unacked_restore_throttle": 1},
    "amqp": {"confirm_publish": True},
}


def celery_from(settings: Settings, *, publishes_only: bool = False) -> Celery:
    broker = settings.celery_broker_url
    app = Celery("nexus", broker=broker, backend=settings.celery_result_backend, set_as_current=False)
    kind = "redis" if (broker or "").startswith("redis") else "amqp"
    options = (PUBLISHING if publishes_only else CONSUMING)[kind]
    app.conf.update(RELIABLE, broker_transport_options=options, broker_connection_timeout=3)
    return app


celery_app = celery_from(get_settings())
