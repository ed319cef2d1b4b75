"""Who am I; signing the viewer in and out."""

from fastapi import APIRouter, Request, Response

from nexus.errors import ConflictError
from nexus.http.identity import SESSION_COOKIE, SessionDep, SettingsDep, ViewerDep
from nexus.schemas.errors import problems
from nexus.schemas.session import Login, Me
from nexus.services.tokens import viewer_of_token
from nexus.services.users import Viewer

router = APIRouter(prefix="/api", tags=["session"])

MONTH = 30 * 24 * 3600


@router.get("/me", responses=problems(401, 422, 503))
def me(viewer: ViewerDep, settings: SettingsDep) -> Me:
    """The user this request counts as; seen for the first time, it gets its library."""
    return _me(viewer, settings.auth)


@router.post("/session", responses=problems(401, 403, 409, 413, 422, 503))
def sign_in(body: Login, request: Request, response: Response, session: SessionDep, settings: SettingsDep) -> Me:
    """Exchange a token for a session cookie that scripts on a page cannot read. Revoking the token ends it."""
    if settings.auth == "dev":
        raise ConflictError("This server runs with NEXUS_AUTH=dev: nobody needs to sign in.")
    secret = body.token.get_secret_value()
    viewer = viewer_of_token(session, secret)
    response.set_cookie(
        SESSION_COOKIE, secret, max_age=MONTH, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return _me(viewer, settings.auth)


@router.delete("/session", status_code=204, responses=problems(403, 413))
def sign_out(response: Response) -> None:
    """Forget the session cookie. Signing out twice is fine."""
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict")


def _me(viewer: Viewer, auth: str) -> Me:
    return Me.model_validate(
        {
            "user_id": viewer.user_id,
            "default_library_id": viewer.default_library_id,
            "operator": viewer.is_operator,
            "auth": auth,
        }
    )
