"""What the head of a page says about itself, as far as the block model reads it."""

import re

from lxml import etree

from nexus.services.extraction.features import PageHints

_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(\w+)"')
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
            kinds.update(_KINDS.get(k.lower(), "") for k in _TYPE.findall(element.text or ""))
    return PageHints(title, description, frozenset(kinds))
