"""When the article was published. No date is better than a wrong one."""

import re
from datetime import datetime
from urllib.parse import urlsplit

from lxml import etree

from nexus.text.extraction.metadata.dates import date_in_path, parse_date, written_date
from nexus.text.extraction.metadata.main_work import MainWork, page_addresses
from nexus.text.extraction.metadata.near_title import is_elsewhere, lines_after, title_heading
from nexus.text.extraction.metadata.page_head import PageHead, text_of

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
_MAX_TIMES = 40
_MAX_LINE = 100
_MAX_LABEL = 40
# An older date beside a title is a birthday or an event.
_FIRST_WEB_YEAR = 1990


def read_published(head: PageHead, work: MainWork, title: str) -> datetime | None:
    said = [work.text("datePublished"), *(head.meta(*names) for names in _META)]
    declared = next((moment for text in said if text and (moment := parse_date(text))), None)
    if declared:
        return declared
    heading = title_heading(head, title)
    shown = _marked(head, heading) or _from_address(head) or _written(heading)
    return shown or parse_date(work.text("dateCreated") or work.text("uploadDate")) or _from_page_object(head)


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
        if not _is_change(element):
            moments.append(moment)
    days = {moment.date() for moment in moments}
    # Without a heading that says which article is meant, several days mean a list of articles.
    return moments[0] if moments and (heading is not None or len(days) == 1) else None


def _is_change(element: etree._Element) -> bool:
    before = element.getprevious()
    parent = element.getparent()
    said = f"{element.get('class') or ''} {element.get('itemprop') or ''} {element.text or ''}"
    if before is not None:
        said += f" {text_of(before, _MAX_LINE)} {before.tail or ''}"
    elif parent is not None:
        said += f" {parent.text or ''}"
    return _OTHER_DAY.search(said[-4 * _MAX_LINE :]) is not None and "published" not in said


def _from_address(head: PageHead) -> datetime | None:
    for address in page_addresses(head):
        try:
            found = date_in_path(urlsplit(address).path)
        except ValueError:
            continue
        if found:
            return found
    return None


def _written(heading: etree._Element | None) -> datetime | None:
    before = ""
    for line in lines_after(heading) if heading is not None else ():
        is_other = len(line) > _MAX_LINE or _OTHER_DAY.search(line) or _OTHER_DAY.search(before)
        found = None if is_other else written_date(line)
        # A label stands before its date; one with a date of its own is no label for the next.
        before = line if len(line) <= _MAX_LABEL and not written_date(line) else ""
        if found and found.year >= _FIRST_WEB_YEAR:
            return found
    return None


def _from_page_object(head: PageHead) -> datetime | None:
    """JSON-LD of the page (WebPage) where none describes the article."""
    said = (node.get("datePublished") for node in head.graph[:5])
    return next((moment for text in said if isinstance(text, str) and (moment := parse_date(text))), None)
