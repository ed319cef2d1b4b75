"""Chooses the JSON-LD object that describes the page's own article, not one of its neighbours."""

from html import unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from nexus.text.extraction.json_ld import is_writing, names, text_value
from nexus.text.extraction.metadata.page_head import PageHead
from nexus.text.extraction.metadata.text_words import key, mostly_in, words

_URL_PROPERTIES = ("url", "@id", "mainEntityOfPage")


class MainObject:
    """Empty where the page describes no article, or only others."""

    def __init__(self, head: PageHead) -> None:
        self.node = _choose(head)
        self._by_id = {node["@id"]: node for node in head.graph if isinstance(node.get("@id"), str)}

    def text(self, name: str) -> str:
        return text_value(self._referred(self.node.get(name)))

    def value(self, name: str) -> Any:
        return self._referred(self.node.get(name))

    def people(self, name: str) -> list[str]:
        return names(self.node.get(name), self._by_id)

    def _referred(self, value: Any) -> Any:
        if isinstance(value, dict) and len(value) == 1 and isinstance(value.get("@id"), str):
            return self._by_id.get(value["@id"], value)
        return value

    @property
    def headline(self) -> str:
        return unescape(self.text("headline") or text_value(self.node.get("name")))


def _choose(head: PageHead) -> dict[str, Any]:
    described = [node for node in head.graph if is_writing(node)]
    if not described:
        return {}
    here = {path for url in page_urls(head) if (path := _path(url))}
    shown = set(words(" ".join([head.document_title, *(h.text for h in head.headings if h.is_main)])))
    shown.update(words(head.meta("og:title", "twitter:title")))
    titles = {key(title) for title in (head.meta("og:title"), *(h.text for h in head.headings if h.is_main)) if title}
    best = max(
        described, key=lambda node: (_score(node, here, shown, titles), bool(node.get("headline") or node.get("name")))
    )
    return best if _score(best, here, shown, titles) >= 0 else {}


def page_urls(head: PageHead) -> list[str]:
    return [url for url in (head.url, *head.links.get("canonical", ())[:1], head.meta("og:url")) if url]


def _score(node: dict[str, Any], here: set[str], shown: set[str], titles: set[str]) -> int:
    """Negative: it has another address and another headline than this page, so it is a neighbour."""
    paths = {path for name in _URL_PROPERTIES if (path := _path(_url(node.get(name))))}
    headline = unescape(text_value(node.get("headline")) or text_value(node.get("name")))
    is_here = bool(paths & here)
    if not headline or not shown:
        return 2 if is_here else 0
    if key(headline) in titles:
        return 4 + is_here
    if mostly_in(headline, shown):
        return 3 + is_here
    if is_here:
        return 1
    return -1 if paths and here else 0


def _url(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("@id") or value.get("url")
    return value if isinstance(value, str) else ""


def _path(url: str) -> str:
    """Without host and fragment: a page often names itself with another scheme, host or a `#article`."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    path = unquote(parts.path).rstrip("/").lower()
    return f"{path}?{parts.query}" if path and parts.query else path
