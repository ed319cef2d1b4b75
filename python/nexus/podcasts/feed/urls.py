"""A feed's addresses are untrusted: those inside this network are not stored, because the reader's browser would
request them. What a run fetches itself is refused by the egress.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from nexus.podcasts.feed.model import Chapter

MayRequest = Callable[[str], bool]


def allowed_url(url: str | None, may_request: MayRequest) -> str | None:
    return url if url is not None and may_request(url) else None


def allowed_chapters(chapters: Iterable[Chapter], may_request: MayRequest) -> tuple[Chapter, ...]:
    return tuple(
        replace(each, url=allowed_url(each.url, may_request), image=allowed_url(each.image, may_request))
        for each in chapters
    )
