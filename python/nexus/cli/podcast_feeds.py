"""Which feeds a command is about: from a spec, from a file with addresses, or from the command line."""

from collections.abc import Sequence
from pathlib import Path

from nexus.errors import FeedsSpecError
from nexus.podcasts import feeds_spec as spec
from nexus.podcasts.corpus.layout import Corpus, feed_slug
from nexus.podcasts.feed.state import load_states
from nexus.podcasts.feed_choice import chosen_feed
from nexus.podcasts.feeds_spec import FeedEntry, FeedsSpec


def chosen_feeds(
    corpus: Corpus, *, feeds_spec: Path | None, rss: Sequence[str], rss_file: Path | None, only: str | None
) -> tuple[FeedEntry, ...]:
    given = [name for name, value in (("--feeds-spec", feeds_spec), ("--rss", rss), ("--rss-file", rss_file)) if value]
    if len(given) > 1:
        raise FeedsSpecError(f"{' and '.join(given)} say the same in different ways; give one of them.")
    if rss:
        feeds = spec.from_entries(list(rss), name="--rss").feeds
    elif rss_file:
        feeds = spec.from_entries(_lines(rss_file), name=str(rss_file)).feeds
    else:
        feeds = spec.load(feeds_spec or _default_spec(corpus)).feeds
    if only is not None:
        feeds = _only(feeds, only, corpus)
    if not feeds:
        raise FeedsSpecError("There are no feeds: list some in the feeds spec, or give --rss URL.")
    return feeds


def _default_spec(corpus: Corpus) -> Path:
    path = corpus.root / spec.BASENAME
    if not path.is_file():
        raise FeedsSpecError(f"There are no feeds: give --feeds-spec, --rss or --rss-file, or write {path}.")
    return path


def _only(feeds: tuple[FeedEntry, ...], wanted: str, corpus: Corpus) -> tuple[FeedEntry, ...]:
    """A feed that moved keeps its folder, whichever of its addresses the spec has."""
    states = load_states(corpus)
    chosen = chosen_feed(FeedsSpec(feeds), wanted)
    found = tuple(
        entry
        for entry in feeds
        if entry is chosen
        or wanted == feed_slug(entry.url)
        or (entry.url in states and states[entry.url].slug == wanted)
    )
    if not found:
        raise FeedsSpecError(f"There is no feed {wanted!r} among the {len(feeds)} given.")
    return found


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise FeedsSpecError(f"Cannot read {path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise FeedsSpecError(f"{path} is not UTF-8 text.") from None
    return ["" if line.lstrip().startswith("#") else line for line in lines]
