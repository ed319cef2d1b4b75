"""The operator's YAML file: what it may hold, and how it is stored: byte for byte as given."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nexus.errors import (
    ForbiddenOperatorFeedKeysError,
    ForbiddenOperatorKeysError,
    NexusError,
    UnreadableOperatorConfigError,
    YamlDocumentError,
)
from nexus.logging import get_logger
from nexus.operator.editable_file import EditableFile
from nexus.operator.jobs.schedules import parse_schedules
from nexus.podcasts.config import PodcastConfig, load_podcast_config
from nexus.podcasts.entry_rules import check_cache_dir
from nexus.podcasts.forbidden_keys import is_feed_key, is_secret_key
from nexus.podcasts.yaml_document import read_yaml_mapping

log = get_logger(__name__)

MAX_BYTES = 256 * 1024
NAME = "The operator configuration"


@dataclass(frozen=True)
class OperatorConfig:
    path: Path
    content: str
    etag: str


class OperatorConfigFile:
    def __init__(self, path: Path, *, within: Path | None = None) -> None:
        """Without ``within`` the path is the operator's choice: it is resolved now, and no later link changes it."""
        resolved = path if within else path.resolve()
        self._file = EditableFile(
            resolved, within=within or resolved, unreadable=UnreadableOperatorConfigError, max_bytes=MAX_BYTES
        )

    @property
    def path(self) -> Path:
        return self._file.path

    def version(self) -> tuple[int, int, int] | None:
        """Different after every change, at the price of one stat; None: there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino, found.st_size

    def read(self) -> OperatorConfig:
        """Nothing is written if there is no file: a profile may name a paid service, so only a person chooses one."""
        found = self._file.read()
        content = _decode(found.data)
        _refuse_forbidden_keys(content)
        return OperatorConfig(self.path, content, found.etag)

    def write(
        self, content: str, if_match: str | None, extra_check: Callable[[PodcastConfig], None] | None = None
    ) -> OperatorConfig:
        """``extra_check`` sees the configuration that would be stored."""
        try:
            data = content.encode()
        except UnicodeEncodeError:
            raise YamlDocumentError(f"{NAME} has characters that cannot be written as UTF-8.") from None
        config = check(content)
        if extra_check is not None:
            extra_check(config)
        found = self._file.write(data, if_match)
        return OperatorConfig(self.path, content, found.etag)

    def document(self) -> dict[str, Any]:
        """For the server's own keys in it."""
        try:
            return read_yaml_mapping(_decode(self._file.read().data), name=NAME)
        except YamlDocumentError as error:
            raise UnreadableOperatorConfigError(f"{error.message} The file was left as it is.") from None

    def podcast_config(self) -> PodcastConfig:
        """The configuration of a run; the defaults if the file cannot be used, which the run itself then reports."""
        try:
            return load_podcast_config(_decode(self._file.read().data), name=NAME)
        except NexusError as error:
            log.info("feeds are checked without the operator configuration", reason=error.message)
            return PodcastConfig()


def check(content: str) -> PodcastConfig:
    """Raises for everything that must not be stored; called before a byte is written."""
    if len(content.encode()) > MAX_BYTES:
        raise YamlDocumentError(f"{NAME} is larger than {MAX_BYTES // 1024} KiB.")
    document = read_yaml_mapping(content, name=NAME)
    forbidden = forbidden_keys(document)
    if forbidden:
        raise _forbidden(forbidden)
    config = load_podcast_config(document, name=NAME)
    check_cache_dir(config.rss_cache_dir)
    parse_schedules(document.get("scheduled_jobs"))
    return config


def forbidden_keys(document: dict[str, Any]) -> list[str]:
    """As they are spelled: feed lists at the top level, secrets at any depth."""
    feeds = [key for key in document if is_feed_key(key)]
    secrets = [key for key in _keys(document) if is_secret_key(key)]
    return list(dict.fromkeys(feeds + secrets))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield str(key)
            yield from _keys(below)
    elif isinstance(value, list | tuple | set):
        for below in value:
            yield from _keys(below)


def _forbidden(keys: list[str]) -> NexusError:
    named = ", ".join(keys)
    if all(is_feed_key(key) for key in keys):
        message = f"Feeds do not belong here ({named}): they are in feeds.spec.yaml, see the feeds API."
        return ForbiddenOperatorFeedKeysError(message, keys=keys)
    message = f"These keys are not allowed in the operator configuration: {named}. Secrets come from the environment."
    return ForbiddenOperatorKeysError(message, keys=keys)


def _refuse_forbidden_keys(content: str) -> None:
    try:
        keys = forbidden_keys(read_yaml_mapping(content, name=NAME))
    except YamlDocumentError as error:
        # What cannot be parsed may hold a secret.
        message = f"{error.message} Correct the file on the server; it was left as it is and is not shown."
        raise UnreadableOperatorConfigError(message, **error.extras) from None
    if keys:
        refusal = _forbidden(keys)
        refusal.status = 409
        refusal.message = (
            f"The file on disk has keys that are not allowed ({', '.join(keys)}), so it is not shown: remove them "
            "on the server; secrets come from the environment."
        )
        raise refusal


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UnreadableOperatorConfigError(f"{NAME} on disk is not UTF-8 text; it was left as it is.") from None
