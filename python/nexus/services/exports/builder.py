"""Builds downloads: one text after the other, in a file that has no name, so that nothing is left of one that fails."""

import asyncio
import errno
import re
import tempfile
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import BinaryIO, Literal, cast
from uuid import UUID

from nexus.db.session import Database
from nexus.errors import DiskFullError, MediaNotReadyError, NotFoundError, NothingToDownloadError, TextPoolError
from nexus.services.exports.article import Article, load_article
from nexus.services.exports.epub_file import EpubFile
from nexus.services.exports.html_file import HtmlFile
from nexus.services.exports.markup import write_markup
from nexus.services.exports.picture_files import PictureFiles, ReadPicture
from nexus.services.exports.progress import Progress
from nexus.services.exports.selection import LeftOut, Selection
from nexus.services.users import CurrentUser
from nexus.text.process_pool import TextPool
from nexus.web.egress.shares import SharedSlots

Format = Literal["html", "epub"]

AT_ONCE = 2
PER_USER = 1
DEADLINE_SECONDS = 30.0
TAGS = re.compile("<[^>]*>")
WORDS_LOOKED_AT = 50_000
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
GONE = "it is not in the library any more"
TOO_MUCH = "its text cannot be written into a file"


class _AbandonedError(Exception):
    """Nobody waits for it any more."""


@dataclass(frozen=True)
class Built:
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
        self._slots = SharedSlots(AT_ONCE)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="nexus-downloads")
        self._pool = TextPool(workers=AT_ONCE, deadline_seconds=DEADLINE_SECONDS)

    async def build(
        self, user: CurrentUser, selection: Selection, kind: Format, stopped: Event, progress: Progress
    ) -> Built:
        """`stopped`: nobody waits for it any more. `progress`: what can be sent before it is built."""
        shares: dict[Hashable, int] = {("owner", user.user_id): PER_USER}
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
        self, user: CurrentUser, selection: Selection, kind: Format, stopped: Event, progress: Progress
    ) -> Built:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._scratch() as body, self._scratch() as pictures:
                out = self._scratch()
                try:
                    progress.opened(out)
                    with EpubFile(out) if kind == "epub" else HtmlFile(out, body, pictures) as writer:
                        writing = _Writing(self._database, self._pool, self._read_picture, user, stopped, progress)
                        title = writing.write(selection, writer)
                    size = out.seek(0, 2)
                    out.seek(0)
                except BaseException:
                    out.close()
                    raise
            return Built(out, size, title)
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise DiskFullError("The server's disk is full, so the download could not be built.") from error

    def _scratch(self) -> BinaryIO:
        # Not in the system's folder, which is memory on many machines.
        return cast("BinaryIO", tempfile.TemporaryFile(dir=self._folder))


def _close_unused(future: Future[Built]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().file.close()


@dataclass
class _Writing:
    database: Database
    pool: TextPool
    read_picture: ReadPicture
    user: CurrentUser
    stopped: Event
    progress: Progress

    def write(self, selection: Selection, writer: EpubFile | HtmlFile) -> str:
        """The title of what was written."""
        pictures = PictureFiles(self.pool, self.user, self.read_picture)
        left_out = list(selection.left_out)
        titles = []
        for media_id in selection.media_ids:
            found = self._load(media_id, selection.version)
            problem = self._add(found, writer, pictures, selection) if isinstance(found, Article) else found
            if problem is not None:
                left_out.append(problem)
            elif isinstance(found, Article):
                titles.append(found.title)
                self.progress.advance(writer.flush())
        if not titles:
            raise NothingToDownloadError(f"There is nothing to download: {left_out[0].reason}.")
        title = titles[0] if selection.is_single else selection.title
        writer.finish(title, left_out)
        return title

    def _load(self, media_id: UUID, version: int | None) -> Article | LeftOut:
        self._check()
        try:
            with self.database.transaction() as session:
                return load_article(session, self.user, media_id, version)
        except (NotFoundError, MediaNotReadyError):
            # Removed since the request came in.
            return LeftOut(str(media_id), GONE)

    def _check(self) -> None:
        if self.stopped.is_set():
            raise _AbandonedError

    def _add(
        self, article: Article, writer: EpubFile | HtmlFile, pictures: PictureFiles, selection: Selection
    ) -> LeftOut | None:
        embedded = {}
        for url, rendition in pictures.of(article):
            self._check()
            embedded[url] = writer.add_picture(rendition)
        if selection.is_single and article.lead_image_url:
            cover = pictures.one(article.lead_image_url)
            if cover is not None:
                writer.add_cover(cover)
        try:
            markup = self.pool.run(
                write_markup,
                article.html,
                embedded,
                title=article.title,
                prefix=writer.prefix(),
                syntax=writer.syntax,
            )
        except TextPoolError:
            return LeftOut(article.title, TOO_MUCH)
        writer.add_article(article, markup, TAGS.sub("", article.html[:WORDS_LOOKED_AT]))
        return None
