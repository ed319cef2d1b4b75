"""The tasks that a worker does in the background, made from the settings."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta

from nexus.config import Settings
from nexus.db.session import Database
from nexus.services.archives.restore import RestoreResources
from nexus.services.exports.export_run import ExportDestinations
from nexus.services.pictures.cache import PictureCache
from nexus.services.pictures.picture import CHECK_SECONDS
from nexus.services.search.indexes import Indexes
from nexus.store import BlobStore, open_store
from nexus.text.process_pool import ProcessPool
from nexus.web.egress.from_settings import egress_from
from nexus.web.egress.politeness import HostPauses
from nexus.web.public_address import AllowList
from nexus.worker.archive_restorer import ArchiveRestorer
from nexus.worker.background import NICENESS, Background, BackgroundTask
from nexus.worker.collector import Collector
from nexus.worker.export_formats import open_formats
from nexus.worker.exporter import Exporter
from nexus.worker.highlight_carrier import HighlightCarrier
from nexus.worker.imported_text_reader import ImportedTextReader
from nexus.worker.importer import Importer
from nexus.worker.original_mover import OriginalMover
from nexus.worker.pictures import HOST_SHARE, PictureFetcher, PictureLimits, PictureSource
from nexus.worker.undo_remover import UndoRemover


@contextmanager
def open_background(
    settings: Settings, database: Database, *, pauses: HostPauses | None = None
) -> Iterator[Background]:
    """`pauses`: the sites that asked other requests of this worker for a pause."""
    store = open_store(settings, database)
    originals = OriginalMover(database, store, user_bytes=settings.original_bytes_per_user)
    allow = AllowList.parse(settings.egress_exceptions)
    importer = Importer(database, store, allow=allow, max_attempts=settings.worker_max_attempts)
    tasks = [originals, UndoRemover(database), HighlightCarrier(database), importer]
    background = Background(tasks, poll_seconds=settings.worker_poll_seconds)
    with ExitStack() as stack:
        background.add(_exports(settings, store, background, stack))
        pool = stack.enter_context(ProcessPool(workers=1, niceness=NICENESS))
        background.add(ImportedTextReader(database, pool))
        background.add(_archives(settings, store, allow, pool))
        if settings.pictures_per_media:
            background.add(_pictures(settings, database, store, pauses, background, stack))
        if settings.store_collect_hours:
            background.add(Collector(store, every=timedelta(hours=settings.store_collect_hours)))
        yield background


def _archives(settings: Settings, store: BlobStore, allow: AllowList, pool: ProcessPool) -> BackgroundTask:
    resources = RestoreResources(
        store.database, store, pool, allow,
        original_bytes=settings.original_bytes_per_user, picture_bytes=settings.picture_bytes_per_user,
        pool_size=1,
    )  # fmt: skip
    return ArchiveRestorer(resources, settings.data_dir / "imports")


def _exports(settings: Settings, store: BlobStore, background: Background, stack: ExitStack) -> BackgroundTask:
    destinations = ExportDestinations(
        store, settings.data_dir / "exports", settings.export_dir, settings.export_bytes_per_user
    )
    return Exporter(
        destinations, stack.enter_context(open_formats(settings, store)),
        indexes=Indexes(settings.data_dir),
        keep_seconds=settings.export_keep_days * 86_400,
        lease_seconds=settings.worker_lease_seconds,
        wake=background.wake,
    )  # fmt: skip


def _pictures(
    settings: Settings,
    database: Database,
    store: BlobStore,
    pauses: HostPauses | None,
    background: Background,
    stack: ExitStack,
) -> BackgroundTask:
    egress = stack.enter_context(egress_from(settings, waits_for_hosts=False, per_host=HOST_SHARE))
    if pauses:
        egress.share_pauses(pauses)
    checks = stack.enter_context(ProcessPool(workers=1, deadline_seconds=CHECK_SECONDS, niceness=NICENESS))
    cache = PictureCache(settings.data_dir / "images", settings.image_cache_bytes)
    limits = PictureLimits(
        settings.pictures_per_media, settings.picture_bytes_per_user, settings.worker_picture_pause_seconds
    )
    return PictureFetcher(
        database, store, PictureSource(egress, checks, cache), limits,
        lease_seconds=settings.worker_lease_seconds, wake=background.wake,
    )  # fmt: skip
