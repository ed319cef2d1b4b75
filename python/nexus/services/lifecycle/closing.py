"""The closing transaction: everything a batch of attempts brought back is written at once, or nothing of it.

A batch of one is the usual case; a batch of fifty costs the same number of statements.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.services.lifecycle import closing_sql as sql
from nexus.services.lifecycle.codes import final_status, media_code, wait_seconds
from nexus.services.lifecycle.records import (
    Article,
    AttemptRecord,
    Claim,
    Failed,
    Failure,
    Outcome,
    Postponed,
    Succeeded,
)
from nexus.services.search.index import index_works

Result = Literal["won", "merged", "requeued", "postponed", "failed", "lost_lease"]

MESSAGE_CHARS = 1000


@dataclass(frozen=True)
class _Work:
    """A readable media that owns its canonical URL, how much it says, and whether that was enough for anybody."""

    media_id: UUID
    chars: int
    is_read: bool = False


def settle_success(
    session: Session, claim: Claim, article: Article, attempts: Sequence[AttemptRecord], *, min_chars: int
) -> Result:
    return settle(session, [Succeeded(claim, article, tuple(attempts))], min_chars=min_chars)[claim]


def settle_failure(session: Session, claim: Claim, failure: Failure, attempts: Sequence[AttemptRecord]) -> Result:
    return settle(session, [Failed(claim, failure, tuple(attempts))], min_chars=0)[claim]


def settle(session: Session, outcomes: Sequence[Outcome], *, min_chars: int) -> dict[Claim, Result]:
    """Write what the attempts brought back; a claim that is no longer ours writes nothing."""
    read = [outcome for outcome in outcomes if isinstance(outcome, Succeeded)]
    _lock_urls(session, read)
    held = _lock_held(session, [outcome.claim for outcome in outcomes])
    results: dict[Claim, Result] = {outcome.claim: "lost_lease" for outcome in outcomes}
    ours = [outcome for outcome in outcomes if outcome.claim in held]
    results |= _postpone(session, [outcome for outcome in ours if isinstance(outcome, Postponed)])
    _write_receipts(session, [outcome for outcome in ours if not isinstance(outcome, Postponed)])
    failed = [outcome for outcome in ours if isinstance(outcome, Failed)]
    results |= _write_failures(session, failed)
    results |= _write_readable(session, [outcome for outcome in read if outcome.claim in held], min_chars)
    return results


def _lock_urls(session: Session, read: Sequence[Succeeded]) -> None:
    """Two pages that turn out to be the same one close one after the other: the second finds the first."""
    keys = sorted({_url_key(outcome.article.canonical_url) for outcome in read})
    if keys:
        session.execute(sql.LOCK_URLS, {"keys": keys})


def _url_key(url: str) -> int:
    return int.from_bytes(hashlib.sha256(f"web_article {url}".encode()).digest()[:8], signed=True)


def _lock_held(session: Session, claims: Sequence[Claim]) -> set[Claim]:
    session.execute(sql.LOCK_WORKS, {"ids": [claim.media_id for claim in claims]})
    values = {
        "ids": [claim.item_id for claim in claims],
        "workers": [claim.worker_id for claim in claims],
        "times": [claim.claimed_at for claim in claims],
    }
    found = {(row.id, row.claimed_at) for row in session.execute(sql.LOCK_HELD, values)}
    return {claim for claim in claims if (claim.item_id, claim.claimed_at) in found}


def _write_receipts(session: Session, outcomes: Sequence[Succeeded | Failed]) -> None:
    rows = [
        {
            "item_id": str(outcome.claim.item_id),
            "line": line,
            "rung": record.rung,
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
        for outcome in outcomes
        for line, record in enumerate(outcome.attempts, start=1)
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
        session.execute(sql.POSTPONE_WORKS, {"rows": rows})
        session.execute(sql.POSTPONE_ITEMS, {"rows": rows})
    return {outcome.claim: "postponed" for outcome in outcomes}


def _write_failures(session: Session, outcomes: Sequence[Failed]) -> dict[Claim, Result]:
    results: dict[Claim, Result] = {}
    rows: list[dict[str, Any]] = []
    for outcome in outcomes:
        claim, failure = outcome.claim, outcome.failure
        again = failure.retryable and claim.auto_retry
        results[claim] = "requeued" if again else "failed"
        rows.append(
            {
                "item_id": str(claim.item_id),
                "media_id": str(claim.media_id),
                "status": "queued" if again else final_status(failure.code),
                "detail": f"{failure.detail} We will try again." if again else failure.detail,
                "wait_seconds": wait_seconds(claim, failure),
                "code": media_code(failure.code),
                "message": f"{failure.code}: {failure.detail}"[:MESSAGE_CHARS],
            }
        )
    if rows:
        session.execute(sql.FAIL_WORKS, {"rows": rows})
        session.execute(sql.FAIL_ITEMS, {"rows": rows})
    return results


def _write_readable(session: Session, outcomes: Sequence[Succeeded], min_chars: int) -> dict[Claim, Result]:
    if not outcomes:
        return {}
    owners = _owners(session, [outcome.article.canonical_url for outcome in outcomes])
    won = _winners(outcomes, owners, min_chars)
    replaced = [(owners[url], outcome) for url, outcome in won.items() if url in owners]
    if replaced:
        give_up_urls(session, [owner.media_id for owner, _ in replaced])
    if won:
        _write_works(session, list(won.values()))
    owners |= {url: _Work(outcome.claim.media_id, _chars(outcome)) for url, outcome in won.items()}
    rows = [_item_row(outcome.claim, owners[outcome.article.canonical_url], min_chars) for outcome in outcomes]
    session.execute(sql.READ_ITEMS, {"rows": rows})
    winners = {outcome.claim for outcome in won.values()}
    merged = [outcome for outcome in outcomes if outcome.claim not in winners]
    pairs = [(o.claim.media_id, owners[o.article.canonical_url].media_id) for o in merged]
    for owner, outcome in replaced:
        if not owner.is_read:
            _move_waiting_items(session, owner, owners[outcome.article.canonical_url], min_chars)
            pairs.append((owner.media_id, outcome.claim.media_id))
    if pairs:
        merge(session, pairs)
    return {outcome.claim: "won" if outcome.claim in winners else "merged" for outcome in outcomes}


def _chars(outcome: Succeeded) -> int:
    return len(outcome.article.canonical_text)


def _winners(outcomes: Sequence[Succeeded], owners: dict[str, _Work], min_chars: int) -> dict[str, Succeeded]:
    """Of each URL the longest text of this batch, unless the media that owns the URL is at least as good.

    A media whose text is long enough keeps its URL: people read and quote it. A short one loses it to more text.
    """
    best: dict[str, Succeeded] = {}
    for outcome in outcomes:
        url = outcome.article.canonical_url
        if url not in best or _chars(outcome) > _chars(best[url]):
            best[url] = outcome
    return {
        url: outcome
        for url, outcome in best.items()
        if url not in owners or owners[url].chars < min(min_chars, _chars(outcome))
    }


def _move_waiting_items(session: Session, short: _Work, better: _Work, min_chars: int) -> None:
    """Everybody who waited for the text of a short media gets the better one."""
    values = {"short": short.media_id, "better": better.media_id, **_read_status(better, min_chars)}
    session.execute(sql.MOVE_WAITING_ITEMS, values)
    session.execute(sql.MARK_UNREAD, {"media_id": short.media_id})


def _owners(session: Session, urls: Sequence[str]) -> dict[str, _Work]:
    """Locked: a media that is just being removed is waited for, and then it is not there."""
    keys = [hashlib.sha256(url.encode()).digest() for url in urls]  # text_key of the schema
    rows = session.execute(sql.OWNERS, {"keys": keys}).all()
    if not rows:
        return {}
    states = session.execute(sql.OWNER_STATES, {"ids": [row.id for row in rows]})
    works = {row.media_id: _Work(row.media_id, row.chars, row.is_read) for row in states}
    return {row.canonical_url: works[row.id] for row in rows}


def _write_works(session: Session, won: Sequence[Succeeded]) -> None:
    rows = [
        {
            "media_id": str(outcome.claim.media_id),
            "canonical_url": outcome.article.canonical_url,
            "title": outcome.article.title,
            "byline": outcome.article.byline,
            "site_name": outcome.article.site_name,
            "lang": outcome.article.lang,
            "published_at": outcome.article.published_at.isoformat() if outcome.article.published_at else None,
            "excerpt": outcome.article.excerpt,
            "word_count": outcome.article.word_count,
            "lead_image_url": outcome.article.lead_image_url,
        }
        for outcome in won
    ]
    session.execute(sql.READY_WORKS, {"rows": rows})
    fragments: dict[str, list[Any]] = {
        "ids": [outcome.claim.media_id for outcome in won],
        "htmls": [outcome.article.html_sanitized for outcome in won],
        "texts": [outcome.article.canonical_text for outcome in won],
    }
    session.execute(sql.WRITE_FRAGMENTS, fragments)
    passages = {o.claim.media_id: o.article.passages for o in won if o.article.passages is not None}
    index_works(session, fragments["ids"], passages)


def _item_row(claim: Claim, work: _Work, min_chars: int) -> dict[str, Any]:
    return {
        "item_id": str(claim.item_id),
        "media_id": str(work.media_id),
        **_read_status(work, min_chars),
    }


def _read_status(work: _Work, min_chars: int) -> dict[str, str | None]:
    enough = work.chars >= min_chars
    return {
        "status": "succeeded" if enough else "needs_user_text",
        "source": "extracted_from_url" if enough else None,
        "detail": None if enough else TOO_SHORT.format(chars=work.chars),
    }


TOO_SHORT = "Only {chars} characters of text could be read there. Paste the text if that is not all of it."


def give_up_urls(session: Session, media_ids: Sequence[UUID]) -> None:
    session.execute(sql.GIVE_UP_URLS, {"ids": media_ids})


def merge(session: Session, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    """The winner takes the loser's place in every library; the loser's id keeps answering."""
    values = {"losers": [loser for loser, _ in pairs], "winners": [winner for _, winner in pairs]}
    for statement in (sql.MERGE_LIBRARIES, sql.MERGE_OLDER_ALIASES, sql.MERGE_ALIASES, sql.DROP_LOSERS):
        session.execute(text(statement), values)
