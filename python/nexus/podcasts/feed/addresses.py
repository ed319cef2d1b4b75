"""Addresses in a feed are a stranger's: those that lead inside this network are not kept for whoever reads the episode.

Their own browser would ask for the audio and follow the links. What a run fetches itself is refused on the way out.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from nexus.podcasts.feed.model import Chapter

MayRequest = Callable[[str], bool]


def allowed_address(url: str | None, may_request: MayRequest) -> str | None:
    return url if url is not None and may_request(url) else None


def allowed_chapters(chapters: Iterable[Chapter], may_request: MayRequest) -> tuple[Chapter, ...]:
    return tuple(
        replace(each, url=allowed_address(each.url, may_request), image=allowed_address(each.image, may_request))
        for each in chapters
    )
