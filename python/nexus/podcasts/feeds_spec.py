"""The list of feeds, ``feeds.spec.yaml`` (or .json). Errors name file, entry and key."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePath
from typing import Annotated, Any

import ada_url
from pydantic import AliasChoices, BeforeValidator, Field, ValidationError

from nexus.errors import FeedsSpecError, PodcastConfigError, YamlDocumentError
from nexus.podcasts.corpus.layout import FEEDS_SPEC
from nexus.podcasts.feed_options import OVERRIDE_KEYS, FeedOverrides, describe_error
from nexus.podcasts.feeds_yaml import dump_spec_yaml
from nexus.podcasts.yaml_document import read_yaml

MAX_FEEDS = 5000
MAX_URL_LENGTH = 4096
MAX_CHARS = 8_000_000  # 5 000 feeds with every key set are 4 million
MAX_NODES = MAX_FEEDS * 2 * (len(OVERRIDE_KEYS) + 2)
MAX_READ_BACK_CHARS = 65_536  # about a second; 5 000 feeds with a few keys each would take ten
YAML_SUFFIXES = {".yaml", ".yml"}
KNOWN_KEYS = ("url", *OVERRIDE_KEYS)


def _feed_url(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    stripped = value.strip()
    try:
        parsed = ada_url.URL(stripped)
    except ValueError:
        raise ValueError("it should be a web address in full, such as https://example.com/feed.xml") from None
    if parsed.protocol not in {"http:", "https:"}:
        raise ValueError("it should start with http:// or https://")
    if parsed.username or parsed.password:
        raise ValueError("it must hold no user name or password; remove what stands before the @")
    return stripped


class FeedEntry(FeedOverrides):
    url: Annotated[str, Field(strict=True, max_length=MAX_URL_LENGTH), BeforeValidator(_feed_url)] = Field(
        validation_alias=AliasChoices("url", "rss", "rss_url")
    )

    def overrides(self) -> dict[str, Any]:
        """Only what this entry sets itself."""
        return {key: value for key in OVERRIDE_KEYS if (value := getattr(self, key)) is not None}

    def plain(self) -> str | dict[str, Any]:
        """As it is written to a file: only the URL if there are no overrides."""
        overrides = {
            key: value.isoformat() if isinstance(value, date) else value for key, value in self.overrides().items()
        }
        return {"url": self.url, **overrides} if overrides else self.url


@dataclass(frozen=True)
class RejectedEntry:
    """An entry that cannot be used; ``url`` is set if it is readable."""

    index: int
    url: str | None
    error: FeedsSpecError

    @property
    def name(self) -> str:
        return self.url or f"feeds[{self.index}]"


@dataclass(frozen=True)
class FeedsSpec:
    feeds: tuple[FeedEntry, ...] = ()
    rejected: tuple[RejectedEntry, ...] = ()
    comments: Mapping[str, Any] = field(default_factory=dict)  # the keys '_comment…'

    def plain(self) -> list[str | dict[str, Any]]:
        return [entry.plain() for entry in self.feeds]

    def dump_yaml(self, name: str = FEEDS_SPEC) -> str:
        """Raises FeedsSpecError if the file could not be read back."""
        entries = self.plain()
        text = dump_spec_yaml(self.comments, entries)
        if len(text) > MAX_CHARS:
            raise FeedsSpecError(f"{name} would be longer than {MAX_CHARS:,} characters.")
        if len(text) <= MAX_READ_BACK_CHARS:
            parse(text, name=name)
            return text
        # Entries hold known keys and checked values; only the comments are free in form.
        nodes = sum(1 + 2 * len(entry) if isinstance(entry, dict) else 1 for entry in entries)
        _read_yaml(dump_spec_yaml(self.comments, []), name, nodes_elsewhere=nodes)
        return text

    def dump_json(self) -> str:
        return json.dumps({**self.comments, "feeds": self.plain()}, ensure_ascii=False, indent=2, default=str) + "\n"


def parse(text: str, *, name: str, skip_bad_entries: bool = False) -> FeedsSpec:
    """YAML or JSON, by the suffix of ``name``."""
    suffix = PurePath(name).suffix.lower()
    if suffix == ".json":
        document = _read_json(text, name)
    elif suffix in YAML_SUFFIXES:
        document = _read_yaml(text, name)
    else:
        raise FeedsSpecError(f"{name}: a feeds spec ends in .yaml, .yml or .json.")
    return from_document(document, name=name, skip_bad_entries=skip_bad_entries)


def load(path: Path, *, skip_bad_entries: bool = False) -> FeedsSpec:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FeedsSpecError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise FeedsSpecError(f"{path} is not UTF-8 text.") from None
    return parse(text, name=str(path), skip_bad_entries=skip_bad_entries)


def from_document(document: Any, *, name: str, skip_bad_entries: bool = False) -> FeedsSpec:
    """From parsed values, such as the body of a request."""
    if document is None:
        return FeedsSpec()
    if not isinstance(document, dict):
        raise FeedsSpecError(f"{name} must hold 'feeds:' at its top, not a {type(document).__name__}.")
    comments = {key: value for key, value in document.items() if is_comment(key)}
    for key in document:
        if key != "feeds" and key not in comments:
            message = f"{name}: unknown key {key!r} at the top level; allowed are 'feeds' and '_comment…'."
            raise FeedsSpecError(message, key=str(key))
    if "feeds" not in document:
        raise FeedsSpecError(f"{name}: the key 'feeds' is missing; write 'feeds: []' for none.", key="feeds")
    spec = from_entries(document["feeds"], name=name, skip_bad_entries=skip_bad_entries)
    return replace(spec, comments=comments)


def is_comment(key: Any) -> bool:
    return isinstance(key, str) and key.startswith("_comment")


def from_entries(
    entries: Any, *, name: str, skip_bad_entries: bool = False, check: Callable[[FeedEntry], None] | None = None
) -> FeedsSpec:
    """Empty entries are left out; of two entries with the same URL the first counts.

    With ``skip_bad_entries`` an entry that cannot be used is returned in ``rejected`` instead of raising.
    ``check`` raises PodcastConfigError for an entry that must not be stored.
    """
    if entries is None:
        return FeedsSpec()
    if not isinstance(entries, list | tuple):
        raise FeedsSpecError(f"{name}: 'feeds' must be a list.", key="feeds")
    if len(entries) > MAX_FEEDS:
        raise FeedsSpecError(f"{name}: {len(entries)} feeds; at most {MAX_FEEDS} are allowed.", key="feeds")
    found, rejected = [], []
    for index, value in enumerate(entries):
        if _is_blank(value):
            continue
        try:
            entry = _entry(value, index, name)
            if check is not None:
                _check_entry(entry, check, f"{name}, feeds[{index}]", index)
            found.append(entry)
        except FeedsSpecError as error:
            if not skip_bad_entries:
                raise
            rejected.append(RejectedEntry(index, _readable_url(value), error))
    return FeedsSpec(_first_of_each(found), tuple(rejected))


def _check_entry(entry: FeedEntry, check: Callable[[FeedEntry], None], where: str, index: int) -> None:
    try:
        check(entry)
    except PodcastConfigError as error:
        raise FeedsSpecError(f"{where}: {error.message}", index=index, **error.extras) from None


def _readable_url(value: Any) -> str | None:
    if isinstance(value, dict):
        value = next((value[key] for key in ("url", "rss", "rss_url") if key in value), None)
    try:
        return FeedEntry.model_validate({"url": value}).url
    except ValidationError:
        return None


def _entry(value: Any, index: int, name: str) -> FeedEntry:
    where = f"{name}, feeds[{index}]"
    if isinstance(value, str):
        value = {"url": value}
    if not isinstance(value, dict):
        raise FeedsSpecError(f"{where}: an entry is an address or a mapping with 'url'.", index=index)
    spellings = [key for key in ("url", "rss", "rss_url") if key in value]
    if len(spellings) > 1:
        raise FeedsSpecError(f"{where}: {' and '.join(spellings)} mean the same; keep one.", index=index, key="url")
    try:
        return FeedEntry.model_validate({str(key): given for key, given in value.items() if given is not None})
    except ValidationError as error:
        key, sentence = describe_error(error.errors()[0], KNOWN_KEYS)
        raise FeedsSpecError(f"{where}: {sentence}.", index=index, key=key) from None


def _first_of_each(entries: Iterable[FeedEntry]) -> tuple[FeedEntry, ...]:
    unique: dict[str, FeedEntry] = {}
    for entry in entries:
        unique.setdefault(ada_url.URL(entry.url).href, entry)
    return tuple(unique.values())


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _read_yaml(text: str, name: str, nodes_elsewhere: int = 0) -> Any:
    try:
        return read_yaml(text, name=name, max_chars=MAX_CHARS, max_nodes=MAX_NODES - nodes_elsewhere)
    except YamlDocumentError as error:
        raise FeedsSpecError(error.message, **error.extras) from None


def _read_json(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates) if text.strip() else None
    except json.JSONDecodeError as error:
        raise FeedsSpecError(f"{name}, line {error.lineno}: {error.msg}.", line=error.lineno) from None
    except ValueError as error:
        raise FeedsSpecError(f"{name} is not valid JSON: {error}.") from None
    except RecursionError:
        raise FeedsSpecError(f"{name} is nested too deeply.") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key '{key}' occurs twice")
        found[key] = value
    return found
