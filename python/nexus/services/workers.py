"""The processes that work on the queue: each registers with its first heartbeat and is gone without one."""

import socket
from typing import Literal, NamedTuple
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

Engine = Literal["postgres", "celery", "relay"]

# At least three heartbeats, however long WORKER_LEASE_SECONDS is.
ALIVE_SECONDS = 60

NOTE_HEARTBEAT = text("""
    INSERT INTO workers (id, engine, host, can_render, sandbox) VALUES (:id, :engine, :host, :can_render, :sandbox)
    ON CONFLICT (id) DO UPDATE SET seen_at = now()
""")
DELETE_OLD = text("DELETE FROM workers WHERE seen_at < now() - interval '1 day'")
UNREGISTER = text("DELETE FROM workers WHERE id = :id")
RENDERING = text("""
    SELECT coalesce(bool_or(can_render), false), bool_and(sandbox) FILTER (WHERE can_render),
        coalesce(bool_or(host = :host AND engine <> 'relay'), false)
    FROM workers WHERE seen_at > now() - make_interval(secs => :seconds)
""")


class Rendering(NamedTuple):
    is_available: bool
    sandbox: bool | None
    """Whether all workers that render do so in Chromium's sandbox; None: none renders."""
    known_here: bool
    """A worker on this machine has registered, so what it can do is known."""


def note_heartbeat(
    session: Session, worker_id: UUID, *, engine: Engine, can_render: bool, sandbox: bool = True
) -> None:
    """The first one registers the worker."""
    about = {"engine": engine, "host": socket.gethostname(), "can_render": can_render, "sandbox": sandbox}
    session.execute(NOTE_HEARTBEAT, {"id": worker_id} | about)
    session.execute(DELETE_OLD)


def unregister(session: Session, worker_id: UUID) -> None:
    session.execute(UNREGISTER, {"id": worker_id})


def rendering(session: Session) -> Rendering:
    return Rendering(*session.execute(RENDERING, {"seconds": ALIVE_SECONDS, "host": socket.gethostname()}).one())
