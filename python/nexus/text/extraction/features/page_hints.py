"""Reads what the block model uses of a page's head."""

import json
import re
from html import unescape

from lxml import etree

from nexus.text.extraction.features.block_table import PageHints, bare_words

_TYPE = re.compile(r'"@type"\s*+:\s*+(?:\[\s*+)?"(\w+)"')
_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)("?)', re.DOTALL)
_MIN_QUOTED = 60
_TAG = re.compile(r"<[^<>]*>")
_MAX_QUOTED = 300_000
_KINDS = {
    "article": "article",
    "newsarticle": "article",
    "blogposting": "article",
    "techarticle": "article",
    "reportagenewsarticle": "article",
    "product": "product",
    "productgroup": "product",
    "qapage": "forum",
    "discussionforumposting": "forum",
    "question": "faq",
    "faqpage": "faq",
    "itemlist": "list",
    "collectionpage": "list",
    "recipe": "recipe",
    "website": "website",
}


def read_hints(root: etree._Element) -> PageHints:
    title, description, kinds = "", "", set()
    scripts = ""
    for element in root.iter("title", "meta", "script"):
        tag = element.tag
        if tag == "title":
            title = title or (element.text or "")
        elif tag == "meta":
            name = (element.get("property") or element.get("name") or "").lower()
            content = element.get("content") or ""
            if name == "og:title":
                title = content
            elif name in ("description", "og:description"):
                description = description or content
            elif name == "og:type":
                kinds.add(content.split(":")[-1].split(".")[-1].lower())
        elif element.get("type") == "application/ld+json":
            scripts += element.text or ""
            kinds.update(_KINDS.get(k.lower(), "") for k in _TYPE.findall(element.text or ""))
    return PageHints(title, description, frozenset(kinds), _quoted(scripts[:_MAX_QUOTED]))


def _quoted(scripts: str) -> str:
    found, begin = [], 0
    while (string := _STRING.search(scripts, begin)) and string[2]:
        raw = string[1]
        if len(raw) < _MIN_QUOTED:
            # Its last quote may be the first of the next string: a page with one quote too many loses nothing else.
            begin = string.end(1)
            continue
        begin = string.end()
        try:
            text = json.loads(f'"{raw}"', strict=False)
        except ValueError:
            continue
        if not text.startswith("http"):
            found.append(bare_words(_TAG.sub(" ", unescape(text))))
    return " ".join(found)
