"""Keys that no configuration may have: lists of feeds, which have a file of their own, and secrets."""

import re
import unicodedata

FEED_KEYS = frozenset({"rss", "rss_url", "rss_urls", "feeds"})
SECRET_KEY = re.compile(r"(^|_)api_?key$|(^|_)token$|password|secret")


def is_feed_key(key: str) -> bool:
    return _plain(key) in FEED_KEYS


def is_secret_key(key: str) -> bool:
    return SECRET_KEY.search(_plain(key)) is not None


def _plain(key: str) -> str:
    """Without wide letters, invisible characters, dashes and capitals, which would hide a key."""
    visible = "".join(c for c in unicodedata.normalize("NFKC", key) if unicodedata.category(c) != "Cf")
    return visible.strip().lower().replace("-", "_")
