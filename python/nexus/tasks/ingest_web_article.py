from uuid import UUID

from celery.signals import worker_process_init, worker_process_shutdown
from structlog.contextvars import bound_contextvars

from nexus.celery import INGEST_WEB_ARTICLE, celery_app
from nexus.worker.celery_worker import celery_worker


@celery_app.task(name=INGEST_WEB_ARTICLE, max_retries=0)  # type: ignore[untyped-decorator]
def ingest_web_article(media_id: UUID | str, actor_user_id: UUID | str, request_id: str | None = None) -> None:
    """The row decides whose item it is and whether there is anything to do; the user's id is for the log.

    Celery's JSON turns the ids back into UUIDs.
    """
    with bound_contextvars(request_id=request_id, actor=str(actor_user_id)):
        celery_worker().process(UUID(str(media_id)))


@worker_process_init.connect  # type: ignore[untyped-decorator]
def open_worker(**_: object) -> None:
    celery_worker()


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def close_worker(**_: object) -> None:
    if celery_worker.cache_info().currsize:
        celery_worker().close()
