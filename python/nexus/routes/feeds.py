"""The list of feeds of a corpus."""

from typing import Annotated

from fastapi import Header, Response

from nexus.http.corpus import CorpusDep, OperatorServiceDep
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.feeds_file import Feeds, FeedsChange, read_feeds, write_feeds
from nexus.podcasts.corpus.layout import FEEDS_SPEC
from nexus.routes.routers import api_router
from nexus.schemas import feeds as wire
from nexus.schemas.errors import problems

router = api_router("/api", tag="operator")


@router.get("/feeds", responses=problems(401, 403, 409, 422, 503))
def get_feeds(corpus: CorpusDep, response: Response) -> wire.Feeds:
    """The feeds in feeds.spec.yaml, with an ETag to change them by."""
    return _response(corpus, read_feeds(corpus), response)


@router.put("/feeds", responses=problems(401, 403, 409, 412, 413, 422, 503, 507))
def put_feeds(
    change: wire.FeedsChange,
    operator: OperatorServiceDep,
    corpus: CorpusDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> wire.Feeds:
    """Replace the list of feeds. With If-Match it is only replaced if it has not changed since it was read."""
    wanted = FeedsChange(change.feeds, change.comments)
    return _response(corpus, write_feeds(corpus, wanted, if_match, operator.config.podcast_config()), response)


def _response(corpus: CorpusDirectory, feeds: Feeds, response: Response) -> wire.Feeds:
    response.headers["ETag"] = feeds.etag
    return wire.Feeds(path=str(corpus.root), file_relpath=FEEDS_SPEC, feeds=feeds.spec.plain())
