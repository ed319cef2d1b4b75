"""``corpus_incidents.jsonl``: everything that went wrong, one line each; nothing is ever removed."""

from pathlib import Path
from typing import Literal

from nexus.errors import NexusError
from nexus.logging import get_logger, redact
from nexus.podcasts.corpus.files import append_line
from nexus.podcasts.corpus.status import timestamp

MAX_MESSAGE_CHARS = 500
log = get_logger(__name__)


class Incidents:
    def __init__(self, path: Path, run_id: str) -> None:
        self._path = path
        self._run_id = run_id

    def add(
        self,
        scope: Literal["run", "feed", "episode"],
        error: NexusError,
        *,
        stage: str,
        feed_url: str | None = None,
        episode: str | None = None,
        lost: bool = True,
    ) -> None:
        """``lost`` False: the run continued without what failed."""
        line = {
            "schema_version": 1,
            "at": timestamp(),
            "run_id": self._run_id,
            "scope": scope,
            "stage": stage,
            "code": error.code,
            "message": redact(error.message)[:MAX_MESSAGE_CHARS],
            "feed_url": feed_url,
            "episode": episode,
            "lost": lost,
        }
        try:
            append_line(self._path, line)
        except OSError as failure:  # a full disk; the run's summary still has it
            log.exception("cannot write an incident", reason=str(failure), code=error.code)
