"""What a run would do (``--dry-run``): feeds are fetched, nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nexus.errors import NexusError, RunStoppedError
from nexus.podcasts.corpus.episode_files import load_document
from nexus.podcasts.corpus.layout import Corpus
from nexus.podcasts.feed.fetch import FeedCache
from nexus.podcasts.feed.identity import identify_entries, match
from nexus.podcasts.feed.model import Entry
from nexus.podcasts.feed.select import select
from nexus.podcasts.feed.state import EpisodeIndex, FeedState, load_states
from nexus.podcasts.feeds_spec import RejectedEntry
from nexus.podcasts.net.breaker import Breakers
from nexus.podcasts.net.client import FeedClient, FetchPolicy
from nexus.podcasts.net.pacing import HostPacing, StopFlag
from nexus.podcasts.run.episode import entry_fingerprint, transcript_fingerprint
from nexus.podcasts.run.failures import as_failure
from nexus.podcasts.run.feed_reader import FeedReader
from nexus.podcasts.run.planned_feed import PlannedFeed, distinct_feeds
from nexus.podcasts.run.reporter import error_summary
from nexus.podcasts.transcripts.formats import best_first, declared_format
from nexus.text.process_pool import ProcessPool
from nexus.web.egress import Egress


@dataclass(frozen=True)
class PlannedEpisode:
    title: str | None
    published_at: str | None
    action: str
    url: str | None


@dataclass
class FeedPlan:
    url: str
    slug: str
    title: str | None = None
    error: dict[str, str] | None = None
    unchanged: int = 0
    episodes: list[PlannedEpisode] = field(default_factory=list)


def plan_feeds(
    corpus: Corpus,
    feeds: Sequence[PlannedFeed],
    *,
    egress: Egress,
    stop: StopFlag,
    pool: ProcessPool,
    rejected: Sequence[RejectedEntry] = (),
) -> list[FeedPlan]:
    policy = FetchPolicy(egress, HostPacing(stop), Breakers(), stop)
    plans = [FeedPlan(each.name, each.name, error=error_summary(each.error)) for each in rejected]
    for feed, state in distinct_feeds(feeds, load_states(corpus)):
        try:
            client = FeedClient(policy, feed.config, state.spec_url)
            plans.append(plan_feed(client, pool, corpus, state, feed.problem))
        except RunStoppedError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad feed never stops the others
            plans.append(FeedPlan(state.url, state.slug, state.title, error_summary(as_failure(error))))
    return plans


def plan_feed(
    client: FeedClient, pool: ProcessPool, corpus: Corpus, state: FeedState, problem: NexusError | None = None
) -> FeedPlan:
    plan = FeedPlan(state.url, state.slug, state.title, error=error_summary(problem) if problem else None)
    if problem is not None:
        return plan
    folder = corpus.feed(state.slug)
    config = client.config
    try:
        cache = corpus.below(config.rss_cache_dir) if config.rss_cache_dir else None
        reader = FeedReader(client, pool, FeedCache(cache or folder.cache, state.slug), state)
        _, feed = reader.parse(reader.fetch())
    except RunStoppedError:
        raise
    except NexusError as error:
        plan.error = error_summary(error)
        return plan
    plan.title, plan.url = feed.title, state.url
    episodes = identify_entries(feed.entries)
    stored = {id(episode): found for episode, found in match(episodes, EpisodeIndex(folder).episodes)}
    for episode in select(episodes, config):
        entry, found = episode.entry, stored[id(episode)]
        old = load_document(folder, found) if found else None
        fingerprints = {"entry": entry_fingerprint(entry), "transcript": transcript_fingerprint(entry, config)}
        if old and (old["fingerprints"] == fingerprints or (config.skip_existing and old["transcript"])):
            plan.unchanged += 1
        else:
            plan.episodes.append(_planned(entry, client))
    return plan


def _planned(entry: Entry, client: FeedClient) -> PlannedEpisode:
    published = entry.published_at.date().isoformat() if entry.published_at else None
    config = client.config
    links = best_first(entry.transcripts, prefer=config.prefer_types, language=config.language)
    if links:
        kind = declared_format(links[0]) or "unknown"
        audio = ", keep audio" if config.keep_audio == "all" and entry.enclosure_url else ""
        return PlannedEpisode(entry.title, published, f"fetch transcript ({kind}){audio}", links[0].url)
    if config.transcribe_missing and entry.enclosure_url:
        how = f"fetch audio and transcribe ({config.transcription_provider})"
        return PlannedEpisode(entry.title, published, how, entry.enclosure_url)
    return PlannedEpisode(entry.title, published, "no transcript", None)
