"""The current user; signing in and out."""

from fastapi import Request, Response
from sqlalchemy.orm import Session

from nexus.errors import ConflictError
from nexus.http.dependencies import SessionDep, SettingsDep
from nexus.http.identity import UserDep, session_cookie_name
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.session import Login, Me
from nexus.services.tokens import SESSION_LIFETIME, end_session, open_session
from nexus.services.users import CurrentUser

router = api_router("/api", tag="session")

OLD_COOKIE = "nexus_session"  # of older versions, which kept the token itself in it


@router.get("/me", responses=problems(401, 422, 503))
def me(user: UserDep, settings: SettingsDep) -> Me:
    """The user this request acts as. A new user's library is created."""
    return _me(user, settings.auth)


@router.post("/session", responses=problems(401, 403, 409, 413, 422, 503))
def sign_in(body: Login, request: Request, response: Response, session: SessionDep, settings: SettingsDep) -> Me:
    """Exchange a token for a session cookie that scripts on a page cannot read. It lasts 30 days.

    Signing out ends the session, revoking the token ends all that were opened with it.
    """
    if settings.auth == "dev":
        raise ConflictError("This server runs with NEXUS_AUTH=dev: nobody needs to sign in.")
    user, secret = open_session(session, body.token.get_secret_value())
    _end_session_of(request, session)
    response.set_cookie(
        session_cookie_name(request),
        secret,
        max_age=int(SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    _forget_old_cookie(request, response)
    return _me(user, settings.auth)


@router.delete("/session", status_code=204, responses=problems(403, 413, 503))
def sign_out(request: Request, response: Response, session: SessionDep) -> None:
    """End the session on the server and delete its cookie. Can be repeated."""
    _end_session_of(request, session)
    response.delete_cookie(
        session_cookie_name(request), httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    _forget_old_cookie(request, response)


def _end_session_of(request: Request, session: Session) -> None:
    # Read here and not by a dependency, which would describe the route as one that needs a session.
    secret = request.cookies.get(session_cookie_name(request))
    if secret:
        end_session(session, secret)


def _forget_old_cookie(request: Request, response: Response) -> None:
    if OLD_COOKIE in request.cookies:
        response.delete_cookie(OLD_COOKIE, httponly=True, samesite="strict")


def _me(user: CurrentUser, auth: str) -> Me:
    return Me.model_validate(
        {
            "user_id": user.user_id,
            "default_library_id": user.default_library_id,
            "operator": user.is_operator,
            "auth": auth,
        }
    )
