"""Media: save by link, read, retry, fetch again, remove."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import Query, Response

from nexus.http.dependencies import SessionDep
from nexus.http.identity import UserDep
from nexus.http.request_id import current_request_id
from nexus.http.save_context import MediaContext
from nexus.routes.client_time import ClientTime
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.media import Data, Episode, FetchAgain, Fragment, Media, NewLink, Retried, SavedLink, Version
from nexus.services import lifecycle
from nexus.services.media import allowed_media, get_media, get_text, list_versions
from nexus.services.saving import save_link

# :uuid, so that /media/from_url and /media/image are never taken for an id.
router = api_router("/media", tag="media")
VersionNumber = Annotated[
    int | None, Query(ge=1, le=2**31 - 1, description="A version of the text; left out: the current one.")
]


@router.post("/from_url", status_code=202, responses=problems(401, 403, 413, 422, 503))
def save(body: NewLink, session: SessionDep, user: UserDep, context: MediaContext) -> Data[SavedLink]:
    """Save a link; it is fetched after the response. One attempt, further ones on request."""
    saved = save_link(session, user, context, body.url)
    status: Literal["pending", "ready_for_reading"] = (
        "ready_for_reading" if saved.status == "needs_user_text" else "pending"
    )
    link = SavedLink(media_id=saved.media_id, duplicate=False, processing_status=status, ingest_enqueued=True)
    return Data(data=link)


@router.get("/{media_id:uuid}", responses=problems(401, 404, 422, 503))
def read(
    media_id: UUID, response: Response, session: SessionDep, user: UserDep, context: MediaContext
) -> Data[Episode | Media]:
    """A media. The id of a merged duplicate still works and returns the media it was merged into."""
    details = allowed_media(get_media(session, user, media_id), context.allow)
    response.headers["Content-Location"] = f"/media/{details.id}"
    return Data(data=(Episode if details.kind == "podcast_episode" else Media).model_validate(details))


@router.delete("/{media_id:uuid}", status_code=204, responses=problems(401, 403, 404, 409, 413, 422, 503))
def remove(media_id: UUID, session: SessionDep, user: UserDep, client_time: ClientTime = None) -> None:
    """Remove a media and its items from the library. An episode stays removed, whatever later runs find in its feed."""
    lifecycle.remove_media(session, user, media_id, client_time)


@router.get("/{media_id:uuid}/fragments", responses=problems(401, 404, 409, 422, 503))
def fragments(
    media_id: UUID, response: Response, session: SessionDep, user: UserDep, version: VersionNumber = None
) -> Data[list[Fragment]]:
    """The fragments of a media's text, in order: of the current version, or of the requested one."""
    found = get_text(session, user, media_id, version)
    query = f"?version={version}" if version else ""
    response.headers["Content-Location"] = f"/media/{found.media_id}/fragments{query}"
    return Data(data=[Fragment.model_validate(fragment) for fragment in found.fragments])


@router.get("/{media_id:uuid}/versions", responses=problems(401, 404, 422, 503))
def versions(media_id: UUID, response: Response, session: SessionDep, user: UserDep) -> Data[list[Version]]:
    """The versions of a media's text, newest first; none as long as it cannot be read."""
    found_id, found = list_versions(session, user, media_id)
    response.headers["Content-Location"] = f"/media/{found_id}/versions"
    return Data(data=[Version.model_validate(version) for version in found])


@router.post("/{media_id:uuid}/retry", status_code=202, responses=problems(401, 403, 404, 409, 413, 422, 503))
def retry(media_id: UUID, session: SessionDep, user: UserDep) -> Data[Retried]:
    """Try a failed media again, up to three attempts in all."""
    queued_id = lifecycle.retry_media(session, user, media_id)
    return Data(data=Retried(media_id=queued_id, processing_status="pending", retry_enqueued=True))


@router.post(
    "/{media_id:uuid}/fetch-again", status_code=202, responses=problems(401, 403, 404, 409, 413, 422, 429, 503)
)
def fetch_again(media_id: UUID, session: SessionDep, user: UserDep) -> Data[FetchAgain]:
    """Fetch a media's page again, at most once a minute. A text that differs becomes the current version; the earlier
    ones stay among its versions."""
    fetch = lifecycle.fetch_again(session, user, media_id, request_id=current_request_id())
    facts = {
        "media_id": fetch.media_id,
        "processing_status": fetch.processing_status,
        "fetch_enqueued": fetch.is_new,
    }
    return Data(data=FetchAgain.model_validate(facts))
