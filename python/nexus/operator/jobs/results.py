"""The result of a run: its summary, or its last status if it was killed.

The pipeline writes both into the corpus, so they are validated and bounded like everything else that is read there.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nexus.errors.url_secrets import hide_url_secrets
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.guarded_path import GuardedPath
from nexus.operator.jobs.untrusted_json import parse_untrusted_json

MAX_SUMMARY = 32 * 1024 * 1024
MAX_FAILURES = 20
MAX_NAME = 300
MAX_REASON = 500
MAX_COUNT = 2**31

Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]


class RunFailure(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    feed: Annotated[str, Field(max_length=MAX_NAME)]
    feed_title: Annotated[str, Field(max_length=MAX_NAME)] | None = None
    episode: Annotated[str, Field(max_length=MAX_NAME)] | None = None
    code: Annotated[str, Field(max_length=MAX_NAME)]
    reason: Annotated[str, Field(max_length=MAX_REASON)]


class RunResult(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    feeds_failed: Count
    episodes_failed: Count
    failures: Annotated[tuple[RunFailure, ...], Field(max_length=MAX_FAILURES)] = ()


def result_of(corpus: CorpusDirectory, job_id: str) -> RunResult | None:
    """None: the run left no readable summary; a dry run leaves none."""
    summary = _document(corpus.run_summary(job_id))
    if summary and isinstance(summary.get("counts"), dict):
        counts = summary["counts"]
        return _result(counts.get("feeds_failed"), counts.get("failed"), summary.get("failures"))
    status = _document(corpus.run_status(job_id))
    if status:
        return _result(status.get("feeds_failed"), status.get("episodes_failed"), status.get("failures"))
    return None


def _document(path: GuardedPath) -> dict[str, Any] | None:
    try:
        found = parse_untrusted_json(path.read_bytes(MAX_SUMMARY))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _result(feeds_failed: object, episodes_failed: object, failures: object) -> RunResult | None:
    if not _is_count(feeds_failed) or not _is_count(episodes_failed):
        return None
    listed = failures if isinstance(failures, list) else []
    try:
        return RunResult(
            feeds_failed=feeds_failed,  # type: ignore[arg-type]
            episodes_failed=episodes_failed,  # type: ignore[arg-type]
            failures=tuple(_failure(each) for each in listed[:MAX_FAILURES] if isinstance(each, dict)),
        )
    except ValidationError:
        return None


def _failure(found: dict[str, Any]) -> RunFailure:
    return RunFailure(
        feed=hide_url_secrets(_text(found.get("feed")) or "")[:MAX_NAME],
        feed_title=_text(found.get("feed_title")),
        episode=_text(found.get("episode")),
        code=_text(found.get("code")) or "unknown",
        reason=hide_url_secrets(_text(found.get("reason"), MAX_REASON) or ""),
    )


def _text(value: object, longest: int = MAX_NAME) -> str | None:
    return value[:longest] if isinstance(value, str) and value else None


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT
