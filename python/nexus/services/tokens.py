"""Bearer tokens: made once, shown once, kept as a hash, revocable."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from nexus.db.models import ApiToken
from nexus.errors import NotFoundError, UnauthenticatedError
from nexus.services.users import Viewer, ensure_user

PREFIX = "nxs_"  # recognisable, so that a leaked one can be searched for and logs can hide it
SHAPE = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")


@dataclass(frozen=True)
class NewToken:
    id: UUID
    secret: str


def create_token(session: Session, user_id: UUID, *, operator: bool, label: str) -> NewToken:
    ensure_user(session, user_id)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(user_id=user_id, secret_sha256=_hash(secret), is_operator=operator, label=label)
    session.add(token)
    session.flush()
    return NewToken(token.id, secret)


def viewer_of_token(session: Session, secret: str) -> Viewer:
    # 256 random bits: looking the hash up in an index tells an attacker nothing about a near miss.
    token = (
        session.scalar(select(ApiToken).where(ApiToken.secret_sha256 == _hash(secret), ApiToken.revoked_at.is_(None)))
        if SHAPE.fullmatch(secret)
        else None
    )
    if token is None:
        raise UnauthenticatedError("This token is unknown or was revoked. Ask the operator for a new one.")
    _note_use(token)
    return Viewer(token.user_id, ensure_user(session, token.user_id), token.is_operator)


def list_tokens(session: Session) -> list[ApiToken]:
    return list(session.scalars(select(ApiToken).order_by(ApiToken.created_at, ApiToken.id)))


def revoke_token(session: Session, token_id: UUID) -> None:
    """Idempotent: the time of the first revocation stays."""
    token = session.get(ApiToken, token_id)
    if token is None:
        raise NotFoundError(f"There is no token {token_id}; 'nexus token list' shows them.")
    session.execute(
        update(ApiToken).where(ApiToken.id == token_id, ApiToken.revoked_at.is_(None)).values(revoked_at=func.now())
    )


def _note_use(token: ApiToken) -> None:
    # Once an hour is enough to see which tokens are alive; a write on every request is not.
    if token.last_used_at and token.last_used_at > datetime.now(UTC) - timedelta(hours=1):
        return
    token.last_used_at = datetime.now(UTC)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
