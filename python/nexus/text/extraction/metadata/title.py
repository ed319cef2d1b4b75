"""The title of the page's article: what JSON-LD, meta tags, the document's title and the headings agree on."""

from html import unescape

from nexus.text.characters import one_line
from nexus.text.extraction.metadata.main_object import MainObject
from nexus.text.extraction.metadata.page_head import Heading, PageHead
from nexus.text.extraction.metadata.site import SiteNames
from nexus.text.extraction.metadata.text_words import key, mostly_in, word_count, words
from nexus.text.extraction.metadata.title_parts import clean_title
from nexus.text.html_tree import word_set

_DECLARED = (
    ("dc.title", "dcterm:title"),
    ("og:title",),
    ("citation_title",),
    ("twitter:title",),
    ("parsely-title", "sailthru.title"),
    ("title",),
)
# Titles that templates leave behind and greetings; compared by `key`.
_NO_TITLE = word_set(
    "untitled untitleddocument document home homepage index welcome login signin newtab notitle default 首页 首頁"
    " ホーム 홈 startseite accueil inicio"
)
_SHORT_TITLE_WORDS = 3
_MAX_REST = 60
_QUOTES = "\"'“„«»”"


def read_title(head: PageHead, main: MainObject, sites: SiteNames) -> str:
    own = [heading for heading in head.headings if not heading.is_site and not sites.is_name(heading.text)]
    sections = [*head.metas("article:section", "section", "parsely-section"), main.text("articleSection")]

    def cleaned(text: str) -> str:
        return clean_title(unescape(text), sites, own, sections)

    declared = [main.text("headline"), *(head.meta(*names) for names in _DECLARED), main.text("name")]
    titles = [title for title in map(cleaned, filter(None, declared)) if _is_title(title, sites)]
    document = cleaned(head.document_title)
    shown = set(words(" ".join([head.document_title, *(h.text for h in own if h.is_main)])))
    agreed = next((title for title in titles if not shown or mostly_in(title, shown)), "")
    if agreed:
        return _completed(agreed, own)
    chosen = _from_page(document if _is_title(document, sites) else "", own, confirmed=bool(titles))
    fallback = one_line(unescape(head.meta("og:title") or head.document_title))
    return chosen or next(iter(titles), "") or document or fallback or next((h.text for h in head.headings), "")


def _completed(title: str, own: list[Heading]) -> str:
    """The heading that goes on where the title was cut off, by three dots or by a quotation mark in an attribute."""
    start = title.rstrip(" .…\"'“„«")
    whole = next((h.text for h in own if h.is_main and len(h.text) > len(title) and h.text.startswith(start)), "")
    is_cut = start != title or (whole and whole[len(start) :].lstrip()[:1] in _QUOTES)
    return whole if whole and is_cut and len(whole) <= 2 * len(title) + _MAX_REST else title


def _from_page(document: str, own: list[Heading], *, confirmed: bool) -> str:
    """The document's title, unless it is short and the only main heading says more. `confirmed`: where meta tags name
    another title, the document's counts only if a heading repeats it."""
    main = [heading.text for heading in own if heading.is_main]
    repeated = next((text for text in main if key(text) and key(text) in key(document)), "")
    if repeated:
        return repeated if word_count(repeated) >= _SHORT_TITLE_WORDS else document
    if confirmed:
        return ""
    if document and not (len(main) == 1 and _says_more(main[0], document)):
        return document
    return next(iter(main), "") or document or next((heading.text for heading in own), "")


def _says_more(heading: str, document: str) -> bool:
    """One word is the name of an app more often than of one of its pages."""
    known = word_count(document)
    return known <= _SHORT_TITLE_WORDS and word_count(heading) > (1 if known == 1 else _SHORT_TITLE_WORDS)


def _is_title(text: str, sites: SiteNames) -> bool:
    found = key(text)
    return bool(found) and found not in _NO_TITLE and not sites.is_name(text)
