"""The pictures of a download: read from what the library keeps, one at a time, and never fetched."""

from collections.abc import Callable, Iterator
from urllib.parse import quote

from nexus.errors import NotAnImageError, TextPoolError
from nexus.services.exports.article import Article
from nexus.services.exports.markup import picture_addresses
from nexus.services.exports.renditions import Rendition, fit_picture
from nexus.services.users import CurrentUser
from nexus.text.process_pool import TextPool

# The bytes of a picture that a user may see, or None where the library has no copy.
ReadPicture = Callable[[CurrentUser, str], bytes | None]

# Of all pictures of one download together; the others are left out.
MAX_BYTES = 300_000_000


class PictureFiles:
    def __init__(self, pool: TextPool, user: CurrentUser, read: ReadPicture) -> None:
        self._pool = pool
        self._user = user
        self._read = read
        self._room = MAX_BYTES

    def of(self, article: Article) -> Iterator[tuple[str, Rendition]]:
        for url in picture_addresses(article.html):
            # A page may show one picture many times.
            rendition = self.one(url, times=article.html.count(quote(url, safe="")))
            if rendition is not None:
                yield url, rendition

    def one(self, url: str, *, times: int = 1) -> Rendition | None:
        data = self._read(self._user, url)
        if data is None:
            return None
        try:
            rendition = self._pool.run(fit_picture, data)
        except (NotAnImageError, TextPoolError):
            return None
        size = len(rendition.data) * max(1, times)
        if size > self._room:
            return None
        self._room -= size
        return rendition
