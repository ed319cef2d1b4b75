"""Bearer tokens and the browser sessions opened with them: both kept as a hash, both revocable."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from nexus.db.models import ApiToken, UserSession
from nexus.errors import NotFoundError, PairedTokenError, UnauthenticatedError
from nexus.services.users import CurrentUser, ensure_user

PREFIX = "nxs_"  # so that a leaked token can be searched for, and logs can hide it
SESSION_PREFIX = "nxb_"
RANDOM_PART = re.compile(r"[A-Za-z0-9_-]{43}")  # 32 bytes in base64
SESSION_LIFETIME = timedelta(days=30)
ONLY_FOR_SAVING = (
    "This token belongs to a paired browser and can only save pages. Use a token that the operator created for you."
)


@dataclass(frozen=True)
class NewToken:
    id: UUID
    secret: str


@dataclass(frozen=True)
class TokenInfo:
    id: UUID
    user_id: UUID
    is_operator: bool
    label: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True)
class SessionInfo:
    id: UUID
    user_id: UUID
    token_id: UUID
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime


def create_token(session: Session, user_id: UUID, *, operator: bool, label: str, paired: bool = False) -> NewToken:
    """`paired`: it is a browser extension's, and its user sees it among their browsers."""
    ensure_user(session, user_id)
    secret = new_secret(PREFIX)
    token = ApiToken(
        user_id=user_id, secret_sha256=hash_secret(secret), is_operator=operator, label=label, is_paired=paired
    )
    session.add(token)
    session.flush()
    return NewToken(token.id, secret)


def user_of_token(session: Session, secret: str, *, is_for_saving: bool) -> CurrentUser:
    """`is_for_saving`: the request is one that a paired browser may make. Its token is worth no more to others."""
    token = _valid_token(session, secret)
    if token.is_paired and not is_for_saving:
        raise PairedTokenError(ONLY_FOR_SAVING)
    return CurrentUser(token.user_id, ensure_user(session, token.user_id), token.is_operator)


def _valid_token(session: Session, secret: str) -> ApiToken:
    # 256 random bits: looking the hash up in an index tells an attacker nothing about a near miss.
    token = (
        session.scalar(
            select(ApiToken).where(ApiToken.secret_sha256 == hash_secret(secret), ApiToken.revoked_at.is_(None))
        )
        if is_secret(secret, PREFIX)
        else None
    )
    if token is None:
        raise UnauthenticatedError("This token is unknown or was revoked. Ask the operator for a new one.")
    _note_use(session, token)
    return token


def open_session(session: Session, token_secret: str) -> tuple[CurrentUser, str]:
    """The token's user, and the secret of a new session: a cookie must not hold the token itself."""
    token = _valid_token(session, token_secret)
    if token.is_paired:
        raise PairedTokenError(ONLY_FOR_SAVING)
    session.execute(delete(UserSession).where(UserSession.expires_at <= func.now()))
    secret = new_secret(SESSION_PREFIX)
    session.add(
        UserSession(
            user_id=token.user_id,
            token_id=token.id,
            secret_sha256=hash_secret(secret),
            expires_at=func.now() + SESSION_LIFETIME,
        )
    )
    return CurrentUser(token.user_id, ensure_user(session, token.user_id), token.is_operator), secret


def user_of_session(session: Session, secret: str) -> CurrentUser:
    found = (
        session.execute(
            select(UserSession, ApiToken)
            .join(ApiToken, ApiToken.id == UserSession.token_id)
            .where(
                UserSession.secret_sha256 == hash_secret(secret),
                UserSession.expires_at > func.now(),
                ApiToken.revoked_at.is_(None),
            )
        ).one_or_none()
        if is_secret(secret, SESSION_PREFIX)
        else None
    )
    if found is None:
        raise UnauthenticatedError("You are no longer signed in. Sign in again with your token.")
    opened, token = found
    # The token first, in the order of revoking it, so that there is no deadlock.
    _note_use(session, token)
    _note_use(session, opened)
    return CurrentUser(token.user_id, ensure_user(session, token.user_id), token.is_operator)


def end_session(session: Session, secret: str) -> None:
    """Idempotent."""
    session.execute(delete(UserSession).where(UserSession.secret_sha256 == hash_secret(secret)))


def list_sessions(session: Session) -> list[SessionInfo]:
    """Those that are still valid."""
    valid = (
        select(
            UserSession.id, UserSession.user_id, UserSession.token_id,
            UserSession.created_at, UserSession.last_used_at, UserSession.expires_at,
        )
        .join(ApiToken, ApiToken.id == UserSession.token_id)
        .where(UserSession.expires_at > func.now(), ApiToken.revoked_at.is_(None))
        .order_by(UserSession.created_at, UserSession.id)
    )  # fmt: skip
    return [SessionInfo(*row) for row in session.execute(valid)]


def revoke_session(session: Session, session_id: UUID) -> None:
    ended = session.scalar(delete(UserSession).where(UserSession.id == session_id).returning(UserSession.id))
    if ended is None:
        raise NotFoundError(f"There is no session {session_id}; 'nexus token sessions' shows them.")


def list_tokens(session: Session) -> list[TokenInfo]:
    tokens = select(
        ApiToken.id, ApiToken.user_id, ApiToken.is_operator, ApiToken.label,
        ApiToken.created_at, ApiToken.last_used_at, ApiToken.revoked_at,
    ).order_by(ApiToken.created_at, ApiToken.id)  # fmt: skip
    return [TokenInfo(*row) for row in session.execute(tokens)]


def revoke_token(session: Session, token_id: UUID) -> None:
    """Ends its sessions too. Idempotent: the time of the first revocation stays."""
    token = session.get(ApiToken, token_id)
    if token is None:
        raise NotFoundError(f"There is no token {token_id}; 'nexus token list' shows them.")
    session.execute(
        update(ApiToken).where(ApiToken.id == token_id, ApiToken.revoked_at.is_(None)).values(revoked_at=func.now())
    )
    session.execute(delete(UserSession).where(UserSession.token_id == token_id))


def _note_use(session: Session, used: ApiToken | UserSession) -> None:
    # Once an hour shows which of them are in use, without a write on every request.
    now, kind = datetime.now(UTC), type(used)
    if used.last_used_at and used.last_used_at > now - timedelta(hours=1):
        return
    # Not through the object: signing out at the same time deletes the row.
    session.execute(update(kind).where(kind.id == used.id).values(last_used_at=now))


def hash_secret(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


def new_secret(prefix: str) -> str:
    return prefix + secrets.token_urlsafe(32)


def is_secret(value: str, prefix: str) -> bool:
    """Whether it can be one, so that nothing else is looked up."""
    return value.startswith(prefix) and RANDOM_PART.fullmatch(value, len(prefix)) is not None
