"""Which media owns a canonical URL: the first one whose text is long enough, or the one with the longest so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.services.lifecycle import closing_sql as sql
from nexus.services.lifecycle.records import Claim, Result, Succeeded
from nexus.services.originals.waiting import add_originals
from nexus.services.search.index import index_media


@dataclass(frozen=True)
class Owner:
    """A readable media that owns its canonical URL; `is_read`: an item has succeeded with its text."""

    media_id: UUID
    chars: int
    is_read: bool = False

    def loses_to(self, outcome: Succeeded, min_chars: int) -> bool:
        return self.chars < min(min_chars, chars_of(outcome))


def write_readable(session: Session, outcomes: Sequence[Succeeded], min_chars: int) -> dict[Claim, Result]:
    if not outcomes:
        return {}
    owners = owners_of(session, [outcome.article.canonical_url for outcome in outcomes])
    won = _winners(outcomes, owners, min_chars)
    replaced = [(owners[url], outcome) for url, outcome in won.items() if url in owners]
    if replaced:
        clear_urls(session, [owner.media_id for owner, _ in replaced])
    if won:
        write_media(session, list(won.values()))
    owners |= {url: Owner(outcome.claim.media_id, chars_of(outcome)) for url, outcome in won.items()}
    rows = [_item_row(outcome.claim, owners[outcome.article.canonical_url], min_chars) for outcome in outcomes]
    session.execute(sql.READ_ITEMS, {"rows": rows})
    winners = {outcome.claim for outcome in won.values()}
    merged = [outcome for outcome in outcomes if outcome.claim not in winners]
    pairs = [(o.claim.media_id, owners[o.article.canonical_url].media_id) for o in merged]
    for owner, outcome in replaced:
        if not owner.is_read:
            move_waiting_items(session, owner, owners[outcome.article.canonical_url], min_chars)
            pairs.append((owner.media_id, outcome.claim.media_id))
    if pairs:
        merge(session, pairs)
    return {outcome.claim: "won" if outcome.claim in winners else "merged" for outcome in outcomes}


def chars_of(outcome: Succeeded) -> int:
    return len(outcome.article.canonical_text)


def _winners(outcomes: Sequence[Succeeded], owners: dict[str, Owner], min_chars: int) -> dict[str, Succeeded]:
    """Of each URL the longest text of this batch, unless the media that owns the URL is at least as good.

    A media whose text is long enough keeps its URL: it is read and quoted. A short one loses it to more text.
    """
    best: dict[str, Succeeded] = {}
    for outcome in outcomes:
        url = outcome.article.canonical_url
        if url not in best or chars_of(outcome) > chars_of(best[url]):
            best[url] = outcome
    return {
        url: outcome for url, outcome in best.items() if url not in owners or owners[url].loses_to(outcome, min_chars)
    }


def move_waiting_items(session: Session, short: Owner, better: Owner, min_chars: int) -> None:
    """The items that wait for more text than the short media has get the better one."""
    values = {"short": short.media_id, "better": better.media_id, **read_status(better, min_chars)}
    session.execute(sql.MOVE_WAITING_ITEMS, values)
    session.execute(sql.MARK_UNREAD, {"media_id": short.media_id})


def owners_of(session: Session, urls: Sequence[str]) -> dict[str, Owner]:
    """Locked, so that a media that is just being removed is waited for."""
    rows = session.execute(sql.OWNERS, {"keys": [text_key(url) for url in urls]}).all()
    if not rows:
        return {}
    states = session.execute(sql.OWNER_STATES, {"ids": [row.id for row in rows]})
    owners = {row.media_id: Owner(row.media_id, row.chars, row.is_read) for row in states}
    return {row.canonical_url: owners[row.id] for row in rows}


def write_media(session: Session, won: Sequence[Succeeded]) -> None:
    rows = [
        {
            "media_id": str(outcome.claim.media_id),
            "version": 1,
            "origin": outcome.article.origin,
            "extractor": outcome.article.extractor,
            "read_at": outcome.read_at.isoformat(),
            "canonical_url": outcome.article.canonical_url,
            "title": outcome.article.title,
            "byline": outcome.article.byline,
            "site_name": outcome.article.site_name,
            "lang": outcome.article.lang,
            "published_at": outcome.article.published_at.isoformat() if outcome.article.published_at else None,
            "excerpt": outcome.article.excerpt,
            "word_count": outcome.article.word_count,
            "lead_image_url": outcome.article.lead_image_url,
            "declared_url": outcome.article.declared_url,
        }
        for outcome in won
    ]
    session.execute(sql.READY_MEDIA, {"rows": rows})
    session.execute(sql.ADD_VERSIONS, {"rows": rows})
    fragments: dict[str, list[Any]] = {
        "ids": [outcome.claim.media_id for outcome in won],
        "versions": [row["version"] for row in rows],
        "htmls": [outcome.article.html_sanitized for outcome in won],
        "texts": [outcome.article.canonical_text for outcome in won],
    }
    session.execute(sql.WRITE_FRAGMENTS, fragments)
    originals = [outcome.article.original for outcome in won]
    add_originals(session, list(zip(fragments["ids"], fragments["versions"], originals, strict=True)))
    passages = {o.claim.media_id: o.article.passages for o in won if o.article.passages is not None}
    index_media(session, fragments["ids"], passages)


def _item_row(claim: Claim, owner: Owner, min_chars: int) -> dict[str, Any]:
    return {
        "item_id": str(claim.item_id),
        "media_id": str(owner.media_id),
        **read_status(owner, min_chars),
    }


def read_status(owner: Owner, min_chars: int) -> dict[str, str | None]:
    enough = owner.chars >= min_chars
    return {
        "status": "succeeded" if enough else "needs_user_text",
        "source": "extracted_from_url" if enough else None,
        "detail": None if enough else TOO_SHORT.format(chars=owner.chars),
    }


TOO_SHORT = (
    "Only {chars} characters of text could be read there. Keep it as it is, or paste the text if that is not all of it."
)


def clear_urls(session: Session, media_ids: Sequence[UUID]) -> None:
    session.execute(sql.CLEAR_URLS, {"ids": media_ids})


def merge(session: Session, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    """The winner gets the loser's library entries and items; the loser's id stays valid as an alias."""
    values = {"losers": [loser for loser, _ in pairs], "winners": [winner for _, winner in pairs]}
    aliases = (sql.DROP_REGAINED_ALIASES, sql.MOVE_ALIASES_OF_LOSERS, sql.ADD_ALIASES)
    for statement in (sql.MOVE_ENTRIES, *aliases, sql.DROP_LOSERS):
        session.execute(text(statement), values)
