"""The podcast configuration, merged from profile, environment, operator file and flags.

A feed's own entry comes between the operator file and the flags: see ``for_feed``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from nexus.config import podcast_variables
from nexus.errors import PodcastConfigError
from nexus.errors.messages import reason_of
from nexus.podcasts.feed_options import (
    BackoffFactor,
    BreakerSeconds,
    Day,
    HeaderText,
    KeepAudio,
    Line,
    NonNegativeInt,
    Positive,
    Retries,
    Switch,
    describe_error,
)
from nexus.podcasts.feeds_spec import FeedEntry
from nexus.podcasts.forbidden_keys import is_feed_key, is_secret_key
from nexus.podcasts.profile_files import available_profiles, load_profile
from nexus.podcasts.yaml_document import read_yaml, read_yaml_mapping

__all__ = ["PodcastConfig", "available_profiles", "for_feed", "load_podcast_config"]

# Keys of the operator file that are for the server, not for the run.
OPERATOR_ONLY_KEYS = frozenset({"scheduled_jobs", "pipeline_install_extras"})
MEGABYTE = 1_000_000


class PodcastConfig(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    # Selection
    max_episodes: Positive | None = None
    episode_order: Literal["newest", "oldest"] = "newest"
    episode_since: Day | None = None
    episode_until: Day | None = None
    episode_offset: NonNegativeInt = 0
    skip_existing: Switch = False

    # Requests
    user_agent: HeaderText = "Nexus-Podcasts/0.1"
    timeout: Positive = 20
    delay_ms: NonNegativeInt = 0
    http_retry_total: Retries = 5
    http_backoff_factor: BackoffFactor = 1.0
    rss_retry_total: Retries = 5
    rss_backoff_factor: BackoffFactor = 1.0
    episode_retry_max: Annotated[int, Field(strict=True, ge=0, le=10)] = 1
    episode_retry_delay_sec: Annotated[float, Field(strict=True, ge=0, le=120)] = 10.0
    host_request_interval_ms: Annotated[int, Field(strict=True, ge=0, le=600_000)] = 0
    host_max_concurrent: Annotated[int, Field(strict=True, ge=0, le=64)] = 0
    circuit_breaker_enabled: Switch = False
    circuit_breaker_failure_threshold: Annotated[int, Field(strict=True, ge=1, le=100)] = 5
    circuit_breaker_window_seconds: BreakerSeconds = 60
    circuit_breaker_cooldown_seconds: BreakerSeconds = 120
    circuit_breaker_scope: Literal["feed", "host"] = "feed"
    rss_conditional_get: Switch = True
    rss_cache_dir: Line | None = None
    max_feed_bytes: Positive = 64 * MEGABYTE
    max_transcript_bytes: Positive = 16 * MEGABYTE
    max_audio_bytes: Positive = 2000 * MEGABYTE

    # Transcripts
    prefer_types: tuple[Line, ...] = ()
    language: Line | None = None
    paragraph_pause_ms: Annotated[int, Field(strict=True, ge=100, le=60_000)] = 1500
    transcribe_missing: Switch = False
    transcription_provider: Literal["openai", "whisper"] = "openai"
    transcription_model: Line = "whisper-1"
    transcription_timeout: Annotated[int, Field(strict=True, ge=1, le=86_400)] = 1800
    transcription_max_bytes: Annotated[int, Field(strict=True, ge=100_000)] = 24 * MEGABYTE
    transcription_max_seconds: Annotated[int, Field(strict=True, ge=30, le=86_400)] = 1200
    whisper_model: Line = "base"
    whisper_device: Literal["auto", "cpu", "cuda"] = "auto"
    whisper_compute_type: Line = "default"
    whisper_local_files_only: Switch = False
    keep_audio: KeepAudio = "none"
    workers: Annotated[int, Field(strict=True, ge=1, le=64)] = 4
    feed_workers: Annotated[int, Field(strict=True, ge=1, le=64)] = 2

    @model_validator(mode="after")
    def _since_comes_before_until(self) -> "PodcastConfig":
        if self.episode_since and self.episode_until and self.episode_since > self.episode_until:
            raise ValueError(f"episode_since {self.episode_since} comes after episode_until {self.episode_until}")
        return self


KEYS = tuple(PodcastConfig.model_fields)


def load_podcast_config(
    source: str | Path | Mapping[str, Any] | None = None,
    *,
    name: str = "the configuration",
    profile: str | None = None,
    flags: Mapping[str, Any] | None = None,
) -> PodcastConfig:
    """Later ones win: profile, environment, operator file (its text, path or parsed content), flags."""
    if isinstance(source, Path):
        name, source = str(source), _read(source)
    written = read_yaml_mapping(source, name=name) if isinstance(source, str) else dict(source or {})
    _refuse_feeds_and_secrets(written, name)
    profile_in_file = written.pop("profile", None)
    if profile_in_file is not None and not isinstance(profile_in_file, str):
        raise PodcastConfigError(f"{name}: 'profile' must be the name of a profile.", key="profile")
    written = {key: value for key, value in written.items() if key not in OPERATOR_ONLY_KEYS}
    chosen = profile or profile_in_file
    layers = [
        (f"profile {chosen}", load_profile(chosen) if chosen else {}),
        ("the environment", _from_environment()),
        (name, written),
        ("the command line", {key: value for key, value in (flags or {}).items() if value is not None}),
    ]
    return _merged(layers)


def for_feed(
    config: PodcastConfig, entry: FeedEntry, flags: Mapping[str, Any], *, name: str | None = None
) -> PodcastConfig:
    """The configuration of one feed: its entry overrides ``config``, the flags override both."""
    overrides = entry.overrides() | {key: value for key, value in flags.items() if value is not None}
    if not overrides:
        return config
    return _merged([(name or f"the entry of {entry.url}", dict(config) | overrides)], of_entry=overrides)


def _merged(layers: list[tuple[str, dict[str, Any]]], of_entry: Mapping[str, Any] | None = None) -> PodcastConfig:
    merged: dict[str, Any] = {}
    checked = PodcastConfig()
    for name, values in layers:
        merged |= values
        # null resets the value of an earlier layer.
        merged = {key: value for key, value in merged.items() if value is not None or key not in KEYS}
        try:  # after each layer, so that the error names the right one
            checked = PodcastConfig.model_validate(merged)
        except ValidationError as error:
            problem = error.errors()[0]
            if not problem["loc"]:
                given = of_entry if of_entry is not None else values
                key = next((key for key in ("episode_until", "episode_since") if key in given), "episode_until")
                raise PodcastConfigError(f"{name}: {reason_of(problem)}.", key=key) from None
            key, sentence = describe_error(problem, KEYS)
            raise PodcastConfigError(f"{name}: {sentence}.", key=key) from None
    return checked


def _refuse_feeds_and_secrets(written: Mapping[str, Any], name: str) -> None:
    for key in written:
        if is_feed_key(key):
            raise PodcastConfigError(f"{name}: feeds belong in the feeds spec, not under '{key}' here.", key=key)
        if is_secret_key(key):
            raise PodcastConfigError(f"{name}: '{key}' looks like a secret; those come from the environment.", key=key)


def _from_environment() -> dict[str, Any]:
    """NEXUS_PODCAST_TIMEOUT=30 and the like; the values are YAML."""
    return {
        key.lower(): read_yaml(value, name=f"NEXUS_PODCAST_{key}") if value else None
        for key, value in podcast_variables().items()
    }


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PodcastConfigError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise PodcastConfigError(f"{path} is not UTF-8 text.") from None
