"""The operator's view of the store."""

from nexus.http.dependencies import SessionDep, StoreDep
from nexus.http.identity import OperatorUserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.store import OriginalsNotKept, PictureStates, StoreBody, StoreCheckBody, StoreCollectionBody
from nexus.services.originals.pending_originals import count_originals
from nexus.services.pictures.queue import count_pictures
from nexus.store.health import health

router = api_router("/api", tag="operator")


@router.get("/store", responses=problems(401, 403, 422, 503))
def get_store(_: OperatorUserDep, session: SessionDep, store: StoreDep) -> StoreBody:
    """Where originals and pictures are kept, how much there is, what is missing and what waits. Needs an operator."""
    found = health(store)
    check, collection = found.last_check, found.last_collection
    originals = count_originals(session)
    return StoreBody(
        kind="s3" if found.kind == "s3" else "folder",
        place=found.place,
        problem=found.problem,
        blobs=found.stored.blobs,
        bytes=found.stored.bytes,
        free_bytes=found.free_bytes,
        reserve_bytes=found.reserve_bytes,
        missing=found.missing,
        damaged=found.damaged,
        last_check=StoreCheckBody.model_validate(check, from_attributes=True) if check else None,
        last_collection=StoreCollectionBody.model_validate(collection, from_attributes=True) if collection else None,
        waiting_originals=originals.waiting,
        originals_not_kept=OriginalsNotKept.model_validate(originals, from_attributes=True),
        pictures=PictureStates(**count_pictures(session)),
    )
