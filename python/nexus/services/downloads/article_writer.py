"""Texts, one after the other, into a page or a book."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from nexus.db.session import Database
from nexus.errors import MediaNotReadyError, NotFoundError, NothingToDownloadError, ProcessPoolError
from nexus.logging import get_logger
from nexus.services.downloads.article import ExportedArticle, load_article
from nexus.services.downloads.epub_file import EpubFile
from nexus.services.downloads.html_file import HtmlFile
from nexus.services.downloads.markup import write_markup
from nexus.services.downloads.picture_files import PictureFiles, ReadPicture
from nexus.services.downloads.selection import LeftOut, Selection
from nexus.services.users import CurrentUser
from nexus.text.process_pool import ProcessPool

log = get_logger(__name__)

# Called after each text, with why it is not in the file.
Done = Callable[[LeftOut | None], None]
TAGS = re.compile("<[^>]*>")
DIRECTION_SAMPLE_CHARS = 50_000
GONE = "it is not in the library any more"
TOO_MUCH = "its text cannot be written into a file"


@dataclass(frozen=True)
class ArticleWriter:
    """`check`: raises once the file is no longer wanted."""

    database: Database
    pool: ProcessPool
    read_picture: ReadPicture
    user: CurrentUser
    check: Callable[[], None]

    def write(self, selection: Selection, writer: EpubFile | HtmlFile, done: Done) -> str:
        """The title of what was written."""
        pictures = PictureFiles(self.pool, self.user, self.read_picture)
        left_out = list(selection.left_out)
        titles = []
        for media_id in selection.media_ids:
            found = self._load(media_id, selection.version)
            problem = self._add(found, writer, pictures, selection) if isinstance(found, ExportedArticle) else found
            if problem is not None:
                left_out.append(problem)
            elif isinstance(found, ExportedArticle):
                titles.append(found.title)
            done(problem)
        if not titles:
            raise NothingToDownloadError(f"There is nothing to download: {left_out[0].reason}.")
        title = titles[0] if selection.is_single else selection.title
        writer.finish(title, left_out)
        return title

    def _load(self, media_id: UUID, version: int | None) -> ExportedArticle | LeftOut:
        self.check()
        try:
            with self.database.transaction() as session:
                return load_article(session, self.user, media_id, version)
        except (NotFoundError, MediaNotReadyError):
            # Removed since the request came in.
            return LeftOut(str(media_id), GONE)

    def _add(
        self, article: ExportedArticle, writer: EpubFile | HtmlFile, pictures: PictureFiles, selection: Selection
    ) -> LeftOut | None:
        embedded = {}
        for url, rendition in pictures.of(article):
            self.check()
            embedded[url] = writer.add_picture(rendition)
        if selection.is_single and article.lead_image_url:
            cover = pictures.one(article, article.lead_image_url)
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
        except ProcessPoolError as error:
            log.warning("a text is left out of a file", media=str(article.media_id), reason=error.message)
            return LeftOut(article.title, TOO_MUCH)
        writer.add_article(article, markup, TAGS.sub("", article.html[:DIRECTION_SAMPLE_CHARS]))
        return None
