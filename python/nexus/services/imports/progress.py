"""The progress of an import, kept in its row by the worker, so that reading it costs the same for any size."""

import time
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.models import Import

# A rate is that of the last minute: each sample is a time (in seconds) and what was done by then.
SAMPLE_SECONDS = 5.0
WINDOW_SECONDS = 60.0
STALE_SECONDS = 90.0
FETCH_STATES = ("queued", "processing", "succeeded", "needs_user_text", "failed")
# So few the request itself counts: some may have changed since the last was fetched.
MAX_COUNTED = 2_000

FETCHING = text("""
    SELECT items.status, count(*) AS number FROM import_rows JOIN items ON items.id = import_rows.item_id
    WHERE import_rows.import_id = :import_id AND import_rows.outcome = 'added' GROUP BY items.status
""")

Samples = list[list[float]]


@dataclass(frozen=True)
class Rate:
    per_second: float | None
    seconds_left: int | None


def outcomes_of(found: Import) -> dict[str, int]:
    done = {"added": found.added, "merged": found.merged, "unchanged": found.unchanged, "failed": found.failed}
    return done | {"waiting": found.total - sum(done.values())}


def applied(found: Import) -> int:
    return found.added + found.merged + found.unchanged + found.failed


def count_fetching(session: Session, import_id: UUID) -> dict[str, int]:
    counted = {row.status: int(row.number) for row in session.execute(FETCHING, {"import_id": import_id})}
    return {state: counted.get(state, 0) for state in FETCH_STATES}


def fetching_now(session: Session, found: Import) -> dict[str, int]:
    return count_fetching(session, found.id) if found.added <= MAX_COUNTED else fetching_of(found)


def fetching_of(found: Import) -> dict[str, int]:
    """As it was last counted."""
    return {state: int(found.fetching.get(state, 0)) for state in FETCH_STATES}


def note_sample(found: Import, done: int, *, now: float | None = None) -> None:
    """In the import's row; at most every few seconds."""
    now = time.time() if now is None else now
    samples: Samples = list(found.samples)
    if samples and now - samples[-1][0] < SAMPLE_SECONDS:
        return
    # One that is older than the window stays, so that the window is always covered.
    while len(samples) > 1 and now - samples[1][0] >= WINDOW_SECONDS:
        samples.pop(0)
    found.samples = [*samples, [round(now, 3), done]]


def rate_of(found: Import, fetching: dict[str, int], *, now: float | None = None) -> Rate:
    """The rate at which rows are applied, and later that at which pages are fetched."""
    phase = _phase(found, fetching)
    now = time.time() if now is None else now
    samples: Samples = found.samples
    if phase is None or not samples or now - samples[-1][0] > STALE_SECONDS:
        return Rate(None, None)
    done = applied(found) if phase == "applying" else settled(fetching)
    left = found.total - done if phase == "applying" else fetching["queued"] + fetching["processing"]
    since = next((each for each in samples if now - each[0] <= WINDOW_SECONDS), samples[-1])
    seconds = now - since[0]
    per_second = max(0.0, done - since[1]) / seconds if seconds > 0 else 0.0
    return Rate(round(per_second, 2), round(left / per_second) if per_second > 0 else None)


def settled(fetching: dict[str, Any]) -> int:
    return sum(int(fetching.get(state, 0)) for state in ("succeeded", "needs_user_text", "failed"))


def _phase(found: Import, fetching: dict[str, int]) -> Literal["applying", "fetching"] | None:
    if found.status == "running":
        return "applying"
    is_over = found.status not in {"finished", "cancelled"} or not (fetching["queued"] + fetching["processing"])
    return None if is_over else "fetching"
