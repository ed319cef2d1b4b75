"""The pictures of a download: read from what the library keeps, one at a time, and never fetched."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote
from uuid import UUID

from nexus.errors import NotAPictureError, ProcessPoolError
from nexus.logging import get_logger
from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.markup import picture_urls
from nexus.services.downloads.renditions import Rendition, fit_picture, needs_no_copy
from nexus.services.users import CurrentUser
from nexus.text.process_pool import ProcessPool

log = get_logger(__name__)


@dataclass(frozen=True)
class StoredPicture:
    """`content_type` and `width` where they are known from when it was kept."""

    data: bytes
    content_type: str | None = None
    width: int | None = None


# A picture that a user may see, or None where the library has no copy.
ReadPicture = Callable[[CurrentUser, str], StoredPicture | None]

# For all pictures of one download together; the others are left out.
MAX_BYTES = 300_000_000


class PictureFiles:
    def __init__(self, pool: ProcessPool, user: CurrentUser, read: ReadPicture) -> None:
        self._pool = pool
        self._user = user
        self._read = read
        self._room = MAX_BYTES

    def of(self, article: ExportedArticle) -> Iterator[tuple[str, Rendition]]:
        for url in picture_urls(article.html):
            # A page may show one picture many times.
            rendition = self.one(article, url, times=article.html.count(quote(url, safe="")))
            if rendition is not None:
                yield url, rendition

    def one(self, article: ExportedArticle, url: str, *, times: int = 1) -> Rendition | None:
        stored = self._read(self._user, url)
        rendition = self._rendition(article.media_id, stored) if stored is not None else None
        if rendition is None:
            return None
        size = len(rendition.data) * max(1, times)
        if size > self._room:
            return None
        self._room -= size
        return rendition

    def _rendition(self, media_id: UUID, stored: StoredPicture) -> Rendition | None:
        kind = stored.content_type
        if kind is not None and needs_no_copy(kind, stored.width, len(stored.data)):
            return Rendition(kind, stored.data)  # it was decoded when it was kept, and its hash is checked
        try:
            return self._pool.run(fit_picture, stored.data)
        except NotAPictureError:
            return None
        except ProcessPoolError as error:
            log.warning("a picture is left out of a file", media=str(media_id), reason=error.message)
            return None
