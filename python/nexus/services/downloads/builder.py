"""Builds downloads, text by text, in a file without a name, so that nothing is left on disk of one that fails."""

import asyncio
import tempfile
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import BinaryIO, Literal, cast

from nexus.db.session import Database
from nexus.errors import DiskFullError
from nexus.services.downloads.article_writer import ArticleWriter
from nexus.services.downloads.epub_file import EpubFile
from nexus.services.downloads.html_file import HtmlFile
from nexus.services.downloads.picture_files import ReadPicture
from nexus.services.downloads.progress import FileProgress
from nexus.services.downloads.selection import Selection
from nexus.services.users import CurrentUser
from nexus.system.disk_full import DISK_FULL_ERRNOS
from nexus.text.process_pool import ProcessPool
from nexus.web.egress.shares import SharedSlots

Format = Literal["html", "epub"]

MAX_BUILDS = 2
MAX_BUILDS_PER_USER = 1
DEADLINE_SECONDS = 30.0


class _AbandonedError(Exception):
    """The client has disconnected, or the server is stopping."""


@dataclass(frozen=True)
class BuiltDownload:
    """`file`: at its beginning; closing it removes it."""

    file: BinaryIO
    size: int
    title: str


class DownloadBuilder:
    """One per process, with threads of its own, so that a large download does not delay other requests."""

    def __init__(self, database: Database, folder: Path, read_picture: ReadPicture) -> None:
        self._database = database
        self._folder = folder
        self._read_picture = read_picture
        self._slots = SharedSlots(MAX_BUILDS)
        self._threads = ThreadPoolExecutor(MAX_BUILDS, thread_name_prefix="nexus-downloads")
        self._pool = ProcessPool(workers=MAX_BUILDS, deadline_seconds=DEADLINE_SECONDS)

    async def build(
        self, user: CurrentUser, selection: Selection, kind: Format, stopped: Event, progress: FileProgress
    ) -> BuiltDownload:
        """`stopped`: nobody waits for it any more. `progress`: what can be sent before it is built."""
        shares: dict[Hashable, int] = {("owner", user.user_id): MAX_BUILDS_PER_USER}
        work = partial(self._build, user, selection, kind, stopped, progress)
        future = await self._slots.submit(self._threads, shares, work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(_close_unused)  # its thread may be at the end already
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._pool.close()

    def _build(
        self, user: CurrentUser, selection: Selection, kind: Format, stopped: Event, progress: FileProgress
    ) -> BuiltDownload:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._scratch() as body, self._scratch() as pictures:
                out = self._scratch()
                try:
                    progress.opened(out)
                    with EpubFile(out) if kind == "epub" else HtmlFile(out, body, pictures) as writer:
                        check = partial(_require_client, stopped)
                        articles = ArticleWriter(self._database, self._pool, self._read_picture, user, check)
                        title = articles.write(selection, writer, lambda _: progress.advance(writer.flush()))
                    size = out.seek(0, 2)
                    out.seek(0)
                except BaseException:
                    out.close()
                    raise
            return BuiltDownload(out, size, title)
        except OSError as error:
            if error.errno not in DISK_FULL_ERRNOS:
                raise
            raise DiskFullError("The server's disk is full, so the download could not be built.") from error

    def _scratch(self) -> BinaryIO:
        # Not in the system's folder, which is memory on many machines.
        return cast("BinaryIO", tempfile.TemporaryFile(dir=self._folder))


def _require_client(stopped: Event) -> None:
    if stopped.is_set():
        raise _AbandonedError


def _close_unused(future: Future[BuiltDownload]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().file.close()
