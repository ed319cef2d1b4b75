"""Settings: one class, the only code that reads the environment. Described in docs/reference/configuration.md."""

import difflib
import ipaddress
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from nexus.errors import ConfigError
from nexus.errors.messages import reason_of

OUR_PREFIXES = ("NEXUS_", "WORKER_", "PODCAST_SERVE_", "PODCAST_JOB_", "PODCAST_VIEWER_", "PODCAST_PIPELINE_")
PODCAST_PREFIX = "NEXUS_PODCAST_"  # each key of the podcast configuration; nexus.podcasts.config checks them
# Read by the compose files only; a server that starts containers has them too.
COMPOSE_NAMES = {"NEXUS_DB_PASSWORD", "PODCAST_PIPELINE_USER", "PODCAST_PIPELINE_MEMORY", "PODCAST_PIPELINE_STORE"}
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
Names = Annotated[tuple[str, ...], NoDecode]


def default_data_dir() -> Path:
    if os.geteuid() == 0:
        return Path("/var/lib/nexus")
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "nexus"


def _playwright_browsers() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "ms-playwright"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True, populate_by_name=True)

    database_url: str | None = Field(None, validation_alias="DATABASE_URL", repr=False)
    data_dir: Path = Field(default_factory=default_data_dir, validation_alias="NEXUS_DATA_DIR")

    host: str = Field("127.0.0.1", validation_alias="NEXUS_HOST")
    port: int = Field(8000, ge=0, le=65535, validation_alias="NEXUS_PORT")
    allowed_hosts: Names = Field((), validation_alias="NEXUS_ALLOWED_HOSTS")
    max_body_bytes: int = Field(4_194_304, ge=1024, validation_alias="NEXUS_MAX_BODY_BYTES")
    capture_max_bytes: int = Field(20_000_000, ge=1024, le=100_000_000, validation_alias="NEXUS_CAPTURE_MAX_BYTES")
    max_connections: int | None = Field(None, ge=1, validation_alias="NEXUS_MAX_CONNECTIONS")
    max_connections_per_address: int = Field(100, ge=0, validation_alias="NEXUS_MAX_CONNECTIONS_PER_ADDRESS")
    import_max_bytes: int = Field(1_000_000_000, ge=1024, le=5_000_000_000, validation_alias="NEXUS_IMPORT_MAX_BYTES")
    request_seconds: float = Field(20, ge=1, le=3600, validation_alias="NEXUS_REQUEST_SECONDS")

    original_max_bytes: int = Field(10_000_000, ge=0, le=1_000_000_000, validation_alias="NEXUS_ORIGINAL_MAX_BYTES")
    original_bytes_per_user: int = Field(5_000_000_000, ge=0, validation_alias="NEXUS_ORIGINAL_BYTES_PER_USER")

    store: str | None = Field(None, validation_alias="NEXUS_STORE")
    store_endpoint: str | None = Field(None, pattern="^https?://[^/]+/?$", validation_alias="NEXUS_STORE_ENDPOINT")
    store_region: str | None = Field(None, validation_alias="NEXUS_STORE_REGION")
    store_addressing: Literal["virtual-host", "path"] = Field("path", validation_alias="NEXUS_STORE_ADDRESSING")
    store_access_key_id: str | None = Field(None, validation_alias="NEXUS_STORE_ACCESS_KEY_ID")
    store_secret_access_key: SecretStr | None = Field(None, validation_alias="NEXUS_STORE_SECRET_ACCESS_KEY")
    store_session_token: SecretStr | None = Field(None, validation_alias="NEXUS_STORE_SESSION_TOKEN")
    store_reserve_bytes: int = Field(1 << 30, ge=0, validation_alias="NEXUS_STORE_RESERVE_BYTES")
    store_collect_hours: float = Field(24, ge=0, le=8760, validation_alias="NEXUS_STORE_COLLECT_HOURS")
    image_cache_bytes: int = Field(500_000_000, ge=0, validation_alias="NEXUS_IMAGE_CACHE_BYTES")
    pictures_per_media: int = Field(200, ge=0, validation_alias="NEXUS_PICTURES_PER_MEDIA")
    picture_bytes_per_user: int = Field(10_000_000_000, ge=0, validation_alias="NEXUS_PICTURE_BYTES_PER_USER")

    export_dir: Path | None = Field(None, validation_alias="NEXUS_EXPORT_DIR")
    export_keep_days: float = Field(7, gt=0, le=3650, validation_alias="NEXUS_EXPORT_KEEP_DAYS")
    export_bytes_per_user: int = Field(20_000_000_000, ge=0, validation_alias="NEXUS_EXPORT_BYTES_PER_USER")

    env: Literal["local", "test", "staging", "prod"] = Field("local", validation_alias="NEXUS_ENV")
    egress_allow: Names = Field((), validation_alias="NEXUS_EGRESS_ALLOW")
    egress_per_host: int = Field(4, ge=1, le=64, validation_alias="NEXUS_EGRESS_PER_HOST")

    chromium: Path | None = Field(None, validation_alias="NEXUS_CHROMIUM")
    playwright_browsers: Path = Field(default_factory=_playwright_browsers, validation_alias="PLAYWRIGHT_BROWSERS_PATH")
    node_ingest: Path | None = Field(None, validation_alias="NEXUS_NODE_INGEST")

    auth: Literal["dev", "token"] = Field("dev", validation_alias="NEXUS_AUTH")
    allow_dev_auth: bool = Field(False, validation_alias="NEXUS_ALLOW_DEV_AUTH")
    dev_user_id: UUID = Field(UUID(int=1), validation_alias="DEV_USER_ID")

    server_url: str = Field("http://127.0.0.1:8000", pattern="^https?://", validation_alias="NEXUS_URL")
    token: SecretStr | None = Field(None, validation_alias="NEXUS_TOKEN")

    log_level: LogLevel = Field("INFO", validation_alias="NEXUS_LOG_LEVEL")
    log_format: Literal["text", "json"] = Field("text", validation_alias="NEXUS_LOG_FORMAT")

    celery_broker_url: str | None = Field(None, validation_alias="CELERY_BROKER_URL", repr=False)
    celery_result_backend: str | None = Field(None, validation_alias="CELERY_RESULT_BACKEND", repr=False)

    worker_poll_seconds: float = Field(3, gt=0, le=3600, validation_alias="WORKER_POLL_SECONDS")
    worker_batch_size: int = Field(5, ge=1, le=1000, validation_alias="WORKER_BATCH_SIZE")
    worker_concurrency: int = Field(16, ge=1, le=256, validation_alias="WORKER_CONCURRENCY")
    worker_lease_seconds: float = Field(30, ge=1, le=3600, validation_alias="WORKER_LEASE_SECONDS")
    worker_min_chars: int = Field(600, ge=0, validation_alias="WORKER_MIN_CHARS")
    worker_max_attempts: int = Field(2, ge=1, le=20, validation_alias="WORKER_MAX_ATTEMPTS")
    worker_stale_minutes: float = Field(15, gt=0, validation_alias="WORKER_STALE_PROCESSING_MINUTES")
    worker_http_connect_timeout: float = Field(5, gt=0, le=600, validation_alias="WORKER_HTTP_CONNECT_TIMEOUT")
    worker_http_read_timeout: float = Field(20, gt=0, le=600, validation_alias="WORKER_HTTP_READ_TIMEOUT")
    worker_http_total_timeout: float = Field(60, gt=0, le=3600, validation_alias="WORKER_HTTP_TOTAL_TIMEOUT")
    worker_max_bytes: int = Field(2_000_000, ge=1, le=100_000_000, validation_alias="WORKER_MAX_BYTES")
    worker_user_agent: str = Field("NudgeBot/0.1", pattern=r"^[\x20-\x7e]+$", validation_alias="WORKER_USER_AGENT")
    worker_render: Literal["auto", "always", "never"] = Field("auto", validation_alias="WORKER_RENDER")
    worker_render_memory_bytes: int = Field(
        1_500_000_000, ge=300_000_000, validation_alias="WORKER_RENDER_MEMORY_BYTES"
    )
    worker_picture_pause_seconds: float = Field(0.2, ge=0, le=60, validation_alias="WORKER_PICTURE_PAUSE_SECONDS")
    worker_log_level: LogLevel = Field("INFO", validation_alias="WORKER_LOG_LEVEL")

    output_dir: Path | None = Field(None, validation_alias="PODCAST_SERVE_OUTPUT_DIR")
    operator_config_file: Path | None = Field(None, validation_alias="PODCAST_SERVE_CONFIG_FILE")
    feeds_api: bool = Field(False, validation_alias="PODCAST_SERVE_ENABLE_FEEDS_API")
    operator_config_api: bool = Field(False, validation_alias="PODCAST_SERVE_ENABLE_OPERATOR_CONFIG_API")
    jobs_api: bool = Field(False, validation_alias="PODCAST_SERVE_ENABLE_JOBS_API")
    max_pipeline_jobs: int = Field(1, ge=1, le=64, validation_alias="PODCAST_VIEWER_MAX_PIPELINE_JOBS")
    job_stale_seconds: float = Field(86_400, ge=0, validation_alias="PODCAST_JOB_STALE_SECONDS")
    job_cancel_grace_seconds: float = Field(10, ge=0, le=3600, validation_alias="PODCAST_JOB_CANCEL_GRACE_SECONDS")
    job_log_max_bytes: int = Field(52_428_800, ge=0, validation_alias="PODCAST_JOB_LOG_MAX_BYTES")
    pipeline_exec_mode: Literal["subprocess", "docker"] = Field(
        "subprocess", validation_alias="PODCAST_PIPELINE_EXEC_MODE"
    )
    docker_project_dir: Path | None = Field(None, validation_alias="PODCAST_DOCKER_PROJECT_DIR")
    docker_compose_files: Names = Field((), validation_alias="PODCAST_DOCKER_COMPOSE_FILES")
    podcast_user_id: UUID | None = Field(None, validation_alias="PODCAST_USER_ID")
    openai_base_url: str = Field("https://api.openai.com/v1", validation_alias="OPENAI_BASE_URL")
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY")

    @property
    def egress_exceptions(self) -> tuple[str, ...]:
        """Exceptions to the address rules; tests may fetch from their own machine."""
        return (*self.egress_allow, *(("127.0.0.1:*", "localhost:*") if self.env == "test" else ()))

    @property
    def store_location(self) -> Path | tuple[str, str]:
        """A folder, or a bucket and the prefix of its keys."""
        if self.store is None:
            return self.data_dir / "blobs"
        scheme, _, rest = self.store.partition(":")
        if scheme == "file":
            return Path(rest).expanduser()
        bucket, _, prefix = rest.removeprefix("//").partition("/")
        return bucket, prefix.strip("/")

    @field_validator("store")
    @classmethod
    def _known_store(cls, value: str | None) -> str | None:
        if value is None or re.fullmatch(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^?#]*)?", value):
            return value
        if not value.startswith("file:") or not Path(value.removeprefix("file:")).expanduser().is_absolute():
            raise ValueError("it must be file:/an/absolute/folder or s3://bucket/prefix")
        return value

    @field_validator("docker_compose_files", mode="before")
    @classmethod
    def _split_paths(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("allowed_hosts", "egress_allow", mode="before")
    @classmethod
    def _split_names(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return tuple(part.strip().lower() for part in value.split(",") if part.strip())

    @field_validator("log_level", "worker_log_level", mode="before")
    @classmethod
    def _upper_case(cls, value: Any) -> Any:
        return value.upper() if isinstance(value, str) else value

    @field_validator("openai_base_url")
    @classmethod
    def _web_address(cls, value: str) -> str:
        if not value.startswith(("http://", "https://")):
            raise ValueError("it must start with http:// or https://")
        return value

    @field_validator("database_url")
    @classmethod
    def _add_driver(cls, value: str | None) -> str | None:
        """Accept postgres:// and postgresql:// for the driver we use."""
        if value is None:
            return None
        scheme, separator, rest = value.partition("://")
        if not separator or scheme not in {"postgres", "postgresql", "postgresql+psycopg"}:
            raise ValueError("it must start with postgresql://")
        return f"postgresql+psycopg://{rest}"

    @classmethod
    def variable(cls, field: str) -> str:
        return str(cls.model_fields[field].validation_alias)


def is_loopback(host: str) -> bool:
    """Whether this name or address reaches only the machine itself."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    # ::ffff:127.0.0.1: how a socket for both families names an IPv4 peer.
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def load_settings(**flags: Any) -> Settings:
    """The environment, overridden by the given flags; a bad value is an error that names its variable."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise ConfigError("; ".join(_problem(problem) for problem in error.errors())) from None


def _problem(problem: Any) -> str:
    location = str(problem["loc"][0])
    name = Settings.variable(location) if location in Settings.model_fields else location
    shown = "" if name == "DATABASE_URL" else f" ({problem['input']!r} was given)"
    return f"{name} is not valid: {reason_of(problem)}{shown}"


def misspelled_variables() -> list[str]:
    """Variables with our prefixes that are not settings, such as NEXUS_AUHT=token."""
    known = {str(field.validation_alias) for field in Settings.model_fields.values()} | COMPOSE_NAMES
    found = []
    for name in sorted(os.environ):
        if name.startswith(OUR_PREFIXES) and not name.startswith(PODCAST_PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            found.append(f"{name} is not a setting" + (f"; did you mean {near[0]}?" if near else ""))
    return found


def podcast_variables() -> dict[str, str]:
    """The podcast settings of the environment, by their name without the prefix."""
    return {
        name.removeprefix(PODCAST_PREFIX): value
        for name, value in os.environ.items()
        if name.startswith(PODCAST_PREFIX) and value
    }


def inherited_environment(*names: str) -> dict[str, str]:
    """Only these variables, for a child process that must not get our secrets."""
    return {name: os.environ[name] for name in names if name in os.environ}


# A job's pipeline opens the library, fetches and transcribes; it gets only the variables that these need.
PIPELINE_PREFIXES = ("NEXUS_", "WORKER_", "PODCAST_", "LC_", "XDG_", "DOCKER_", "COMPOSE_")
PIPELINE_NAMES = (
    "DATABASE_URL",
    "DEV_USER_ID",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "HF_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
PYTHON_NAMES = ("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "PYTHONPATH")
SECRET_NAME = re.compile(r"API_?KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.I)


def python_environment() -> dict[str, str]:
    return inherited_environment(*PYTHON_NAMES)


def pipeline_environment() -> dict[str, str]:
    # The machine's keys of AWS are for a store in S3 only.
    in_s3 = os.environ.get("NEXUS_STORE", "").startswith("s3://")
    prefixes = (*PIPELINE_PREFIXES, "AWS_") if in_s3 else PIPELINE_PREFIXES
    prefixed = [name for name in os.environ if name.startswith(prefixes)]
    # The pipeline starts in the corpus, whose files must not be importable.
    return inherited_environment(*PYTHON_NAMES, *PIPELINE_NAMES, *prefixed) | {"PYTHONSAFEPATH": "1"}


# Passed to a job's container; its compose file sets database, data and secrets.
CONTAINER_NAMES = (
    "PODCAST_USER_ID",
    "NEXUS_ENV",
    "NEXUS_EGRESS_PER_HOST",
    "NEXUS_ORIGINAL_MAX_BYTES",
    "NEXUS_LOG_LEVEL",
    "NEXUS_LOG_FORMAT",
    "WORKER_USER_AGENT",
    "WORKER_MAX_BYTES",
)
CONTAINER_PREFIXES = (PODCAST_PREFIX, "WORKER_HTTP_")


def container_variables() -> tuple[str, ...]:
    """The names of variables that are passed to a job's container."""
    found = [name for name in os.environ if name in CONTAINER_NAMES or name.startswith(CONTAINER_PREFIXES)]
    return tuple(sorted(found))


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values that must not appear in a log: keys and tokens, and the password in DATABASE_URL."""
    secrets = [value for name, value in environment.items() if SECRET_NAME.search(name)]
    password = urlsplit(environment.get("DATABASE_URL", "")).password
    return tuple(value for value in (*secrets, password) if value)


@lru_cache
def get_settings() -> Settings:
    """For entry points without a command line (uvicorn, gunicorn)."""
    return load_settings()
