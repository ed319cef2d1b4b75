"""Processes the media that a Celery message names: claims its item like any other worker, one at a time."""

from functools import lru_cache
from uuid import UUID, uuid4

from sqlalchemy.exc import SQLAlchemyError

from nexus.config import Settings, get_settings
from nexus.db.session import Database
from nexus.logging import configure_logging, get_logger
from nexus.pipelines.resources import Resources
from nexus.services import workers
from nexus.services.lifecycle import claim_media
from nexus.system.error_text import first_line
from nexus.worker.heartbeat import Heartbeat
from nexus.worker.held_claims import HeldClaims
from nexus.worker.result_writer import ResultWriter, internal_failure

log = get_logger(__name__)


class CeleryWorker:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._id = uuid4()
        self._database = Database(settings)
        self._resources = Resources(settings)
        self._claims = HeldClaims(1)
        self._results = ResultWriter(
            self._database, min_chars=settings.worker_min_chars, on_settled=self._claims.release
        )
        self._heartbeat = Heartbeat(
            self._database, self._id, self._claims,
            lease_seconds=settings.worker_lease_seconds, engine="celery", can_render=self._resources.can_render,
            sandbox=self._resources.sandbox,
        )  # fmt: skip
        self._heartbeat.start()

    def process(self, media_id: UUID) -> bool:
        """False if the item is not due, gone or already claimed, because the message came late or twice."""
        with self._database.transaction() as session:
            claim = claim_media(
                session, media_id, worker_id=self._id, lease_seconds=self._settings.worker_lease_seconds
            )
        if claim is None:
            log.debug("nothing to do for a message", media=str(media_id))
            return False
        self._claims.add([claim])
        try:
            outcome = self._resources.ingest(claim)
        except Exception:
            log.exception(
                "attempt failed with an unexpected error", item=str(claim.item_id), request_id=claim.request_id
            )
            outcome = internal_failure(claim, retryable=True)
        self._results.write([outcome])
        return True

    def close(self) -> None:
        self._heartbeat.stop()
        try:
            with self._database.transaction() as session:
                workers.unregister(session, self._id)
        except SQLAlchemyError as error:
            log.warning("could not unregister", reason=first_line(error))
        self._resources.close()
        self._database.close()


@lru_cache
def celery_worker() -> CeleryWorker:
    """One per process, made after Celery has forked, since connections and threads do not survive a fork."""
    settings = get_settings()
    configure_logging(settings.worker_log_level, settings.log_format)
    return CeleryWorker(settings)
