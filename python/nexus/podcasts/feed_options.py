"""The options and their ranges, for the whole configuration and for one feed."""

import difflib
from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import ErrorDetails

from nexus.errors.messages import reason_of


def _day(value: Any) -> Any:
    """A date without a time: pydantic alone would also accept 1700000000."""
    if isinstance(value, datetime) or (not isinstance(value, str | date) and value is not None):
        raise ValueError("write a day such as 2024-01-31")
    return value


def _text(value: Any) -> Any:
    if isinstance(value, str) and ("\n" in value or "\r" in value or not value.strip()):
        raise ValueError("it must be one line of text and not blank")
    return value


def _header_text(value: Any) -> Any:
    if isinstance(value, str) and not (value.isascii() and value.isprintable()):
        raise ValueError("it must be plain ASCII text, since it becomes a header")
    return _text(value)


def _audio_choice(value: Any) -> Any:
    """Versions before 0.2 took a switch here, which meant what was fetched for transcription."""
    return {False: "none", True: "transcribed"}[value] if isinstance(value, bool) else value


NonNegativeInt = Annotated[int, Field(strict=True, ge=0)]
Positive = Annotated[int, Field(strict=True, ge=1)]
Retries = Annotated[int, Field(strict=True, ge=0, le=20)]
BackoffFactor = Annotated[float, Field(strict=True, ge=0, le=10)]
BreakerSeconds = Annotated[int, Field(strict=True, ge=1, le=86_400)]
Switch = Annotated[bool, Field(strict=True)]
Day = Annotated[date, BeforeValidator(_day)]
Line = Annotated[str, Field(strict=True, max_length=1000), BeforeValidator(_text)]

HeaderText = Annotated[str, Field(strict=True, max_length=1000), BeforeValidator(_header_text)]
KeepAudio = Annotated[Literal["none", "transcribed", "all"], BeforeValidator(_audio_choice)]


class FeedOverrides(BaseModel):
    """Every key a feed may set for itself. None: the value of the configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    user_agent: HeaderText | None = None
    timeout: Positive | None = None
    delay_ms: NonNegativeInt | None = None
    max_episodes: Positive | None = None
    http_retry_total: Retries | None = None
    rss_retry_total: Retries | None = None
    http_backoff_factor: BackoffFactor | None = None
    rss_backoff_factor: BackoffFactor | None = None
    episode_retry_max: Annotated[int, Field(strict=True, ge=0, le=10)] | None = None
    episode_retry_delay_sec: Annotated[float, Field(strict=True, ge=0, le=120)] | None = None
    host_request_interval_ms: Annotated[int, Field(strict=True, ge=0, le=600_000)] | None = None
    host_max_concurrent: Annotated[int, Field(strict=True, ge=0, le=64)] | None = None
    circuit_breaker_enabled: Switch | None = None
    circuit_breaker_failure_threshold: Annotated[int, Field(strict=True, ge=1, le=100)] | None = None
    circuit_breaker_window_seconds: BreakerSeconds | None = None
    circuit_breaker_cooldown_seconds: BreakerSeconds | None = None
    circuit_breaker_scope: Literal["feed", "host"] | None = None
    rss_conditional_get: Switch | None = None
    rss_cache_dir: Line | None = None
    episode_order: Literal["newest", "oldest"] | None = None
    episode_offset: NonNegativeInt | None = None
    episode_since: Day | None = None
    episode_until: Day | None = None
    keep_audio: KeepAudio | None = None


MAX_SHOWN = 100
OVERRIDE_KEYS = tuple(FeedOverrides.model_fields)


def describe_error(problem: ErrorDetails, known: Iterable[str]) -> tuple[str, str]:
    """The key of a validation error, and a message."""
    key = str(problem["loc"][0]) if problem["loc"] else ""
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, list(known), n=1)
        return key, f"the key '{key}' is not known" + (f" (did you mean '{near[0]}'?)" if near else "")
    if problem["type"] == "missing":
        return key, f"the key '{key}' is missing"
    return key, f"'{key}' is not valid: {reason_of(problem)}{_given_value(problem['input'])}"


def _given_value(value: Any) -> str:
    text = f" ({value!r} was given)"
    if "@" in text:  # may be a password
        return ""
    return text if len(text) <= MAX_SHOWN else ""
