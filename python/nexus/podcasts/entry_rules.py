"""Stricter rules for storing a feed entry than for reading one: an existing file is never refused for them."""

from collections.abc import Callable
from pathlib import PurePosixPath, PureWindowsPath

from nexus.errors import PodcastConfigError
from nexus.podcasts.config import PodcastConfig, for_feed
from nexus.podcasts.feeds_spec import FeedEntry


def entry_check(config: PodcastConfig) -> Callable[[FeedEntry], None]:
    """The check raises PodcastConfigError for an entry that a run with this configuration would skip."""

    def check(entry: FeedEntry) -> None:
        check_url(entry.url)
        check_cache_dir(entry.rss_cache_dir)
        for_feed(config, entry, {}, name="it cannot be run")

    return check


def check_url(url: str) -> None:
    if not is_clean_url(url):
        message = "'url' is not valid: it must hold no spaces and no control characters; write a space as %20."
        raise PodcastConfigError(message, key="url")


def is_clean_url(url: str) -> bool:
    return url.isprintable() and not any(char.isspace() for char in url)


def check_cache_dir(folder: str | None) -> None:
    """Only below the corpus: a request must not make the server write anywhere else."""
    if folder is None:
        return
    absolute = PurePosixPath(folder).is_absolute() or PureWindowsPath(folder).anchor
    if absolute or ".." in PurePosixPath(folder).parts or folder.startswith("~") or not folder.isprintable():
        message = (
            "'rss_cache_dir' is not valid: it must be a folder below the corpus, without a leading / and without '..'."
        )
        raise PodcastConfigError(message, key="rss_cache_dir")
