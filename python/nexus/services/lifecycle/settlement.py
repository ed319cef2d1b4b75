"""Writes the outcomes of a batch of claims in one transaction: all or none of them.

A batch of fifty costs as many statements as a batch of one, the usual case.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.services.lifecycle import settlement_sql as sql
from nexus.services.lifecycle.error_codes import final_status, media_code, wait_seconds
from nexus.services.lifecycle.fetch_again_settlement import FinishedFetch, settle_fetches
from nexus.services.lifecycle.ownership import write_readable
from nexus.services.lifecycle.records import (
    AttemptRecord,
    Claim,
    Failed,
    Outcome,
    Postponed,
    Result,
    Succeeded,
)
from nexus.web.urls import normalize_url

MAX_MESSAGE_CHARS = 1000
WHAT_NEXT = {"queued": "We will try again.", "needs_user_text": "You can paste the text instead.", "failed": ""}


def settle(session: Session, outcomes: Sequence[Outcome], *, min_chars: int) -> dict[Claim, Result]:
    """Nothing is written for a claim whose item was claimed again since then."""
    outcomes = [_with_link(outcome) if isinstance(outcome, Succeeded) else outcome for outcome in outcomes]
    read = [outcome for outcome in outcomes if isinstance(outcome, Succeeded)]
    _lock_urls(session, read)
    held = _lock_held(session, [outcome.claim for outcome in outcomes], read)
    results: dict[Claim, Result] = {outcome.claim: "lost_lease" for outcome in outcomes}
    ours = [outcome for outcome in outcomes if outcome.claim in held]
    done = [outcome for outcome in ours if not isinstance(outcome, Postponed)]
    results |= _postpone(session, [outcome for outcome in ours if isinstance(outcome, Postponed)])
    write_receipts(session, [(held[outcome.claim] or outcome.claim.item_id, outcome.attempts) for outcome in done])
    of_items = [outcome for outcome in done if held[outcome.claim] is None]
    results |= _write_failures(session, [outcome for outcome in of_items if isinstance(outcome, Failed)])
    results |= write_readable(session, [outcome for outcome in of_items if isinstance(outcome, Succeeded)], min_chars)
    fetches = [FinishedFetch(parent, outcome) for outcome in done if (parent := held[outcome.claim])]
    return results | settle_fetches(session, fetches, min_chars)


def _with_link(outcome: Succeeded) -> Succeeded:
    """Adds whose link was fetched, and whether it was the page's own URL. Since fetching sends no cookies, everybody
    gets the same page from that URL."""
    is_direct = normalize_url(outcome.claim.url) == outcome.article.canonical_url
    return replace(outcome, article=replace(outcome.article, fetched_for=outcome.claim.user_id, is_direct=is_direct))


def _lock_urls(session: Session, read: Sequence[Succeeded]) -> None:
    """Locks the URLs, so that two claims of the same page are settled one after the other and the second finds the
    first."""
    keys = sorted({_url_key(outcome.article.canonical_url) for outcome in read})
    if keys:
        session.execute(sql.LOCK_URLS, {"keys": keys})


def _url_key(url: str) -> int:
    return int.from_bytes(hashlib.sha256(f"web_article {url}".encode()).digest()[:8], signed=True)


def _lock_held(session: Session, claims: Sequence[Claim], read: Sequence[Succeeded]) -> dict[Claim, UUID | None]:
    """The claims that still pass their fence, each with the item for which its page was fetched again, if any (its
    parent).

    Locks all that will be written, before any write: the media of claims and parents and those that own the URLs, then
    the items of the claims, then the parents. The foreign key of an attempt locks its item, and all writers lock the
    media first.
    """
    media_ids = [claim.media_id for claim in claims]
    keys = [text_key(outcome.article.canonical_url) for outcome in read]
    items = [claim.item_id for claim in claims]
    while of_parents := set(session.scalars(sql.MEDIA_OF_PARENTS, {"ids": items})):
        with session.begin_nested() as attempt:
            session.execute(sql.LOCK_MEDIA_AND_OWNERS, {"ids": [*media_ids, *of_parents], "keys": keys})
            held = _lock_items(session, claims)
            parents = [parent for parent in held.values() if parent]
            if set(session.scalars(sql.LOCK_ITEMS, {"ids": parents})) <= of_parents:
                return held
            attempt.rollback()  # a parent got another media while this waited for the locks
    session.execute(sql.LOCK_MEDIA_AND_OWNERS, {"ids": media_ids, "keys": keys})
    return _lock_items(session, claims)


def _lock_items(session: Session, claims: Sequence[Claim]) -> dict[Claim, UUID | None]:
    values = {
        "ids": [claim.item_id for claim in claims],
        "workers": [claim.worker_id for claim in claims],
        "times": [claim.claimed_at for claim in claims],
    }
    found = {(row.id, row.claimed_at): row.fetch_again_of for row in session.execute(sql.LOCK_HELD, values)}
    keys = {claim: (claim.item_id, claim.claimed_at) for claim in claims}
    return {claim: found[key] for claim, key in keys.items() if key in found}


def write_receipts(session: Session, receipts: Sequence[tuple[UUID, Sequence[AttemptRecord]]]) -> None:
    """Write attempts into the receipts of items, which have to be locked."""
    rows = [
        {
            "item_id": str(item_id),
            "number": number,
            "rung": record.method,
            "result": "error" if record.error_code else "success",
            "started_at": record.started_at.isoformat(),
            "finished_at": record.finished_at.isoformat(),
            "duration_ms": round((record.finished_at - record.started_at).total_seconds() * 1000),
            "error_code": record.error_code,
            "error_detail": record.error_detail,
            "http_status": record.http_status,
            "final_url": record.final_url,
            "content_length": record.content_length,
        }
        for item_id, attempts in receipts
        for number, record in enumerate(attempts, start=1)
    ]
    if rows:
        session.execute(sql.WRITE_RECEIPTS, {"rows": rows})


def _postpone(session: Session, outcomes: Sequence[Postponed]) -> dict[Claim, Result]:
    rows = [
        {
            "item_id": str(outcome.claim.item_id),
            "media_id": str(outcome.claim.media_id),
            "wait_seconds": outcome.seconds,
            "detail": outcome.detail,
        }
        for outcome in outcomes
    ]
    if rows:
        session.execute(sql.POSTPONE_MEDIA, {"rows": rows})
        session.execute(sql.POSTPONE_ITEMS, {"rows": rows})
    return {outcome.claim: "postponed" for outcome in outcomes}


def _write_failures(session: Session, outcomes: Sequence[Failed]) -> dict[Claim, Result]:
    results: dict[Claim, Result] = {}
    rows: list[dict[str, Any]] = []
    for outcome in outcomes:
        claim, failure = outcome.claim, outcome.failure
        again = failure.retryable and claim.auto_retry
        results[claim] = "requeued" if again else "failed"
        status = "queued" if again else final_status(failure.code)
        rows.append(
            {
                "item_id": str(claim.item_id),
                "media_id": str(claim.media_id),
                "status": status,
                "detail": f"{failure.detail} {WHAT_NEXT[status]}".strip(),
                "wait_seconds": wait_seconds(claim, failure),
                "code": media_code(failure.code),
                "message": f"{failure.code}: {failure.detail}"[:MAX_MESSAGE_CHARS],
            }
        )
    if rows:
        session.execute(sql.FAIL_MEDIA, {"rows": rows})
        session.execute(sql.FAIL_ITEMS, {"rows": rows})
    return results
