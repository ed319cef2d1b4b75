"""The worker's heartbeat: renews its leases and its row in `workers`.

It does so three times within a lease, or within the time for which the row counts as alive if that is shorter.
"""

import threading
from collections.abc import Callable
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from nexus.db.session import Database
from nexus.errors import EmbeddedDatabaseError
from nexus.logging import get_logger
from nexus.services import workers
from nexus.services.lifecycle import heartbeat
from nexus.system.error_text import first_line
from nexus.worker.held_claims import HeldClaims

log = get_logger(__name__)

STOP_SECONDS = 3.0


class Heartbeat:
    """Runs in its own thread, because a page that needs much processor time would delay it."""

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
        self._renew_others: Callable[[Session], None] = lambda _: None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def also_renew(self, renew: Callable[[Session], None]) -> None:
        """Also renew other leases with each heartbeat. Only before `start`."""
        self._renew_others = renew

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.beat()
            except (SQLAlchemyError, EmbeddedDatabaseError) as error:
                log.warning("could not renew leases; trying again", reason=first_line(error))
                self._stopping.wait(min(1.0, self._lease_seconds / 10))
            else:
                self._stopping.wait(min(self._lease_seconds, workers.ALIVE_SECONDS) / 3)

    def beat(self) -> None:
        claims = self._claims.held()
        with self._database.transaction() as session:
            workers.note_heartbeat(
                session, self._worker_id, engine=self._engine, can_render=self._can_render, sandbox=self._sandbox
            )
            still_held = (
                heartbeat(session, claims, worker_id=self._worker_id, lease_seconds=self._lease_seconds)
                if claims
                else set()
            )
        # In its own transaction, so that a failure here does not lose the leases of items.
        with self._database.transaction() as session:
            self._renew_others(session)
        lost = [str(claim.item_id) for claim in claims if claim not in still_held]
        if lost:
            log.debug("lost the claims of items", items=lost)
