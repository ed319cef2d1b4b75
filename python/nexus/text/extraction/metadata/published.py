"""When the article was published. No date is better than a wrong one."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from lxml import etree

from nexus.text.extraction.metadata.dates import date_in_path, find_date, parse_date
from nexus.text.extraction.metadata.main_object import MainObject, page_urls
from nexus.text.extraction.metadata.near_title import is_elsewhere, lines_after, title_heading
from nexus.text.extraction.metadata.page_head import PageHead, text_of
from nexus.text.extraction.metadata.text_words import has_han, word_count
from nexus.text.html_tree import word_set

_META = (
    ("article:published_time", "og:published_time", "og:article:published_time", "datepublished", "article:published"),
    ("citation_publication_date", "citation_online_date", "citation_date"),
    ("dc.date", "dc.date.issued", "dc.created", "dc.issued", "dc.date.created"),
    ("date", "pubdate", "publishdate", "publish_date", "publish-date", "publication_date", "parsely-pub-date"),
    ("sailthru.date", "cxenseparse:recs:publishtime", "displaydate", "weibo:article:create_at"),
)
# A change, a check, or the day on which somebody became a member.
_OTHER_DAY = re.compile(
    r"updated?\b|modified|edited|reviewed|checked|aktualisiert|geändert|zuletzt|mis à jour|actualizado|aggiornato|"
    r"更新|修改|обновлено|joined|registered|member since|registriert|mitglied|dabei seit",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:opens?|opening|starts?|begins?|ends?|expires?|deadline|due|until|till|since|born|died|event|effective|takes|"
    r"beginnt|endet|geboren|gestorben|ab|bis|seit|frist|né|née|jusqu|depuis|hasta|desde|nacido|fino|dal|vanaf)\b|"
    r"开幕|开始|举行|截止|出生",
    re.IGNORECASE,
)
# Words without a capital that stand beside the day of publication.
_BESIDE = word_set(
    "published publication posted created written first date by on at in of the and to a for from am pm um uhr von vom"
    " und in den der die das veröffentlicht erstellt geschrieben publié écrit le la les par à et dans publicado escrito"
    " el por a las en del de pubblicato il da alle di geplaatst gepubliceerd op om door opublikowano dnia przez"
    " опубликовано в min mins minute minutes minuten read reading lesezeit lesedauer comments comment kommentare ago h"
    " est edt pst pdt cet cest gmt utc bst th st nd rd"
)
_WORD = re.compile(r"[^\W\d_]+")
_MAX_OTHERS = 1
_MAX_WORDS = 12
_MAX_AROUND = 200
_MAX_TIMES = 40
_MAX_LINE = 100
_MAX_LABEL = 40
# An older date beside a title is a birthday or an event.
_FIRST_WEB_YEAR = 1990


def read_published(head: PageHead, main: MainObject, title: str, now: datetime) -> datetime | None:
    """Nothing later than tomorrow: that is the day of an event, or a mistake."""
    latest = now + timedelta(days=1)
    heading = title_heading(head, title)
    return next((moment for moment in _moments(head, main, heading) if moment is not None and moment <= latest), None)


def _moments(head: PageHead, main: MainObject, heading: etree._Element | None) -> Iterator[datetime | None]:
    """The most reliable first."""
    for text in (main.text("datePublished"), *(head.meta(*names) for names in _META)):
        yield parse_date(text)
    yield _marked(head, heading)
    yield _from_url(head)
    yield _written_date(heading)
    yield parse_date(main.text("dateCreated") or main.text("uploadDate"))
    yield _from_page_object(head)


def _marked(head: PageHead, heading: etree._Element | None) -> datetime | None:
    """Microdata, then `time` elements that belong to the article."""
    for element in head.marked.dates:
        value = element.get("datetime") or element.get("content") or text_of(element, _MAX_LINE)
        moment = None if is_elsewhere(element, heading) else parse_date(value)
        if moment:
            return moment
    moments = []
    for element in head.times[:_MAX_TIMES]:
        moment = parse_date(element.get("datetime") or text_of(element, _MAX_LINE))
        if moment is None or is_elsewhere(element, heading):
            continue
        if element.get("pubdate") is not None:
            return moment
        if not _is_change(element) and _is_of_publication(_text_beside(element)):
            moments.append(moment)
    days = {moment.date() for moment in moments}
    # Without a heading that says which article is meant, several days mean a list of articles.
    return moments[0] if moments and (heading is not None or len(days) == 1) else None


def _text_beside(element: etree._Element) -> str:
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        return f"{before.tail or ''} {element.tail or ''}"
    return f"{(parent.text or '') if parent is not None else ''} {element.tail or ''}"


def _is_change(element: etree._Element) -> bool:
    before = element.getprevious()
    parent = element.getparent()
    said = f"{element.get('class') or ''} {element.get('itemprop') or ''} {element.text or ''}"
    if before is not None:
        said += f" {text_of(before, _MAX_LINE)} {before.tail or ''}"
    elif parent is not None:
        said += f" {parent.text or ''}"
    return _OTHER_DAY.search(said[-4 * _MAX_LINE :]) is not None and "published" not in said


def _from_url(head: PageHead) -> datetime | None:
    for url in page_urls(head):
        try:
            found = date_in_path(urlsplit(url).path)
        except ValueError:
            continue
        if found:
            return found
    return None


def _written_date(heading: etree._Element | None) -> datetime | None:
    before = ""
    for line in lines_after(heading) if heading is not None else ():
        is_short = len(line) <= _MAX_LINE
        found = find_date(line) if is_short else None
        is_other = _OTHER_DAY.search(line) or _OTHER_DAY.search(before)
        # A label stands before its date; one with a date of its own is no label for the next.
        before = line if len(line) <= _MAX_LABEL and not found else ""
        if found and not is_other and found[0].year >= _FIRST_WEB_YEAR and _is_of_publication(found[1]):
            return found[0]
    return None


def _from_page_object(head: PageHead) -> datetime | None:
    """JSON-LD of the page (WebPage) where none describes the article."""
    said = (node.get("datePublished") for node in head.graph[:5])
    return next((moment for text in said if isinstance(text, str) and (moment := parse_date(text))), None)


def _is_of_publication(around: str) -> bool:
    """Whether the words around a date say that the article is of that day, and not what happens on it.

    `around`: the line without its date. It may hold a label and names, but no sentence.
    """
    if len(around) > _MAX_AROUND or _EVENT.search(around):
        return False
    if has_han(around):
        return word_count(around) <= _MAX_WORDS
    found = _WORD.findall(around)
    others = [word for word in found if word.islower() and word not in _BESIDE]
    return len(found) <= _MAX_WORDS and len(others) <= _MAX_OTHERS
