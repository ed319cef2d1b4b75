"""``feeds.spec.yaml`` of a corpus, as the feeds API reads and writes it."""

from dataclasses import dataclass
from typing import Any

from nexus.errors import FeedsSpecError, UnreadableFeedsError
from nexus.operator.corpus import FEEDS_SPEC, Corpus
from nexus.operator.stored_text import StoredText
from nexus.podcasts import feeds_spec
from nexus.podcasts.config import PodcastConfig, for_feed
from nexus.podcasts.entry_rules import entry_check
from nexus.podcasts.feeds_spec import FeedsSpec


@dataclass(frozen=True)
class Feeds:
    spec: FeedsSpec
    etag: str


def read_feeds(corpus: Corpus) -> Feeds:
    stored = StoredText(corpus.feeds_spec).read()
    try:
        text = stored.data.decode("utf-8-sig")
        return Feeds(feeds_spec.parse(text, name=FEEDS_SPEC), stored.etag)
    except UnicodeDecodeError:
        raise UnreadableFeedsError(f"{FEEDS_SPEC} is not UTF-8 text; it was left as it is.") from None
    except FeedsSpecError as error:
        raise UnreadableFeedsError(f"{error.message} The file was left as it is.", **error.extras) from None


def write_feeds(corpus: Corpus, entries: list[Any], if_match: str | None, config: PodcastConfig) -> Feeds:
    """Refused where a run with this configuration could not use an entry."""
    spec = feeds_spec.from_entries(entries, name="feeds", check=entry_check(config))
    stored = StoredText(corpus.feeds_spec).write(spec.dump_yaml().encode(), if_match)
    return Feeds(spec, stored.etag)


def check_feeds(corpus: Corpus, config: PodcastConfig) -> None:
    """Raises PodcastConfigError where a feed of the corpus could not be run with this configuration."""
    try:
        feeds = read_feeds(corpus).spec.feeds
    except UnreadableFeedsError:
        return  # whoever opens the feeds is told; it is no fault of the configuration
    for entry in feeds:
        for_feed(config, entry, {}, name=f"the feed {entry.url} could no longer be run")
