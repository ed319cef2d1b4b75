"""Cuts the site's and the section's name off a title."""

import re
from collections.abc import Sequence

from nexus.text.characters import one_line
from nexus.text.extraction.metadata.page_head import Heading
from nexus.text.extraction.metadata.site import SiteNames
from nexus.text.extraction.metadata.text_words import has_han, key, word_count

# Between spaces; the full-width forms and, in Chinese and Japanese titles, also others stand without them.
_SEPARATOR = re.compile(r" (?:[|│❘·•»«›\u2013—\u2015~\-\\]|--|::|:|/) |\s?[｜－﹣丨]\s?|\s\|\|\s")
_HAN_SEPARATOR = re.compile(r"\s?(?:[|│｜－﹣丨_·\u2013]|—+|(?<![0-9A-Za-z])-|-(?![0-9A-Za-z]))\s?")
_PREFIX = re.compile(r"^([^:：]{2,60})[:：]\s")
_BRACKETS = re.compile(r"\s?[\[(（【]([^\[\]()（）【】]{2,60})[\])）】]$")
_PIPES = "|│❘｜丨"
# What the names of Chinese, Japanese and Korean sites end with.
_SITE_WORD = re.compile(
    r"(?:网|網|报|報|新闻|新聞|频道|頻道|社区|社區|论坛|論壇|在线|線上|百科|头条|博客|部落格|门户|资讯|"
    r"ニュース|オンライン|新聞社?|ブログ|뉴스|일보|신문|닷컴)$"
)
_MAX_SITE_WORDS = 5
_MIN_TITLE_WORDS = 3
_MIN_HEADING_CHARS = 10
_MAX_CHARS = 1000
_EDGES = " |│·•»«›\u2013—-_:：｜－丨"


def clean_title(title: str, sites: SiteNames, headings: Sequence[Heading], sections: Sequence[str] = ()) -> str:
    text = one_line(title)[:_MAX_CHARS]
    shown = _shown_part(text, sites, headings)
    if shown:
        return shown
    text = _without_site(text, sites, [key(section) for section in sections])
    bracketed = _BRACKETS.search(text)
    if bracketed and sites.is_like_name(bracketed[1]) and bracketed.start() > 0:
        text = text[: bracketed.start()].rstrip()
    return text


def first_part(name: str) -> str:
    """A site's name without its slogan."""
    found = _separators(name)
    return name[: found[0].start()] if found and word_count(name) > _MAX_SITE_WORDS and found[0].start() else name


def _shown_part(text: str, sites: SiteNames, headings: Sequence[Heading]) -> str:
    """The page's own heading, where the title is that alone, or that and more between separators."""
    for heading in headings:
        shown = heading.text
        if heading.is_main and key(shown) == key(text) and not _ends_with_site(text, sites):
            return text
        if not heading.is_main and (len(shown) < _MIN_HEADING_CHARS or 2 * len(shown) < len(text)):
            continue
        at = text.casefold().find(shown.casefold()) if len(shown) < len(text) else -1
        if at < 0 or text[at : at + len(shown)].casefold() != shown.casefold():
            continue  # folding changed the length
        before, after = text[:at], text[at + len(shown) :]
        if _may_go_before(before, shown, sites) and (not after or _pattern(text).match(after)):
            return shown
    return ""


def _may_go_before(before: str, shown: str, sites: SiteNames) -> bool:
    """A kicker ("Election: …") stays; the site's name or a section goes."""
    if not before:
        return True
    ends = [match for match in _pattern(before).finditer(before) if match.end() == len(before)]
    if not ends and not before.endswith((": ", "：")):
        return False
    if sites.is_like_name(before.strip(_EDGES)):
        return True
    return bool(ends) and len(before) < len(shown) and word_count(shown) >= _MIN_TITLE_WORDS


def _ends_with_site(text: str, sites: SiteNames) -> bool:
    found = _separators(text)
    return bool(found) and sites.is_name(text[found[-1].end() :])


def _pattern(text: str) -> re.Pattern[str]:
    return _HAN_SEPARATOR if has_han(text) else _SEPARATOR


def _without_site(text: str, sites: SiteNames, sections: Sequence[str]) -> str:
    prefix = _PREFIX.match(text)
    if prefix and sites.is_declared(prefix[1]) and word_count(text[prefix.end() :]) >= _MIN_TITLE_WORDS:
        text = text[prefix.end() :].strip()
    while cut := _without_last(text, sites, sections) or _without_first(text, sites):
        text = cut
    return text


def _separators(text: str) -> list[re.Match[str]]:
    return list(_pattern(text).finditer(text))


def _without_last(text: str, sites: SiteNames, sections: Sequence[str]) -> str:
    found = _separators(text)
    if not found:
        return ""
    rest, separator, last = text[: found[-1].start()].strip(_EDGES), found[-1][0].strip(), text[found[-1].end() :]
    if not rest or not last:
        return rest
    if sites.is_declared(last) and not sites.is_name(rest):
        return rest
    is_like_site = sites.is_like_name(last) and not sites.is_name(rest)
    is_few = word_count(last) <= _MAX_SITE_WORDS
    # A double dash is punctuation within Chinese titles.
    is_section = key(last) in sections or bool(is_few and separator != "——" and _SITE_WORD.search(last))
    is_short = is_few and separator in _PIPES
    return rest if (is_like_site or is_section or is_short) and word_count(rest) >= _MIN_TITLE_WORDS else ""


def _without_first(text: str, sites: SiteNames) -> str:
    found = _separators(text)
    if not found or not sites.is_name(text[: found[0].start()]):
        return ""
    rest = text[found[0].end() :].strip(_EDGES)
    is_enough = sites.is_declared(text[: found[0].start()]) or word_count(rest) >= _MIN_TITLE_WORDS
    return rest if is_enough else ""
