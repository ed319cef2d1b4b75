"""The operator's view of the store."""

from nexus.http.dependencies import SessionDep, StoreDep
from nexus.http.identity import OperatorUserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.store import StoreBody
from nexus.services.originals.pending_originals import count_originals
from nexus.services.pictures.queue import count_pictures
from nexus.store.health import health

router = api_router("/api", tag="operator")


@router.get("/store", responses=problems(401, 403, 422, 503))
def get_store(_: OperatorUserDep, session: SessionDep, store: StoreDep) -> StoreBody:
    """Where originals and pictures are kept, how much there is, what is missing and what waits. Needs an operator."""
    found = health(store)
    originals = count_originals(session)
    counts = {
        "waiting_originals": originals.waiting,
        "originals_not_kept": originals,
        "pictures": count_pictures(session),
    }
    return StoreBody.model_validate(vars(found) | vars(found.stored) | counts, from_attributes=True)
