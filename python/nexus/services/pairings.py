"""Pairing a browser extension: a code that its user copies, and that the extension exchanges once for a token."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from nexus.db.models import ApiToken, PairingCode
from nexus.errors import NotFoundError, TooManyPairingsError, UnknownPairingCodeError
from nexus.services.tokens import NewToken, create_token, hash_secret
from nexus.services.users import CurrentUser
from nexus.text.characters import one_line

CODE_PREFIX = "nxp_"  # so that logs can hide it
CODE_LIFETIME = timedelta(minutes=10)
MAX_PAIRED = 50
REVOKED_LIFETIME = timedelta(days=30)  # shown by "nexus token list", to find the token of a lost browser
DEFAULT_NAME = "Browser extension"
UNKNOWN_CODE = (
    "This code is not valid: it was used, or is older than ten minutes. Make a new one in the settings of Nexus."
)


@dataclass(frozen=True)
class NewCode:
    code: str
    expires_at: datetime


@dataclass(frozen=True)
class PairingResult:
    user_id: UUID
    name: str
    token: NewToken


@dataclass(frozen=True)
class PairedBrowser:
    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


def create_code(session: Session, user: CurrentUser) -> NewCode:
    """Invalidates an unused earlier code. 128 random bits cannot be guessed within ten minutes."""
    if len(list_paired(session, user)) >= MAX_PAIRED:
        raise TooManyPairingsError(
            f"{MAX_PAIRED} browsers are paired with your library, which is the limit. Disconnect one of them first."
        )
    code = CODE_PREFIX + secrets.token_urlsafe(16)
    session.execute(delete(PairingCode).where(PairingCode.expires_at <= func.now()))
    values = {"code_sha256": hash_secret(code), "created_at": func.now(), "expires_at": func.now() + CODE_LIFETIME}
    made = session.execute(
        insert(PairingCode)
        .values(user_id=user.user_id, **values)
        .on_conflict_do_update(index_elements=["user_id"], set_=values)
        .returning(PairingCode.expires_at)
    ).scalar_one()
    return NewCode(code, made)


def exchange_code(session: Session, code: str, name: str | None) -> PairingResult:
    """When a code is used twice at once, one request gets the token: the row is gone for the other."""
    used = delete(PairingCode).where(PairingCode.code_sha256 == hash_secret(code), PairingCode.expires_at > func.now())
    user_id = session.scalar(used.returning(PairingCode.user_id))
    if user_id is None:
        raise UnknownPairingCodeError(UNKNOWN_CODE)
    old = ApiToken.is_paired & (ApiToken.revoked_at < func.now() - REVOKED_LIFETIME)
    session.execute(delete(ApiToken).where(old))
    label = one_line(name or "") or DEFAULT_NAME
    return PairingResult(user_id, label, create_token(session, user_id, operator=False, label=label, paired=True))


def list_paired(session: Session, user: CurrentUser) -> Sequence[PairedBrowser]:
    query = select(ApiToken).where(_is_paired_of(user)).order_by(ApiToken.created_at, ApiToken.id)
    return [PairedBrowser(each.id, each.label, each.created_at, each.last_used_at) for each in session.scalars(query)]


def end_pairing(session: Session, user: CurrentUser, pairing_id: UUID) -> None:
    _revoke(session, user, ApiToken.id == pairing_id)


def end_own_pairing(session: Session, user: CurrentUser, secret: str) -> None:
    """That of the extension that asks for it."""
    _revoke(session, user, ApiToken.secret_sha256 == hash_secret(secret))


def _is_paired_of(user: CurrentUser) -> ColumnElement[bool]:
    return and_(ApiToken.user_id == user.user_id, ApiToken.is_paired, ApiToken.revoked_at.is_(None))


def _revoke(session: Session, user: CurrentUser, which: ColumnElement[bool]) -> None:
    ended = update(ApiToken).where(_is_paired_of(user), which).values(revoked_at=func.now()).returning(ApiToken.id)
    if session.scalar(ended) is None:
        raise NotFoundError("There is no such browser paired with your library.")
