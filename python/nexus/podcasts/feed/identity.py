"""Which episode an entry is: by guid, else by enclosure, else by title and day, and the same after any one changed."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ada_url

from nexus.podcasts.corpus.stored_episode import GuidSource, StoredEpisode
from nexus.podcasts.feed.model import Entry

NOT_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class FeedEpisode:
    """An entry with the names it goes by, best first."""

    entry: Entry
    guid: str
    guid_source: GuidSource
    aliases: tuple[str, ...]


def name_entries(entries: Sequence[Entry]) -> list[FeedEpisode]:
    """Entries in document order, each once; a guid that several different episodes share counts for none."""
    shared = _shared_guids(entries)
    named: list[FeedEpisode] = []
    taken: set[str] = set()
    for entry in entries:
        found = _named(entry, entry.guid not in shared)
        if found is None:
            continue
        # The same guid again, or the same audio under the same title, is the same item published twice.
        keys = {found.aliases[0], f"{enclosure_alias(entry)}\n{title_alias(entry)}"}
        if not keys & taken:
            named.append(found)
        taken |= keys
    return named


def match(
    named: Iterable[FeedEpisode], known: Iterable[StoredEpisode]
) -> list[tuple[FeedEpisode, StoredEpisode | None]]:
    """Each entry with the episode it is. A guid decides; without one the audio, then title and day."""
    by_alias = {alias: episode for episode in known for alias in episode.aliases}
    pairs: dict[int, tuple[FeedEpisode, StoredEpisode | None]] = {}
    taken: set[int] = set()
    waiting = list(enumerate(named))
    for prefix in ("guid:", "enclosure:", "title:"):
        left = []
        for index, entry in waiting:
            episode = _found(entry, prefix, by_alias)
            if episode is None or id(episode) in taken:
                left.append((index, entry))
                continue
            taken.add(id(episode))
            pairs[index] = (entry, episode)
        waiting = left
    pairs |= {index: (entry, None) for index, entry in waiting}
    return [pairs[index] for index in sorted(pairs)]


def enclosure_alias(entry: Entry) -> str | None:
    """Without scheme and query: those change with trackers and tokens, the audio does not."""
    if not entry.enclosure_url:
        return None
    address = ada_url.URL(entry.enclosure_url)
    return f"enclosure:{address.host}{address.pathname}" + (address.search if address.pathname == "/" else "")


def title_alias(entry: Entry) -> str | None:
    words = NOT_WORDS.sub(" ", unicodedata.normalize("NFKC", entry.title or "").casefold()).strip()
    if not words:
        return None
    day = entry.published_at.date().isoformat() if entry.published_at else "undated"
    return f"title:{day}:{words}"


def _named(entry: Entry, guid_counts: bool) -> FeedEpisode | None:
    names: list[tuple[GuidSource, str]] = []
    if entry.guid and guid_counts:
        names.append(("guid", f"guid:{entry.guid}"))
    if enclosure := enclosure_alias(entry):
        names.append(("enclosure", enclosure))
    if title := title_alias(entry):
        names.append(("title_and_date", title))
    if not names:
        return None  # no guid, no audio, no title: there is nothing there
    source, first = names[0]
    guid = first.removeprefix("guid:") if source == "guid" else first
    return FeedEpisode(entry, guid, source, tuple(name for _, name in names))


def _shared_guids(entries: Iterable[Entry]) -> set[str | None]:
    """Some feeds give every item the same guid, such as the show's address."""
    audio = {(entry.guid, enclosure_alias(entry) or title_alias(entry)) for entry in entries if entry.guid}
    return {guid for guid, count in Counter(guid for guid, _ in audio).items() if count > 1}


def _found(entry: FeedEpisode, prefix: str, by_alias: dict[str, StoredEpisode]) -> StoredEpisode | None:
    for alias in entry.aliases:
        if alias.startswith(prefix):
            return by_alias.get(alias)
    return None
