"""The worker's sign of life: renews its leases and its line in the list of workers, three times per lease."""

import threading
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.services import workers
from nexus.services.lifecycle import heartbeat
from nexus.worker.held_claims import HeldClaims

log = get_logger(__name__)

STOP_SECONDS = 3.0


class Heartbeat:
    """In a thread of its own, so that no page, however heavy, stops the heart."""

    def __init__(
        self,
        database: Database,
        worker_id: UUID,
        claims: HeldClaims,
        *,
        lease_seconds: float,
        engine: workers.Engine,
        can_render: bool,
        sandbox: bool = True,
    ) -> None:
        self._database = database
        self._worker_id = worker_id
        self._claims = claims
        self._lease_seconds = lease_seconds
        self._engine: workers.Engine = engine
        self._can_render = can_render
        self._sandbox = sandbox
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._leaving.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._leaving.is_set():
            try:
                self.beat()
            except (SQLAlchemyError, EmbeddedDatabaseError) as error:
                log.warning("could not renew leases; trying again", reason=str(error).splitlines()[0])
                self._leaving.wait(min(1.0, self._lease_seconds / 10))
            else:
                self._leaving.wait(self._lease_seconds / 3)

    def beat(self) -> None:
        claims = self._claims.held()
        with self._database.transaction() as session:
            workers.seen(
                session, self._worker_id, engine=self._engine, can_render=self._can_render, sandbox=self._sandbox
            )
            if not claims:
                return
            mine = heartbeat(session, claims, worker_id=self._worker_id, lease_seconds=self._lease_seconds)
        lost = [str(claim.item_id) for claim in claims if claim.item_id not in mine]
        if lost:
            log.debug("these are no longer ours", items=lost)
