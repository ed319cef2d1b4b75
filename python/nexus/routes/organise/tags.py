"""A user's tags."""

from uuid import UUID

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.tags import NewTag, Tag, TagChanges
from nexus.services.library import tags

router = api_router("/api/tags", tag="tags")


@router.get("", summary="List Tags", responses=problems(401, 422, 503))
def list_(session: SessionDep, user: UserDep) -> list[Tag]:
    """All of the user's tags in the order of their names, with how many entries have each."""
    return [Tag.model_validate(tag, from_attributes=True) for tag in tags.list_tags(session, user)]


@router.post("", status_code=201, responses=problems(401, 403, 409, 413, 422, 503))
def create(body: NewTag, session: SessionDep, user: UserDep) -> Tag:
    """Create a tag; no entry has it yet."""
    made = tags.create_tag(session, user, body.name, body.color)
    return Tag.model_validate(made, from_attributes=True)


@router.patch("/{tag_id}", responses=problems(401, 403, 404, 409, 413, 422, 503))
def change(tag_id: UUID, body: TagChanges, session: SessionDep, user: UserDep) -> Tag:
    """Rename a tag, with the tags below it, or change its colour. With the name of another tag, the two become that
    one; the response is the tag that remains."""
    given = body.model_fields_set
    changed = tags.change_tag(
        session,
        user,
        tag_id,
        name=body.name if "name" in given else None,
        color=body.color,
        with_color="color" in given,
    )
    return Tag.model_validate(changed, from_attributes=True)


@router.delete("/{tag_id}", status_code=204, responses=problems(401, 403, 404, 413, 422, 503))
def delete(tag_id: UUID, session: SessionDep, user: UserDep) -> None:
    """Delete a tag and remove it from all entries. The tags below it stay."""
    tags.delete_tag(session, user, tag_id)
