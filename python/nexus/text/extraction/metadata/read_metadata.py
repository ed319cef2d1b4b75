"""What a page says about its article, each from the most reliable source that the page has."""

from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape

from lxml import etree

from nexus.text.extraction.metadata.byline import read_byline
from nexus.text.extraction.metadata.language import declared_language
from nexus.text.extraction.metadata.main_object import MainObject
from nexus.text.extraction.metadata.page_head import PageHead
from nexus.text.extraction.metadata.published import read_published
from nexus.text.extraction.metadata.site import SiteNames, read_site_name
from nexus.text.extraction.metadata.text_words import key
from nexus.text.extraction.metadata.title import read_title
from nexus.text.extraction.metadata.title_parts import first_part
from nexus.text.extraction.metadata.urls import read_base, read_declared_url, read_lead_image


@dataclass(frozen=True, slots=True)
class Metadata:
    title: str | None
    byline: str | None
    site_name: str | None
    published_at: datetime | None
    lang: str | None  # as declared; `language_of` compares it with the text
    description: str | None
    lead_image: str | None
    base_url: str | None
    declared_url: str | None  # the page's canonical link: for information, never identity
    body: str  # the article's text in JSON-LD


def read_metadata(
    root: etree._Element, url: str | None, base_url: str | None = None, now: datetime | None = None
) -> Metadata:
    """`now`: the time of reading; an article is not published after it."""
    head = PageHead(root, url)
    main = MainObject(head)
    base = base_url or read_base(head)
    site = read_site_name(head, main)
    sites = SiteNames(head, main, site)
    title = read_title(head, main, sites)
    body = main.node.get("articleBody")
    return Metadata(
        title=title or None,
        byline=read_byline(head, main, sites, title) or None,
        site_name=first_part(site) or None,
        published_at=read_published(head, main, title, now or datetime.now(UTC)),
        lang=declared_language(head, main) or None,
        description=_description(head, main, title) or None,
        lead_image=read_lead_image(head, main, base) or None,
        base_url=base or None,
        declared_url=read_declared_url(head, base) or None,
        body=body if isinstance(body, str) else "",
    )


def _description(head: PageHead, main: MainObject, title: str) -> str:
    said = [
        head.meta("og:description"),
        head.meta("description"),
        head.meta("twitter:description", "dc.description"),
        main.text("description"),
    ]
    return next((text for each in said if (text := unescape(each)) and key(text) != key(title)), "")
