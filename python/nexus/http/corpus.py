"""The corpus that an operator's request names."""

from typing import Annotated

from fastapi import Depends, Query, Request

from nexus.http.identity import OperatorUserDep
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.jobs.queue import JobQueue
from nexus.operator.service import Operator


def get_operator(request: Request, _: OperatorUserDep) -> Operator:
    operator: Operator = request.app.state.operator
    return operator


OperatorServiceDep = Annotated[Operator, Depends(get_operator)]


def get_corpus(
    operator: OperatorServiceDep,
    path: Annotated[
        str | None,
        Query(max_length=4096, description="A directory below the server's corpus; without it, that corpus itself."),
    ] = None,
) -> CorpusDirectory:
    return operator.corpus(path)


CorpusDep = Annotated[CorpusDirectory, Depends(get_corpus)]


def get_queue(operator: OperatorServiceDep, corpus: CorpusDep) -> JobQueue:
    return operator.queue(corpus)


QueueDep = Annotated[JobQueue, Depends(get_queue)]
