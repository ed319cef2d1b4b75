"""One HTML file that needs nothing else: pictures are in it, and it may load nothing from anywhere."""

import base64
import re
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO, ClassVar, Literal, Self

from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.language import UNKNOWN, direction_of, language_of
from nexus.services.downloads.markup import EmbeddedPicture, Markup, web_url
from nexus.services.downloads.page_parts import article_foot, article_head, left_out_note, plain, style_sheet
from nexus.services.downloads.renditions import Rendition
from nexus.services.downloads.selection import LeftOut

OPENING = "<!DOCTYPE html>\n"  # of every page; empty lines may follow it
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


@dataclass
class _Stored:
    content_type: str
    offset: int
    size: int


@dataclass
class HtmlFile:
    """`out`: the result; `body` and `pictures`: files to work with, so that no text or picture stays in memory."""

    out: BinaryIO
    body: BinaryIO
    pictures: BinaryIO
    _stored: list[_Stored] = field(default_factory=list)
    _articles: list[ExportedArticle] = field(default_factory=list)
    _mark: str = field(default_factory=lambda: f"picture-{secrets.token_hex(16)}-")  # in no text

    syntax: ClassVar[Literal["html", "xml"]] = "html"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Its files are the caller's."""

    def prefix(self) -> str:
        return f"a{len(self._articles) + 1}-"

    def add_picture(self, rendition: Rendition) -> EmbeddedPicture:
        encoded = base64.b64encode(rendition.data)
        self._stored.append(_Stored(rendition.content_type, self.pictures.tell(), len(encoded)))
        self.pictures.write(encoded)
        return EmbeddedPicture(f"{self._mark}{len(self._stored) - 1}")

    def add_cover(self, rendition: Rendition) -> None:
        """A page has none."""

    def add_article(self, article: ExportedArticle, markup: Markup, words: str) -> None:
        lang = language_of(article.lang)
        known = f' lang="{lang}"' if lang != UNKNOWN else ""
        self._articles.append(replace(article, html=""))  # texts do not stay in memory
        self._write(
            f'<article id="a{len(self._articles)}"{known} dir="{direction_of(words)}">\n{article_head(article)}'
        )
        at = 0
        for match in re.finditer(f'src="{self._mark}([0-9]+)"', markup.content):
            self._write(markup.content[at : match.start()])
            self._place(int(match[1]))
            at = match.end()
        self._write(markup.content[at:] + article_foot(article, markup.missing_pictures) + "</article>\n")
        self.pictures.seek(0, 2)

    def _place(self, number: int) -> None:
        stored = self._stored[number]
        self._write(f'src="data:{stored.content_type};base64,')
        self.pictures.seek(stored.offset)
        self.body.write(self.pictures.read(stored.size))
        self._write('"')

    def flush(self) -> int:
        """How much of the file does not change any more: nothing, since the table of contents comes first."""
        return 0

    def finish(self, title: str, left_out: Sequence[LeftOut]) -> None:
        self.out.write((self._head(title) + self._contents(title)).encode())
        self.body.seek(0)
        shutil.copyfileobj(self.body, self.out)
        self.out.write(f"{left_out_note(left_out)}</body>\n</html>\n".encode())

    def _head(self, title: str) -> str:
        only = self._articles[0] if len(self._articles) == 1 else None
        lang = language_of(only.lang) if only else UNKNOWN
        known = f' lang="{lang}"' if lang != UNKNOWN else ""
        url = only.source_url if only else None
        source = f'<link rel="canonical" href="{plain(web_url(url))}">\n' if url else ""
        return (
            f"{OPENING}<html{known}>\n<head>\n"
            '<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="Nexus">\n'
            f"{source}<title>{plain(title)}</title>\n<style>\n{style_sheet('html.css')}</style>\n</head>\n<body>\n"
        )

    def _contents(self, title: str) -> str:
        if len(self._articles) == 1:
            return ""
        links = "".join(
            f'<li><a href="#a{number}" dir="auto">{plain(article.title)}</a></li>\n'
            for number, article in enumerate(self._articles, 1)
        )
        return f"<nav>\n<h1>{plain(title)}</h1>\n<ol>\n{links}</ol>\n</nav>\n"

    def _write(self, text: str) -> None:
        self.body.write(text.encode())
