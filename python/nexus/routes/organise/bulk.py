"""Many entries at once."""

from nexus.http.dependencies import IndexesDep, SessionDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas import organise as wire
from nexus.schemas.errors import problems
from nexus.services.library.entry_tags import TagChanges
from nexus.services.organise.bulk import BulkChanges, change_many
from nexus.services.organise.selection import Chosen
from nexus.services.organise.undo import undo

router = api_router("/api/library", tag="library")


@router.post("/bulk", responses=problems(400, 401, 403, 404, 409, 413, 422, 503))
def change(body: wire.BulkChanges, session: SessionDep, user: UserDep, indexes: IndexesDep) -> wire.Changed:
    """Change or delete up to 10 000 entries: all of them or none."""
    chosen = (
        Chosen(filters=body.filter.as_filters(), query=body.filter.q) if body.filter else Chosen(body.media_ids or ())
    )
    changes = BulkChanges(
        set=body.set.model_dump(include=body.set.model_fields_set),
        tags=TagChanges(add=body.add_tags, remove=body.remove_tags),
        delete=body.delete,
        client_time=body.client_time,
    )
    done = change_many(session, user, indexes, chosen, changes)
    return wire.Changed.model_validate(done, from_attributes=True)


@router.post("/undo", responses=problems(401, 403, 404, 410, 413, 422, 503))
def undo_change(body: wire.Undo, session: SessionDep, user: UserDep) -> wire.Undone:
    """Undo a bulk change, once and within an hour."""
    return wire.Undone(restored=undo(session, user, body.undo))
