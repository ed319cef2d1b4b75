"""The feeds of a command: from a spec, from a file with URLs, or from the command line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nexus.errors import FeedsSpecError, PodcastConfigError
from nexus.podcasts import feeds_spec as spec
from nexus.podcasts.config import PodcastConfig, for_feed
from nexus.podcasts.corpus.layout import FEEDS_SPEC, Corpus, feed_slug
from nexus.podcasts.feed.state import load_states
from nexus.podcasts.feed_choice import is_chosen
from nexus.podcasts.feeds_spec import FeedsSpec, RejectedEntry
from nexus.podcasts.run.planned_feed import PlannedFeed


def chosen_feeds(
    corpus: Corpus, *, feeds_spec: Path | None, rss: Sequence[str], rss_file: Path | None, only: str | None
) -> FeedsSpec:
    """An entry that cannot be used is returned in ``rejected``."""
    given = [name for name, value in (("--feeds-spec", feeds_spec), ("--rss", rss), ("--rss-file", rss_file)) if value]
    if len(given) > 1:
        raise FeedsSpecError(f"{' and '.join(given)} mean the same; give one of them.")
    if rss:
        chosen = spec.from_entries(list(rss), name="--rss")
    elif rss_file:
        chosen = spec.from_entries(_lines(rss_file), name=str(rss_file), skip_bad_entries=True)
    else:
        chosen = spec.load(feeds_spec or _default_spec(corpus), skip_bad_entries=True)
    if only is not None:
        chosen = _only(chosen, only, corpus)
    if not chosen.feeds and not chosen.rejected:
        raise FeedsSpecError("There are no feeds: list some in the feeds spec, or give --rss URL.")
    return chosen


def planned_feeds(
    base: PodcastConfig, chosen: FeedsSpec, flags: Mapping[str, Any]
) -> tuple[list[PlannedFeed], list[RejectedEntry]]:
    """The feeds to run, and the entries without a usable URL. Raises if no feed can be run."""
    planned = []
    for entry in chosen.feeds:
        try:
            planned.append(PlannedFeed(entry.url, for_feed(base, entry, flags)))
        except PodcastConfigError as error:
            planned.append(PlannedFeed(entry.url, base, error))
    planned += [PlannedFeed(each.url, base, each.error) for each in chosen.rejected if each.url]
    rejected = [each for each in chosen.rejected if not each.url]
    if all(each.problem for each in planned):
        raise next((each.problem for each in planned if each.problem), None) or rejected[0].error
    return planned, rejected


def _default_spec(corpus: Corpus) -> Path:
    path = corpus.root / FEEDS_SPEC
    if not path.is_file():
        raise FeedsSpecError(f"There are no feeds: give --feeds-spec, --rss or --rss-file, or write {path}.")
    return path


def _only(given: FeedsSpec, wanted: str, corpus: Corpus) -> FeedsSpec:
    """By URL, key or folder; a feed that moved keeps its folder, whichever of its URLs the spec has."""
    states = load_states(corpus)

    def matches(url: str) -> bool:
        moved = url in states and states[url].slug == wanted
        return is_chosen(url, wanted) or wanted == feed_slug(url) or moved

    found = FeedsSpec(
        tuple(entry for entry in given.feeds if matches(entry.url)),
        tuple(each for each in given.rejected if each.url and matches(each.url)),
    )
    if not found.feeds and not found.rejected:
        raise FeedsSpecError(f"There is no feed {wanted!r} among the {len(given.feeds)} given.")
    return found


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise FeedsSpecError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise FeedsSpecError(f"{path} is not UTF-8 text.") from None
    return ["" if line.lstrip().startswith("#") else line for line in lines]
