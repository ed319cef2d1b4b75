"""Who works on the queue: each process signs in, is seen, and signs out; one that is not seen any more is gone."""

import socket
from typing import Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

Engine = Literal["postgres", "celery", "relay"]

# Longer than the pause between two signs of life (a third of WORKER_LEASE_SECONDS) on a busy machine.
ALIVE_SECONDS = 60

SEEN = text("""
    INSERT INTO workers (id, engine, host, can_render) VALUES (:id, :engine, :host, :can_render)
    ON CONFLICT (id) DO UPDATE SET seen_at = now()
""")
FORGET = text("DELETE FROM workers WHERE seen_at < now() - interval '1 day'")
SIGN_OUT = text("DELETE FROM workers WHERE id = :id")
CAN_RENDER = text("""
    SELECT EXISTS (SELECT FROM workers WHERE can_render AND seen_at > now() - make_interval(secs => :seconds))
""")


def seen(session: Session, worker_id: UUID, *, engine: Engine, can_render: bool) -> None:
    """A sign of life; the first one signs in."""
    host = socket.gethostname()
    session.execute(SEEN, {"id": worker_id, "engine": engine, "host": host, "can_render": can_render})
    session.execute(FORGET)


def sign_out(session: Session, worker_id: UUID) -> None:
    session.execute(SIGN_OUT, {"id": worker_id})


def anybody_can_render(session: Session) -> bool:
    return bool(session.scalar(CAN_RENDER, {"seconds": ALIVE_SECONDS}))
