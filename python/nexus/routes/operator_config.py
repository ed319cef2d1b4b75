"""The operator's YAML file."""

from typing import Annotated

from fastapi import Header, Response

from nexus.http.corpus import CorpusDep, OperatorServiceDep
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.feeds_file import check_feeds
from nexus.operator.operator_config import OperatorConfig
from nexus.podcasts.config import available_profiles
from nexus.routes.routers import api_router
from nexus.schemas.errors import problems
from nexus.schemas.operator_config import OperatorConfigBody, OperatorConfigChange, Profiles

router = api_router("/api", tag="operator")


@router.get("/operator-config", responses=problems(401, 403, 409, 422, 503))
def get_operator_config(operator: OperatorServiceDep, corpus: CorpusDep, response: Response) -> OperatorConfigBody:
    """The operator's configuration file and the profiles it may name. Where there is no file, its content is empty;
    reading never creates one."""
    return _response(corpus, operator.config.read(), response)


@router.get("/operator-config/profiles", responses=problems(401, 403, 422))
def get_profiles(_: OperatorServiceDep) -> Profiles:
    """The profiles that `profile:` may name, sorted."""
    return Profiles(available_profiles=available_profiles())


@router.put("/operator-config", responses=problems(401, 403, 409, 412, 413, 422, 503, 507))
def put_operator_config(
    change: OperatorConfigChange,
    operator: OperatorServiceDep,
    corpus: CorpusDep,
    response: Response,
    if_match: Annotated[str | None, Header()] = None,
) -> OperatorConfigBody:
    """Check the YAML and store it as it is. Feeds and secrets are refused; nothing is written then."""
    config = operator.config.write(change.content, if_match, lambda new: check_feeds(corpus, new))
    operator.wakeup.set()  # schedules may have changed
    return _response(corpus, config, response)


def _response(corpus: CorpusDirectory, config: OperatorConfig, response: Response) -> OperatorConfigBody:
    response.headers["ETag"] = config.etag
    return OperatorConfigBody(
        corpus_path=str(corpus.root),
        operator_config_path=str(config.path),
        content=config.content,
        available_profiles=available_profiles(),
    )
