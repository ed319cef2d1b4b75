"""Title, author, site, date, language and image, each from the most reliable source that the page has."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from nexus.text.extraction.json_ld import is_writing, names, read_json_ld, text_value

_BY = re.compile(r"^\s*(?:written\s+|posted\s+)?by\s*:?\s+", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s+[|·•»\u2013—:-]\s+")
_DATE_FORMATS = ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%d.%m.%Y", "%Y/%m/%d", "%Y%m%d")
_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$")
_WORD = re.compile(r"\w+")
_MAX_BYLINE = 120
_FIRST_YEAR, _LAST_YEAR = 1900, 2100


@dataclass(frozen=True, slots=True)
class Metadata:
    title: str | None
    byline: str | None
    site_name: str | None
    published_at: datetime | None
    lang: str | None
    description: str | None
    lead_image: str | None
    base_url: str | None
    body: str


class _Head:
    def __init__(self, root: etree._Element) -> None:
        self.root = root
        self.meta: dict[str, str] = {}
        for element in root.iter("meta"):
            key = element.get("property") or element.get("name") or element.get("itemprop")
            value = " ".join((element.get("content") or "").split())
            key = key or element.get("http-equiv")
            if key and value:
                self.meta.setdefault(key.strip().lower(), value)
        self.graph: list[dict[str, Any]] = read_json_ld(root)
        self.works = [node for node in self.graph if is_writing(node)]

    def first(self, *keys: str) -> str:
        return next((self.meta[k] for k in keys if k in self.meta), "")

    def work(self, key: str) -> Any:
        return next((node[key] for node in self.works if node.get(key)), None)

    def texts(self, path: str) -> list[str]:
        found: Any = self.root.xpath(path)
        raw = (e if isinstance(e, str) else "".join(map(str, e.itertext())) for e in found)
        return [text for r in raw if (text := " ".join(r.split()))]


def _title(head: _Head, site: str) -> str:
    headings = head.texts("//h1")
    titles = (head.texts("//head/title") or head.texts("//title"))[:1]
    declared = head.first("og:title", "twitter:title", "citation_title", "dc.title", "dcterms.title")
    headline = text_value(head.work("headline"))
    shown = _words(" ".join(headings + titles))
    if _mostly_in(declared, shown) and not _mostly_in(headline, shown):
        headline = ""  # Wikipedia's JSON-LD headline is its short description
    single = headings if len(headings) == 1 else []
    said = [headline, declared, *single, *titles, *headings[:1]]
    title = " ".join(unescape(next((text for text in said if text), "")).split())
    parts = _SEPARATOR.split(title)
    # "Headline | Site": a last part that is the site's name, or that the page's heading does not have, is removed.
    if len(parts) > 1 and site and parts[-1].casefold() == site.casefold():
        return title[: title.rindex(parts[-1])].rstrip(" |·•»\u2013—:-")
    heading = next((h for h in headings if len(h) > 10 and title.startswith(h) and h != title), "")  # noqa: PLR2004
    return heading if heading and _SEPARATOR.match(title[len(heading) :]) else title


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _mostly_in(text: str, shown: set[str]) -> bool:
    words = _words(unescape(text))
    return 2 * len(words & shown) > len(words)


def _byline(head: _Head) -> str:
    candidates = [
        names(head.work("author")),
        head.first("author", "citation_author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author"),
        head.first("article:author"),
        *head.texts("//*[@rel='author']")[:1],
        *head.texts("//*[contains(concat(' ', @itemprop, ' '), ' author ')]")[:1],
        *head.texts("//*[contains(concat(' ', @class, ' '), ' byline ')]")[:1],
    ]
    cleaned = (_BY.sub("", unescape(c)).strip(" ,") for c in candidates if "://" not in c)
    return next((c for c in cleaned if c and len(c) <= _MAX_BYLINE), "")


def parse_date(value: str) -> datetime | None:
    """Aware; UTC where the page gives no zone."""
    text = value.strip()
    moment: datetime | None = None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            moment = _parse_written_date(text)
    if moment is None or not _FIRST_YEAR < moment.year < _LAST_YEAR:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse_written_date(text: str) -> datetime | None:
    for pattern in _DATE_FORMATS:
        try:
            return datetime.strptime(text, pattern).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _published(head: _Head) -> datetime | None:
    candidates = [
        text_value(head.work("datePublished")),
        head.first("article:published_time", "og:published_time", "og:article:published_time", "datepublished"),
        head.first("citation_publication_date", "citation_date", "dc.date", "dc.date.issued", "dcterms.created"),
        head.first("date", "pubdate", "publishdate", "parsely-pub-date", "sailthru.date"),
        *head.texts("//*[@itemprop='datePublished']/@datetime | //*[@itemprop='datePublished']/@content")[:1],
        *head.texts("//time[@pubdate]/@datetime | //article//time/@datetime | //main//time/@datetime")[:1],
        *head.texts("//time/@datetime")[:1],
        *(text_value(node.get("datePublished")) for node in head.graph[:5]),
    ]
    return next((moment for c in candidates if c and (moment := parse_date(c))), None)


def _language(head: _Head) -> str:
    candidates = [
        head.root.get("lang") or head.root.get("{http://www.w3.org/XML/1998/namespace}lang") or "",
        head.root.get("xml:lang") or "",
        text_value(head.work("inLanguage")),
        head.first("content-language", "dc.language", "og:locale", "language"),
    ]
    found = next((c.strip() for c in candidates if _LANGUAGE.match(c.strip())), "")
    return found.replace("_", "-")


def _joined(base: str, value: str) -> str:
    try:
        joined = urljoin(base, value.strip())
        urlsplit(joined)
    except ValueError:
        return ""
    return joined


def _absolute_image(value: str, base: str) -> str:
    joined = _joined(base, value) if value else ""
    return joined if joined.startswith(("http://", "https://")) else ""


def _lead_image(head: _Head, base: str) -> str:
    candidates = [
        head.first("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"),
        text_value(head.work("image")),
        text_value(head.work("thumbnailUrl")),
        *head.texts("//link[@rel='image_src']/@href")[:1],
    ]
    return next((found for c in candidates if (found := _absolute_image(c, base))), "")


def _site_name(head: _Head, url: str | None) -> str:
    websites = (n for n in head.graph if n.get("@type") == "WebSite")
    try:
        host = (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        host = ""
    return (
        head.first("og:site_name")
        or text_value(head.work("publisher"))
        or next((text_value(n.get("name")) for n in websites), "")
        or head.first("application-name", "dc.publisher", "citation_journal_title")
        or host
    )


def read_metadata(root: etree._Element, url: str | None, base_url: str | None = None) -> Metadata:
    head = _Head(root)
    base = base_url or _joined(url or "", next(iter(head.texts("//base/@href")), "")) or (url or "")
    site = unescape(_site_name(head, url))
    description = head.first("og:description", "description", "twitter:description", "dc.description")
    return Metadata(
        title=_title(head, site) or None,
        byline=_byline(head) or None,
        site_name=site or None,
        published_at=_published(head),
        lang=_language(head) or None,
        description=unescape(description or text_value(head.work("description"))) or None,
        lead_image=_lead_image(head, base) or None,
        base_url=base or None,
        body=str(head.work("articleBody") or ""),
    )
