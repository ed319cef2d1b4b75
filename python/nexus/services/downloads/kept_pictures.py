"""The pictures that need no request: from the store, or from the cache while they wait for the store."""

from nexus.db.session import Database
from nexus.errors import (
    BlobDamagedError,
    BlobMissingError,
    BlobTooLargeError,
    NotFoundError,
    PictureGoneError,
    PictureRefusedError,
)
from nexus.logging import get_logger
from nexus.services.downloads.picture_files import ReadPicture, StoredPicture
from nexus.services.pictures.cache import PictureCache
from nexus.services.pictures.shown_pictures import ShownPicture, find_shown
from nexus.services.users import CurrentUser
from nexus.store import BlobStore

log = get_logger(__name__)


def reader_of_pictures(database: Database, store: BlobStore, cache: PictureCache) -> ReadPicture:
    """An unavailable store is an error: an exported file must not lack pictures that will be available in a minute."""

    def read(user: CurrentUser, url: str) -> StoredPicture | None:
        shown = _find_picture(database, user, url)
        if shown is None:
            return None
        if shown.kept is not None:
            try:
                data = store.read_bytes(shown.kept.sha256)
                return StoredPicture(data, shown.kept.content_type, shown.kept.width)
            except (BlobMissingError, BlobDamagedError, BlobTooLargeError) as error:
                log.warning("a picture is not in the store", reason=error.message)
        cached = cache.read(url)
        return StoredPicture(cached.picture.data, cached.picture.content_type) if cached else None

    return read


def _find_picture(database: Database, user: CurrentUser, url: str) -> ShownPicture | None:
    try:
        with database.transaction() as session:
            return find_shown(session, user, url)
    except (NotFoundError, PictureGoneError, PictureRefusedError):
        return None
