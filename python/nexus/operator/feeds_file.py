"""``feeds.spec.yaml`` of a corpus, as the feeds API reads and writes it."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from nexus.errors import FeedsSpecError, UnreadableFeedsError
from nexus.operator.corpus import CorpusDirectory
from nexus.operator.editable_file import EditableFile
from nexus.podcasts import feeds_spec
from nexus.podcasts.config import PodcastConfig, for_feed
from nexus.podcasts.corpus.layout import FEEDS_SPEC
from nexus.podcasts.entry_rules import entry_check
from nexus.podcasts.feeds_spec import FeedsSpec

MAX_BYTES = 4 * feeds_spec.MAX_CHARS
MAX_PARSED_FILES = 4


@dataclass(frozen=True)
class FeedsChange:
    """Without comments, those that are in the file stay."""

    feeds: list[Any]
    comments: Mapping[str, str]


@dataclass(frozen=True)
class Feeds:
    spec: FeedsSpec
    etag: str


class _ParsedFiles:
    """The last few files, parsed or refused: 5 000 feeds take seconds to parse."""

    def __init__(self) -> None:
        self._found: OrderedDict[bytes, FeedsSpec | UnreadableFeedsError] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, data: bytes) -> FeedsSpec:
        with self._lock:
            found = self._found.get(data)
        if found is None:
            found = _parsed(data)
            self.put(data, found)
        if isinstance(found, UnreadableFeedsError):
            raise UnreadableFeedsError(found.message, **found.extras)
        return found

    def put(self, data: bytes, found: FeedsSpec | UnreadableFeedsError) -> None:
        with self._lock:
            self._found[data] = found
            self._found.move_to_end(data)
            while len(self._found) > MAX_PARSED_FILES:
                self._found.popitem(last=False)


_parsed_files = _ParsedFiles()


def read_feeds(corpus: CorpusDirectory) -> Feeds:
    found = _feeds_file(corpus).read()
    return Feeds(_parsed_files.of(found.data), found.etag)


def write_feeds(corpus: CorpusDirectory, change: FeedsChange, if_match: str | None, config: PodcastConfig) -> Feeds:
    """Refuses an entry that a run with this configuration could not use."""
    spec = feeds_spec.from_entries(change.feeds, name="feeds", check=entry_check(config))
    spec = replace(spec, comments=change.comments or _existing_comments(corpus))
    found = _feeds_file(corpus).write(spec.dump_yaml().encode(), if_match)
    _parsed_files.put(found.data, spec)
    return Feeds(spec, found.etag)


def check_feeds(corpus: CorpusDirectory, config: PodcastConfig) -> None:
    """Raises PodcastConfigError if a feed of the corpus could not be run with this configuration."""
    try:
        feeds = read_feeds(corpus).spec.feeds
    except UnreadableFeedsError:
        return  # reading the feeds reports it; the configuration is not at fault
    for entry in feeds:
        for_feed(config, entry, {}, name=f"the feed {entry.url} could no longer be run")


def _existing_comments(corpus: CorpusDirectory) -> Mapping[str, Any]:
    try:
        return read_feeds(corpus).spec.comments
    except UnreadableFeedsError:
        return {}  # the file is replaced because it cannot be read


def _feeds_file(corpus: CorpusDirectory) -> EditableFile:
    return EditableFile(corpus.feeds_spec, within=corpus.root, unreadable=UnreadableFeedsError, max_bytes=MAX_BYTES)


def _parsed(data: bytes) -> FeedsSpec | UnreadableFeedsError:
    try:
        return feeds_spec.parse(data.decode("utf-8-sig"), name=FEEDS_SPEC)
    except UnicodeDecodeError:
        return UnreadableFeedsError(f"{FEEDS_SPEC} is not UTF-8 text; it was left as it is.")
    except FeedsSpecError as error:
        return UnreadableFeedsError(f"{error.message} The file was left as it is.", **error.extras)
