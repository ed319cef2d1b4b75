"""Names one feed of a spec without its URL, which may be secret: every local user can read argv."""

import hashlib

import ada_url

from nexus.podcasts.feeds_spec import FeedEntry, FeedsSpec

KEY_LENGTH = 12


def feed_key(url: str) -> str:
    """The same for every spelling of a URL that the spec treats as one feed."""
    return hashlib.sha256(ada_url.URL(url).href.encode()).hexdigest()[:KEY_LENGTH]


def chosen_feed(spec: FeedsSpec, wanted: str) -> FeedEntry | None:
    """By its URL or its key."""
    return next((entry for entry in spec.feeds if is_chosen(entry.url, wanted)), None)


def is_chosen(url: str, wanted: str) -> bool:
    wanted = wanted.strip()
    return feed_key(url) == (feed_key(wanted) if ada_url.check_url(wanted) else wanted.lower())
