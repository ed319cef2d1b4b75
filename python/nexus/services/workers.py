"""Who works on the queue: each process signs in, is seen, and signs out; one that is not seen any more is gone."""

import socket
from typing import Literal, NamedTuple
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

Engine = Literal["postgres", "celery", "relay"]

# Longer than the pause between two signs of life (a third of WORKER_LEASE_SECONDS) on a busy machine.
ALIVE_SECONDS = 60

SEEN = text("""
    INSERT INTO workers (id, engine, host, can_render, sandbox) VALUES (:id, :engine, :host, :can_render, :sandbox)
    ON CONFLICT (id) DO UPDATE SET seen_at = now()
""")
FORGET = text("DELETE FROM workers WHERE seen_at < now() - interval '1 day'")
SIGN_OUT = text("DELETE FROM workers WHERE id = :id")
RENDERING = text("""
    SELECT coalesce(bool_or(can_render), false), bool_and(sandbox) FILTER (WHERE can_render),
        coalesce(bool_or(host = :host AND engine <> 'relay'), false)
    FROM workers WHERE seen_at > now() - make_interval(secs => :seconds)
""")


class Rendering(NamedTuple):
    possible: bool
    sandbox: bool | None
    """Whether all who render do so in Chromium's sandbox; None: nobody renders."""
    known_here: bool
    """A worker on this machine has signed in, so what it can do is known."""


def seen(session: Session, worker_id: UUID, *, engine: Engine, can_render: bool, sandbox: bool = True) -> None:
    """A sign of life; the first one signs in."""
    about = {"engine": engine, "host": socket.gethostname(), "can_render": can_render, "sandbox": sandbox}
    session.execute(SEEN, {"id": worker_id} | about)
    session.execute(FORGET)


def sign_out(session: Session, worker_id: UUID) -> None:
    session.execute(SIGN_OUT, {"id": worker_id})


def rendering(session: Session) -> Rendering:
    return Rendering(*session.execute(RENDERING, {"seconds": ALIVE_SECONDS, "host": socket.gethostname()}).one())
