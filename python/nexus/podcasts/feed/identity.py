"""Which episode an entry is: by guid, else by enclosure, else by title and day; stable when any one of them changes."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ada_url

from nexus.podcasts.corpus.stored_episode import GuidSource, StoredEpisode
from nexus.podcasts.feed.model import Entry
from nexus.text.unicode_form import normalize

NOT_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class FeedEpisode:
    """An entry with its aliases, best first."""

    entry: Entry
    guid: str
    guid_source: GuidSource
    aliases: tuple[str, ...]


def identify_entries(entries: Sequence[Entry]) -> list[FeedEpisode]:
    """Entries in document order, each once; a guid that several different episodes share counts for none."""
    shared = _shared_guids(entries)
    episodes: list[FeedEpisode] = []
    taken: set[str] = set()
    for entry in entries:
        found = _identify(entry, guid_is_unique=entry.guid not in shared)
        if found is None:
            continue
        # The same guid again, or the same audio under the same title, is the same item published twice.
        keys = {found.aliases[0], f"{enclosure_alias(entry)}\n{title_alias(entry)}"}
        if not keys & taken:
            episodes.append(found)
        taken |= keys
    return episodes


def match(
    episodes: Iterable[FeedEpisode], stored_episodes: Iterable[StoredEpisode]
) -> list[tuple[FeedEpisode, StoredEpisode | None]]:
    """Each episode of the feed with the stored one it is: by guid, else by audio, else by title and day."""
    by_alias = {alias: episode for episode in stored_episodes for alias in episode.aliases}
    pairs: dict[int, tuple[FeedEpisode, StoredEpisode | None]] = {}
    taken: set[int] = set()
    waiting = list(enumerate(episodes))
    for prefix in ("guid:", "enclosure:", "title:"):
        left = []
        for index, episode in waiting:
            stored = _find(episode, prefix, by_alias)
            if stored is None or id(stored) in taken:
                left.append((index, episode))
                continue
            taken.add(id(stored))
            pairs[index] = (episode, stored)
        waiting = left
    pairs |= {index: (episode, None) for index, episode in waiting}
    return [pairs[index] for index in sorted(pairs)]


def enclosure_alias(entry: Entry) -> str | None:
    """Without scheme and query: those change with trackers and tokens, the audio does not."""
    if not entry.enclosure_url:
        return None
    url = ada_url.URL(entry.enclosure_url)
    return f"enclosure:{url.host}{url.pathname}" + (url.search if url.pathname == "/" else "")


def title_alias(entry: Entry) -> str | None:
    words = NOT_WORDS.sub(" ", normalize("NFKC", entry.title or "").casefold()).strip()
    if not words:
        return None
    day = entry.published_at.date().isoformat() if entry.published_at else "undated"
    return f"title:{day}:{words}"


def _identify(entry: Entry, *, guid_is_unique: bool) -> FeedEpisode | None:
    aliases: list[tuple[GuidSource, str]] = []
    if entry.guid and guid_is_unique:
        aliases.append(("guid", f"guid:{entry.guid}"))
    if enclosure := enclosure_alias(entry):
        aliases.append(("enclosure", enclosure))
    if title := title_alias(entry):
        aliases.append(("title_and_date", title))
    if not aliases:
        return None  # no guid, no audio, no title
    source, first = aliases[0]
    guid = first.removeprefix("guid:") if source == "guid" else first
    return FeedEpisode(entry, guid, source, tuple(alias for _, alias in aliases))


def _shared_guids(entries: Iterable[Entry]) -> set[str | None]:
    """Some feeds give every item the same guid, such as the show's address."""
    audio = {(entry.guid, enclosure_alias(entry) or title_alias(entry)) for entry in entries if entry.guid}
    return {guid for guid, count in Counter(guid for guid, _ in audio).items() if count > 1}


def _find(episode: FeedEpisode, prefix: str, by_alias: dict[str, StoredEpisode]) -> StoredEpisode | None:
    for alias in episode.aliases:
        if alias.startswith(prefix):
            return by_alias.get(alias)
    return None
