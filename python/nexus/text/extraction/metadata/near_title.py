"""What stands around the article's heading: the places where pages show author and date."""

import re
from collections.abc import Iterator

from lxml import etree

from nexus.text.characters import one_line
from nexus.text.extraction.metadata.page_head import PageHead, ancestors
from nexus.text.extraction.metadata.text_words import key
from nexus.text.html_tree import word_set

_MAX_STEPS = 250
_MAX_LINES = 40
_MAX_LEVELS = 6
_LONG_LINE = 220
_SKIPPED = word_set("script style noscript template nav aside footer form button select svg iframe")
_OTHERS = (
    "comment", "related", "recommend", "sidebar", "widget", "promo", "teaser", "trending", "popular",
    "most-read", "mostread", "newsletter", "read-more", "readmore", "more-from", "also-like", "carousel", "reply",
    "reviews", "testimonial",
)  # fmt: skip
_OTHER_TAGS = frozenset(("aside", "nav"))
_FOOTER = re.compile(r"(?:^|\s)(?:site|page|global)?[_-]?footer")
_ARTICLE = re.compile(r"(?:^|[\s_-])(?:post|entry|article|hentry|story)(?=$|[\s_-])")


def title_heading(head: PageHead, title: str) -> etree._Element | None:
    """The heading that shows the title; without one, the only main heading."""
    wanted = key(title)
    own = [heading for heading in head.headings if not heading.is_site]
    for heading in own:
        found = key(heading.text)
        if found and wanted and (found == wanted or (heading.is_main and (found in wanted or wanted in found))):
            return heading.element
    main = [heading for heading in own if heading.is_main]
    return main[0].element if len(main) == 1 else None


def is_elsewhere(element: etree._Element, heading: etree._Element | None) -> bool:
    """In a comment, a list of other stories, a side column, or an article that does not hold the heading."""
    around = [element, *ancestors(element)]
    if heading is None:
        around = around[:_MAX_LEVELS]  # further out are the classes of the whole page ("has-sidebar")
    holders = set(ancestors(heading)) if heading is not None else set()
    in_footer = False
    for each in around:
        if each in holders:
            return in_footer and not _is_article(each)
        if each.tag in _OTHER_TAGS or (heading is not None and each.tag == "article"):
            return True
        if each.tag in ("body", "html"):
            return in_footer
        named = _class_and_id(each)
        in_footer = in_footer or each.tag == "footer" or _FOOTER.search(named) is not None
        if any(word in named for word in _OTHERS):
            return True
    return in_footer


def _is_article(element: etree._Element) -> bool:
    return element.tag in ("article", "main") or _ARTICLE.search(_class_and_id(element)) is not None


def _class_and_id(element: etree._Element) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}".lower()


def lines_after(heading: etree._Element) -> list[str]:
    """The short texts between the heading and the first long paragraph."""
    found: list[str] = []
    for text in _texts_after(heading):
        line = one_line(text[: 4 * _LONG_LINE])
        if len(line) >= _LONG_LINE or len(found) >= _MAX_LINES:
            break
        if line:
            found.append(line)
    return found


def _texts_after(heading: etree._Element) -> Iterator[str]:
    """In the order of the document, without elements that hold no text of the page."""
    element = heading
    is_done = True  # the inside of `element`
    for _ in range(_MAX_STEPS):
        if not is_done:
            yield element.text or ""
            if len(element):
                element = element[0]
                is_done = element.tag in _SKIPPED
                continue
        yield element.tail or ""
        following = element.getnext()
        if following is None:
            parent = element.getparent()
            if parent is None:
                return
            element, is_done = parent, True
        else:
            element, is_done = following, following.tag in _SKIPPED
