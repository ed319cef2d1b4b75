"""Which media owns a canonical URL: the first one that was read there. Later readings may be versions of it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from nexus.db.text_key import text_key
from nexus.services.lifecycle import settlement_sql as sql
from nexus.services.lifecycle.entry_state import lock_entries, move_highlights, move_undos
from nexus.services.lifecycle.positions import move_positions
from nexus.services.lifecycle.records import Claim, Result, Succeeded
from nexus.services.lifecycle.versions import (
    ADDED,
    CurrentText,
    NewText,
    current_texts,
    note_same,
    read_status,
    reading_of,
    replace_texts,
    write_texts,
)
from nexus.text.readings.compare import Change, compare

KEPT = "The page gave less text this time, so the text of an earlier fetch was kept."


def write_readable(session: Session, outcomes: Sequence[Succeeded], min_chars: int) -> dict[Claim, Result]:
    if not outcomes:
        return {}
    owners = owners_of(session, [outcome.article.canonical_url for outcome in outcomes])
    written: dict[Claim, NewText] = {}
    replaced: list[tuple[CurrentText, NewText]] = []
    changes: dict[Claim, Change] = {}
    for url, outcome in _best_of_each_url(outcomes, min_chars).items():
        owner = owners.get(url)
        if owner is None:
            written[outcome.claim] = new = NewText(outcome.claim.media_id, 1, outcome.article, outcome.read_at)
            owners[url] = new.as_current
            continue
        changes[outcome.claim] = change = owner.compare(outcome.article, min_chars)
        if change in ADDED:
            written[outcome.claim] = new = owner.followed_by(outcome.article, outcome.read_at)
            replaced.append((owner, new))
            owners[url] = new.as_current
        else:
            note_same(session, change, owner, outcome.article)
    if written:
        write_texts(session, list(written.values()))
    if replaced:
        replace_texts(session, replaced, min_chars)
    rows = [_item_row(each, owners[each.article.canonical_url], changes, min_chars) for each in outcomes]
    session.execute(sql.READ_ITEMS, {"rows": rows})
    pairs = [(each.claim.media_id, owners[each.article.canonical_url].media_id) for each in outcomes]
    merged = [pair for pair in pairs if pair[0] != pair[1]]
    if merged:
        merge(session, merged)
    return {each.claim: _result(each.claim, written) for each in outcomes}


def _best_of_each_url(outcomes: Sequence[Succeeded], min_chars: int) -> dict[str, Succeeded]:
    """Of several readings of a page in one batch only the best is compared and written."""
    best: dict[str, Succeeded] = {}
    for outcome in outcomes:
        known = best.setdefault(outcome.article.canonical_url, outcome)
        if known is not outcome:
            change = compare(reading_of(outcome.article), reading_of(known.article), min_chars=min_chars)
            if change == "better":
                best[outcome.article.canonical_url] = outcome
    return best


def _result(claim: Claim, written: dict[Claim, NewText]) -> Result:
    if claim not in written:
        return "merged"
    return "won" if written[claim].media_id == claim.media_id else "new_version"


def _item_row(
    outcome: Succeeded, owner: CurrentText, changes: dict[Claim, Change], min_chars: int
) -> dict[str, str | None]:
    claim = outcome.claim
    status = read_status(owner, min_chars)
    if changes.get(claim) == "worse":
        status["detail"] = status["detail"] or KEPT
    return {"item_id": str(claim.item_id), "media_id": str(owner.media_id), **status}


def owners_of(session: Session, urls: Sequence[str]) -> dict[str, CurrentText]:
    """The current texts of the media that own these URLs. Locks them, which waits for a removal that is under way."""
    rows = session.execute(sql.OWNERS, {"keys": [text_key(url) for url in urls]}).all()
    if not rows:
        return {}
    texts = current_texts(session, [row.id for row in rows])
    return {row.canonical_url: texts[row.id] for row in rows}


def merge(session: Session, pairs: Sequence[tuple[UUID, UUID]]) -> None:
    """The winner gets the loser's library entries, and the loser's id stays valid as an alias. The loser's items have
    to be moved before."""
    lock_entries(session, pairs)
    move_positions(session, pairs)
    for once in _each_winner_once(pairs):
        for statement in (sql.MOVE_ENTRIES, sql.MOVE_TAGS):
            session.execute(text(statement), _values(once))
        move_undos(session, once)
    move_highlights(session, pairs)
    for statement in (sql.DELETE_REGAINED_ALIASES, sql.MOVE_ALIASES_OF_LOSERS, sql.ADD_ALIASES, sql.DELETE_LOSERS):
        session.execute(text(statement), _values(pairs))


def _values(pairs: Sequence[tuple[UUID, UUID]]) -> dict[str, Any]:
    return {"losers": [loser for loser, _ in pairs], "winners": [winner for _, winner in pairs]}


def _each_winner_once(pairs: Sequence[tuple[UUID, UUID]]) -> list[list[tuple[UUID, UUID]]]:
    """The pairs in rounds with each winner at most once, because one statement can merge an entry with one other
    only."""
    rounds: list[dict[UUID, UUID]] = []
    for loser, winner in pairs:
        free = next((each for each in rounds if winner not in each), None)
        if free is None:
            rounds.append(free := {})
        free[winner] = loser
    return [[(loser, winner) for winner, loser in each.items()] for each in rounds]
