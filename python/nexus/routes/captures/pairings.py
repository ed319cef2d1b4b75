"""Pairing a browser extension with a user's library."""

from uuid import UUID

from nexus.errors import NotFoundError
from nexus.http.dependencies import SessionDep
from nexus.http.identity import CredentialsDep, UserDep
from nexus.routes.routers import api_router
from nexus.schemas.captures.pairings import NewPairing, NewPairingCode, Pairing, PairingExchange
from nexus.schemas.errors import problems
from nexus.services import pairings

router = api_router("/api/pairings", tag="pairings")


@router.post("", status_code=201, responses=problems(401, 403, 409, 413, 422, 503))
def create(session: SessionDep, user: UserDep) -> NewPairingCode:
    """A code that pairs one browser within ten minutes. The code before, if it was not used, is no longer valid."""
    return NewPairingCode.model_validate(pairings.create_code(session, user))


@router.post("/exchange", status_code=201, responses=problems(403, 404, 413, 422, 503))
def exchange(body: PairingExchange, session: SessionDep) -> NewPairing:
    """For the extension: exchange a code for a token of its own, once: 404 if it was used before or is too old."""
    paired = pairings.exchange_code(session, body.code.get_secret_value(), body.name)
    return NewPairing(id=paired.token.id, name=paired.name, token=paired.token.secret, user_id=paired.user_id)


@router.get("", summary="List Pairings", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep) -> list[Pairing]:
    """The browsers that can save pages for this user."""
    return [Pairing.model_validate(each) for each in pairings.list_paired(session, user)]


@router.delete("/current", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def end_current(session: SessionDep, user: UserDep, credentials: CredentialsDep) -> None:
    """For the extension: unpair this browser; its own token is no longer valid."""
    if credentials.token is None:
        raise NotFoundError("This request came without the token of a paired browser.")
    pairings.end_own_pairing(session, user, credentials.token.credentials)


@router.delete("/{pairing_id:uuid}", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def end(pairing_id: UUID, session: SessionDep, user: UserDep) -> None:
    """Unpair a browser: its token is no longer valid."""
    pairings.end_pairing(session, user, pairing_id)
