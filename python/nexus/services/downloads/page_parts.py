"""The parts around a text in both formats: title, source and what was left out. XML that is also HTML."""

from collections.abc import Sequence
from datetime import datetime
from html import escape
from importlib.resources import files

from nexus.services.downloads.article import ExportedArticle
from nexus.services.downloads.markup import web_url
from nexus.services.downloads.selection import LeftOut
from nexus.text.characters import FORBIDDEN_IN_XML


def style_sheet(name: str) -> str:
    return files("nexus.services.downloads").joinpath("styles", name).read_text("utf-8")


def plain(words: str) -> str:
    """Words of a page as text of a document."""
    return escape(FORBIDDEN_IN_XML.sub("", words))


def date(moment: datetime) -> str:
    return f'<time datetime="{moment:%Y-%m-%d}">{moment.day} {moment:%B %Y}</time>'


def link(url: str, words: str) -> str:
    return f'<a href="{escape(web_url(url))}">{plain(words)}</a>'


def article_head(article: ExportedArticle) -> str:
    site = article.site_name or ""
    site = link(article.source_url, site) if site and article.source_url else plain(site)
    facts = [plain(article.byline)] if article.byline else []
    facts += [date(article.published_at)] if article.published_at else []
    lines = [f'<p class="site">{site}</p>' if site else "", f"<h1>{plain(article.title)}</h1>"]
    lines.append(f'<p class="facts">{" · ".join(facts)}</p>' if facts else "")
    return f'<div class="article-head">{"".join(lines)}</div>\n'


def article_foot(article: ExportedArticle, missing_pictures: int) -> str:
    lines = [f"Source: {link(article.source_url, article.source_url)}"] if article.source_url else []
    lines.append(f"Saved on {date(article.saved_at)}. Text as of {date(article.text_since)}.")
    if missing_pictures:
        what = "1 picture is" if missing_pictures == 1 else f"{missing_pictures} pictures are"
        lines.append(f"{what} not included, because the library does not have a copy.")
    return '\n<div class="colophon" lang="en" dir="ltr">' + "".join(f"<p>{line}</p>" for line in lines) + "</div>\n"


def left_out_note(left_out: Sequence[LeftOut]) -> str:
    if not left_out:
        return ""
    what = "1 item" if len(left_out) == 1 else f"{len(left_out)} items"
    items = "".join(f"<li>{plain(each.title)}: {plain(each.reason)}</li>" for each in left_out)
    return f'<div class="left-out"><p>{what} could not be included:</p><ul>{items}</ul></div>\n'
