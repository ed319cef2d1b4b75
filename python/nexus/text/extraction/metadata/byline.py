"""The authors: from JSON-LD, meta tags, or what the page shows near its heading."""

import re
from itertools import pairwise

from lxml import etree

from nexus.text.characters import one_line
from nexus.text.extraction.metadata.main_object import MainObject
from nexus.text.extraction.metadata.name_patterns import WHEN
from nexus.text.extraction.metadata.near_title import is_elsewhere, lines_after, title_heading
from nexus.text.extraction.metadata.page_head import PageHead, text_of
from nexus.text.extraction.metadata.person_names import clean_name, join_names, named_after_by
from nexus.text.extraction.metadata.site import SiteNames
from nexus.text.extraction.metadata.text_words import key

_META = (
    ("dc.creator", "dcterm:creator"),
    ("author",),
    ("citation_author",),
    ("parsely-author", "sailthru.author", "byl", "cxenseparse:author", "og:author"),
    ("article:author", "og:article:author"),
)
_LINKS_TO_PEOPLE = ("/author", "/writer", "/people/", "/profile")
_NAME_CLASSES = ("author-name", "authorname", "author__name", "author_name")
_NOT_A_NAME = re.compile(
    r"avatar|image|photo|picture|img|icon|bio|social|share|follow|date|time|title|role|job|desc|twitter|email|link-list",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
# Points, badges and the like behind the name of a forum's user.
_COUNT = re.compile(r"(?<=\w)\s[\d,.]+k?(?:\s.*)?$")
_NO_TEXT = ("meta", "link", "script", "body")
_LABEL = re.compile(
    r"\b(?:articles?|artikel|profile?|learn|view|subscribe|updated|reviewed|newsletter|comments?|full|share|follow)\b",
    re.IGNORECASE,
)
_MAX_SHOWN_CHARS = 100
_MAX_SHOWN_WORDS = 12
_MAX_ELEMENTS = 60
_MAX_BOX_CHARS = 3000
_SENTENCE = re.compile(r"[.!?。！？]\s*$|[.!?]\s+\S+\s+\S+\s+\S+\s")


def read_byline(head: PageHead, main: MainObject, sites: SiteNames, title: str) -> str:
    """The site itself, or a user's name with digits, only where the page names nobody better."""
    said = [main.people("author"), *(head.metas(*names) for names in _META)]
    declared = [names for names in (_without_site(_people(values, title), sites) for values in said) if names]
    best = next((names for names in declared if _are_people(names, sites)), None)
    if best is None:
        shown = _shown_names(head, title)
        best = shown if _are_people(shown, sites) else next(iter(declared), None) or shown
    return join_names(best or _people(main.people("creator"), title))


def _without_site(names: list[str], sites: SiteNames) -> list[str]:
    """ "Ada Lovelace - The Site" """
    return [" - ".join([p for p in name.split(" - ") if not sites.is_name(p)] or [name]) for name in names]


def _are_people(names: list[str], sites: SiteNames) -> bool:
    return any(not sites.is_name(name) and not _DIGIT.search(name) for name in names)


def _people(values: list[str], title: str) -> list[str]:
    names = (clean_name(value) for value in values if not value.strip().startswith(("http://", "https://")))
    return [name for name in names if name and key(name) != key(title)]


def _shown_names(head: PageHead, title: str) -> list[str]:
    heading = title_heading(head, title)
    marked = [element for element in head.marked.authors if element.tag not in _NO_TEXT]
    own = [element for element in marked if not is_elsewhere(element, heading)]
    for element in own:
        names = [name for name in _names_in(element) if key(name) != key(title)]
        if names:
            return names
    if heading is not None:
        for line, following in pairwise([*lines_after(heading), ""]):
            name = named_after_by(line, following) if len(line) < _MAX_SHOWN_CHARS else ""
            if name:
                return [name]
    return []


def _names_in(element: etree._Element) -> list[str]:
    own = f"{element.get('class') or ''} {element.get('id') or ''}"
    if _NOT_A_NAME.search(own) and element.get("rel") != "author" and not element.get("itemprop"):
        return []
    if _is_large(element):
        return []
    named = [each for each in element.iterdescendants() if _holds_name(each)]
    inner = [text for each in named[:10] if (text := text_of(each, 2 * _MAX_SHOWN_CHARS))]
    names = [name for name in map(clean_name, inner) if name and _may_be_name(name)]
    if names:
        return list(dict.fromkeys(names))
    # With a space at every tag, because name, role and date often stand in neighbouring elements.
    text = one_line(" ".join(map(str, element.itertext())))
    if len(text) > _MAX_SHOWN_CHARS or _SENTENCE.search(text):
        return []
    name = clean_name(_COUNT.sub("", WHEN.sub("", text)))
    # Words without a capital are no name; one may be a user's.
    return [name] if name and _may_be_name(name) and not (name.islower() and " " in name) else []


def _holds_name(element: etree._Element) -> bool:
    classes = (element.get("class") or "").lower()
    if element.get("itemprop") == "name" or element.get("rel") == "author" or "fn" in classes.split():
        return True
    href = element.get("href") or ""
    return any(name in classes for name in _NAME_CLASSES) or any(path in href for path in _LINKS_TO_PEOPLE)


def _is_large(element: etree._Element) -> bool:
    """Not a byline but a part of the page; looked at only so far, because a hostile one is very large."""
    chars = 0
    for count, each in enumerate(element.iter()):
        chars += len(each.text or "") + len(each.tail or "")
        if count > _MAX_ELEMENTS or chars > _MAX_BOX_CHARS:
            return True
    return False


def _may_be_name(name: str) -> bool:
    """A link or a label beside the name is none."""
    return not _LABEL.search(name) and len(name) <= _MAX_SHOWN_CHARS and len(name.split()) <= _MAX_SHOWN_WORDS
