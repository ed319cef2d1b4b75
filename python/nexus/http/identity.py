"""The user of a request: from a header in dev mode, from a token or a session cookie in token mode."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import WithJsonSchema
from sqlalchemy.orm import Session
from starlette.requests import HTTPConnection

from nexus.config import Settings
from nexus.errors import InvalidUserIdError, OperatorRequiredError, OtherUserError, UnauthenticatedError
from nexus.http.dependencies import SessionDep, SettingsDep
from nexus.http.extension_access import is_for_saving
from nexus.http.origin import FROM_EXTENSION, addressed_origin
from nexus.services.tokens import user_of_session, user_of_token
from nexus.services.users import CurrentUser, ensure_user

EXPECTED_USER = "X-Expected-User"
# Described as a UUID but parsed by us: a bad one is a 400 with our message, not a 422.
UUID_TEXT = WithJsonSchema({"type": "string", "format": "uuid"})

bearer = HTTPBearer(auto_error=False, description="NEXUS_AUTH=token: a token made with 'nexus token create'.")


def session_cookie_name(request: HTTPConnection) -> str:
    """With the port, because browsers send a host's cookies to all of its ports, and two servers may run there."""
    addressed = addressed_origin(request.scope)
    port = addressed.port if addressed else 0  # the Host header was checked before: 0 is never reached
    # With this prefix a browser accepts the cookie only over HTTPS and only from this host.
    prefix = "__Host-" if request.url.scheme == "https" else ""
    return f"{prefix}nexus_session_{port}"


class SessionCookie(APIKeyCookie):
    async def __call__(self, request: HTTPConnection) -> str | None:
        return request.cookies.get(session_cookie_name(request))


cookie = SessionCookie(
    name="nexus_session_8000",
    auto_error=False,
    description="NEXUS_AUTH=token: set by POST /api/session; named after the port, with `__Host-` before it on HTTPS.",
)


@dataclass(frozen=True)
class Credentials:
    """Who a request says it is from."""

    token: HTTPAuthorizationCredentials | None
    session_cookie: str | None
    user_id: str | None
    is_from_extension: bool
    is_for_saving: bool  # what the token of a paired browser is for


async def get_credentials(
    request: Request,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
    session_cookie: Annotated[str | None, Depends(cookie)],
    x_user_id: Annotated[str | None, UUID_TEXT, Header(description="NEXUS_AUTH=dev: the user.")] = None,
) -> Credentials:
    from_extension = FROM_EXTENSION in request.scope
    return Credentials(token, session_cookie, x_user_id, from_extension, is_for_saving(request.scope))


CredentialsDep = Annotated[Credentials, Depends(get_credentials)]


def get_current_user(settings: SettingsDep, session: SessionDep, credentials: CredentialsDep) -> CurrentUser:
    return _user_of(settings, session, credentials)


def _user_of(settings: Settings, session: Session, given: Credentials) -> CurrentUser:
    # A browser extension needs its token in dev mode, too: others may be installed in the same browser.
    if settings.auth == "dev" and not given.is_from_extension:
        user_id = _parse_user_id(given.user_id) if given.user_id is not None else settings.dev_user_id
        return CurrentUser(user_id, ensure_user(session, user_id), is_operator=True)
    if given.token is None and not given.session_cookie:
        raise UnauthenticatedError("Send 'Authorization: Bearer <token>'; the operator makes tokens.")
    return _known_user(session, given)


def _known_user(session: Session, given: Credentials) -> CurrentUser:
    if given.token is not None:
        return user_of_token(session, given.token.credentials, is_for_saving=given.is_for_saving)
    return user_of_session(session, given.session_cookie or "")


async def get_expected_user(request: Request, user: Annotated[CurrentUser, Depends(get_current_user)]) -> CurrentUser:
    """A page opened for one user must not act as another who has signed in since, in the same browser."""
    return _require_expected_user(request, user)


def _require_expected_user(request: Request, user: CurrentUser) -> CurrentUser:
    expected = request.headers.get(EXPECTED_USER)
    if expected is not None and expected != str(user.user_id):
        raise OtherUserError("Another user is signed in now; nothing was changed. Reload the page.")
    return user


UserDep = Annotated[CurrentUser, Depends(get_expected_user)]


def get_user_without_session(request: Request, settings: SettingsDep, credentials: CredentialsDep) -> CurrentUser:
    with request.app.state.database.transaction() as session:
        return _require_expected_user(request, _user_of(settings, session, credentials))


# For routes that take long before they write: no transaction is open meanwhile.
UserWithoutSessionDep = Annotated[CurrentUser, Depends(get_user_without_session)]


OpenTransaction = Callable[[], AbstractContextManager[tuple[Session, CurrentUser]]]


async def get_open_transaction(request: Request, settings: SettingsDep, credentials: CredentialsDep) -> OpenTransaction:
    """For search-as-you-type, whose routes are called with every letter: the route opens its transaction itself.

    `SessionDep` and `UserDep` would each run in a thread of the pool, and handing over to a thread takes 0.15 ms of
    processor time: two for the session, one for its user.
    """

    @contextmanager
    def open_transaction() -> Iterator[tuple[Session, CurrentUser]]:
        with request.app.state.database.transaction() as session:
            yield session, _require_expected_user(request, _user_of(settings, session, credentials))

    return open_transaction


OpenTransactionDep = Annotated[OpenTransaction, Depends(get_open_transaction)]


async def get_revalidate(request: Request, settings: SettingsDep, credentials: CredentialsDep) -> Callable[[], None]:
    """For long responses: raises once the token is revoked or the session has ended."""

    def revalidate() -> None:
        if settings.auth == "token":
            with request.app.state.database.transaction() as session:
                _known_user(session, credentials)

    return revalidate


RevalidateDep = Annotated[Callable[[], None], Depends(get_revalidate)]


async def get_operator_rights(user: UserDep) -> CurrentUser:
    if not user.is_operator:
        raise OperatorRequiredError("This needs an operator's token: 'nexus token create --operator' makes one.")
    return user


OperatorUserDep = Annotated[CurrentUser, Depends(get_operator_rights)]


def _parse_user_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise InvalidUserIdError("X-User-Id must be a UUID, such as 11111111-1111-1111-1111-111111111111.") from None
