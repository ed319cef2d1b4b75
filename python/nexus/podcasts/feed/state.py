"""The state of a feed in a corpus: ``feed.json``, and ``episodes.json`` for its episodes' numbers and aliases."""

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from nexus.podcasts.corpus.files import file_stem, read_json, write_json
from nexus.podcasts.corpus.layout import Corpus, FeedFolder, feed_slug
from nexus.podcasts.corpus.status import timestamp
from nexus.podcasts.corpus.stored_episode import StoredEpisode
from nexus.podcasts.feed.fetch import FeedCopy
from nexus.podcasts.feed.identity import FeedEpisode
from nexus.podcasts.feed.model import Feed
from nexus.system.atomic_files import PRIVATE

SCHEMA_VERSION = 1
MAX_MOVES = 100


@dataclass
class FeedState:
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)  # for reading from disk

    slug: str
    spec_url: str
    url: str
    urls: list[str] = field(default_factory=list)
    title: str | None = None
    description: str | None = None
    link: str | None = None
    lang: str | None = None
    author: str | None = None
    image_url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    complaint: str | None = None
    moves: list[dict[str, str]] = field(default_factory=list)
    last_fetched_at: str | None = None
    last_succeeded_at: str | None = None
    consecutive_failures: int = 0
    last_error: dict[str, str] | None = None
    episodes: int = 0
    settled: dict[str, Any] | None = None  # input of the last run without a failure; see FeedRun
    schema_version: int = SCHEMA_VERSION

    def note_move(self, to: str, how: str) -> None:
        self.moves = [*self.moves, {"from": self.url, "to": to, "how": how, "at": timestamp()}][-MAX_MOVES:]
        self.url = to
        self.urls = list(dict.fromkeys([*self.urls, to]))

    def update_from(self, copy: FeedCopy, feed: Feed) -> None:
        self.title, self.description, self.link = feed.title, feed.description, feed.link
        self.lang, self.author, self.image_url = feed.lang, feed.author, feed.image_url
        self.etag, self.last_modified, self.complaint = copy.etag, copy.last_modified, feed.complaint

    def succeeded(self) -> None:
        self.last_fetched_at = self.last_succeeded_at = timestamp()
        self.consecutive_failures, self.last_error = 0, None

    def failed(self, code: str, message: str) -> None:
        self.last_fetched_at = timestamp()
        self.consecutive_failures += 1
        self.last_error = {"code": code, "message": message, "at": self.last_fetched_at}

    def save(self, folder: FeedFolder) -> None:
        write_json(folder.about, asdict(self), durable=True, mode=PRIVATE)


STATE = TypeAdapter(FeedState)


def load_states(corpus: Corpus) -> dict[str, FeedState]:
    """All feeds of the corpus, by every URL each of them ever had."""
    found: dict[str, FeedState] = {}
    for path in sorted(corpus.feeds.glob("*/feed.json")):
        try:
            state = STATE.validate_json(path.read_bytes())
        except (OSError, ValidationError):
            continue  # not written by us; the feed starts over
        if state.schema_version == SCHEMA_VERSION and state.slug == path.parent.name:
            for url in state.urls:
                found.setdefault(url, state)
    return found


def state_for(url: str, states: dict[str, FeedState]) -> FeedState:
    if url in states:
        return states[url]
    return FeedState(slug=feed_slug(url), spec_url=url, url=url, urls=[url])


class EpisodeIndex:
    """``episodes.json``: the episodes of a feed. The number and file name of an episode never change."""

    def __init__(self, folder: FeedFolder) -> None:
        self._path = folder.episodes
        document = read_json(self._path)
        listed = document["episodes"] if document else _from_metadata(folder)
        self.episodes = [StoredEpisode(**each) for each in listed]

    def register(
        self, pairs: list[tuple[FeedEpisode, StoredEpisode | None]]
    ) -> list[tuple[FeedEpisode, StoredEpisode]]:
        """Numbers new episodes, adds new aliases to the others, and saves the index before any episode is processed."""
        number = max((each.number for each in self.episodes), default=0)
        changed = False
        registered = []
        for episode, found in pairs:
            stored = found
            if stored is None:
                number += 1
                stem = file_stem(number, episode.entry.title)
                stored = StoredEpisode(number, episode.guid, episode.guid_source, stem)
                self.episodes.append(stored)
            new_aliases = [alias for alias in episode.aliases if alias not in stored.aliases]
            stored.aliases += new_aliases
            changed = changed or bool(new_aliases)
            registered.append((episode, stored))
        if changed:
            episodes = [asdict(each) for each in self.episodes]
            write_json(self._path, {"schema_version": SCHEMA_VERSION, "episodes": episodes}, durable=True, mode=PRIVATE)
        return registered


def _from_metadata(folder: FeedFolder) -> list[dict[str, Any]]:
    """Rebuilds a lost list from the episodes' own files."""
    found = []
    for path in sorted(folder.metadata.glob("*.metadata.json")):
        about = (read_json(path) or {}).get("episode")
        if about:
            found.append({key: about[key] for key in ("number", "guid", "guid_source", "stem", "aliases")})
    return found
