"""The documents of an EPUB that say what it is and what is in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from uuid import UUID, uuid5

from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.language import Direction, language_of
from nexus.services.downloads.markup import Heading
from nexus.services.downloads.page_parts import plain

XML = '<?xml version="1.0" encoding="utf-8"?>\n'
CONTAINER = (
    f'{XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n<rootfiles>'
    '<rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles>\n</container>\n"
)
# One identifier for each version of a text; the same texts in the same order are the same book.
NAMESPACE = UUID("6f0a4a0e-4b0c-5a35-9a5e-2f2f6f2b1d37")


@dataclass(frozen=True)
class BookFile:
    id: str
    name: str
    media_type: str


@dataclass(frozen=True)
class BookChapter:
    name: str
    article: ExportedArticle
    headings: Sequence[Heading]
    direction: Direction


def book_document(title: str, body: str, lang: str, direction: Direction, *, is_contents: bool = False) -> str:
    names = ' xmlns:epub="http://www.idpf.org/2007/ops"' if is_contents else ""
    return (
        f'{XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"{names}'
        f' lang="{lang}" xml:lang="{lang}" dir="{direction}">\n<head>\n<meta charset="utf-8"/>\n'
        f'<title>{plain(title)}</title>\n<link rel="stylesheet" type="text/css" href="style.css"/>\n</head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )


def contents_document(title: str, chapters: Sequence[BookChapter]) -> str:
    items = "".join(
        f'<li><a href="{chapter.name}">{plain(chapter.article.title)}</a>{_headings(chapter)}</li>\n'
        for chapter in chapters
    )
    nav = f'<nav epub:type="toc" id="toc">\n<h1>{plain(title)}</h1>\n<ol>\n{items}</ol>\n</nav>\n'
    first = chapters[0]
    return book_document(title, nav, language_of(first.article.lang), first.direction, is_contents=True)


def _headings(chapter: BookChapter) -> str:
    """Nested by their levels; some pages skip one."""
    out, levels = [], [0]
    for heading in chapter.headings:
        if heading.level > levels[-1]:
            out.append("<ol>")
            levels.append(heading.level)
        else:
            out.append("</li>")
            while levels[-2] >= heading.level:
                out.append("</ol></li>")
                levels.pop()
            levels[-1] = heading.level
        out.append(f'<li><a href="{chapter.name}#{heading.id}">{plain(heading.text)}</a>')
    return "".join(out) + "</li></ol>" * (len(levels) - 1)


def package_document(
    title: str, chapters: Sequence[BookChapter], files: Sequence[BookFile], spine: Sequence[str], cover: str | None
) -> str:
    ids = {file.name: file.id for file in files}
    properties = {"contents.xhtml": ' properties="nav"'} | ({cover: ' properties="cover-image"'} if cover else {})
    manifest = "".join(
        f'<item id="{file.id}" href="{file.name}" media-type="{file.media_type}"{properties.get(file.name, "")}/>\n'
        for file in files
    )
    pages = "".join(f'<itemref idref="{ids[name]}"/>\n' for name in spine)
    is_rtl = all(chapter.direction == "rtl" for chapter in chapters)
    return (
        f'{XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="book">\n'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n{_metadata(title, chapters)}</metadata>\n'
        f"<manifest>\n{manifest}</manifest>\n"
        f'<spine page-progression-direction="{"rtl" if is_rtl else "ltr"}">\n{pages}</spine>\n</package>\n'
    )


def _metadata(title: str, chapters: Sequence[BookChapter]) -> str:
    articles = [chapter.article for chapter in chapters]
    texts = " ".join(f"{article.media_id} {article.version}" for article in articles)
    modified = max(article.text_since for article in articles).astimezone(UTC)
    facts = [("title", title)]
    facts += [("language", lang) for lang in dict.fromkeys(language_of(article.lang) for article in articles)]
    facts += [("creator", name) for name in dict.fromkeys(article.byline for article in articles) if name]
    facts += [("source", url) for url in dict.fromkeys(article.source_url for article in articles) if url]
    if len(articles) == 1:
        facts += [("publisher", articles[0].site_name)] if articles[0].site_name else []
        facts += [("date", f"{articles[0].published_at:%Y-%m-%d}")] if articles[0].published_at else []
    written = "".join(f"<dc:{name}>{plain(value)}</dc:{name}>\n" for name, value in facts if value.strip())
    return (
        f'<dc:identifier id="book">urn:uuid:{uuid5(NAMESPACE, texts)}</dc:identifier>\n{written}'
        f'<meta property="dcterms:modified">{modified:%Y-%m-%dT%H:%M:%SZ}</meta>\n'
    )
