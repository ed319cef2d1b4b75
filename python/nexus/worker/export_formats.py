"""The formats of exports that a worker can write."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nexus.config import Settings
from nexus.services.archives.export_format import Archive
from nexus.services.downloads.kept_pictures import reader_of_pictures
from nexus.services.exports.formats.bookmarks import Bookmarks
from nexus.services.exports.formats.books import HtmlOrEpub
from nexus.services.exports.formats.format import ExportFormat
from nexus.services.exports.formats.format_tools import FormatTools
from nexus.services.exports.formats.notes.markdown_notes import MarkdownNotes
from nexus.services.exports.formats.readwise import ReadwiseTable
from nexus.services.pictures.cache import PictureCache
from nexus.store import BlobStore
from nexus.text.process_pool import ProcessPool
from nexus.worker.background import NICENESS

DEADLINE_SECONDS = 30.0


@contextmanager
def open_formats(settings: Settings, store: BlobStore) -> Iterator[Mapping[str, ExportFormat]]:
    cache = PictureCache(settings.data_dir / "images", settings.image_cache_bytes)
    read_picture = reader_of_pictures(store.database, store, cache)
    with ProcessPool(workers=1, deadline_seconds=DEADLINE_SECONDS, niceness=NICENESS) as pool:
        tools = FormatTools(pool, read_picture, settings.data_dir / "exports")
        formats: list[ExportFormat] = [
            Archive(store),
            Bookmarks(),
            HtmlOrEpub("epub", tools),
            HtmlOrEpub("html", tools),
            MarkdownNotes(tools),
            ReadwiseTable(),
        ]
        yield {each.name: each for each in formats}
