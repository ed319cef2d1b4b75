"""The site's name, and all names by which a title may call it."""

import re
from html import unescape
from typing import Any

from nexus.text.extraction.json_ld import kind_of, text_value
from nexus.text.extraction.metadata.main_object import MainObject, page_urls
from nexus.text.extraction.metadata.page_head import PageHead
from nexus.text.extraction.metadata.text_words import key, word_count
from nexus.text.extraction.prepare.embed_url import host_of
from nexus.text.html_tree import word_set

_MAX_WORDS = 6
_TITLE_WORDS = 4
_MIN_PART = 3
_MAX_NODES = 100
_MIN_WHOLE = 4
_MAX_MORE = 16
_ORGANIZATIONS = re.compile(r"WebSite|Organization|NewsMediaOrganization|Corporation")
# Labels of a host name that name no site.
_COMMON_LABELS = word_set(
    "www m amp mobile en de fr es it ja zh ru pt co com org net gov edu ac blog blogs news forum forums"
)


def read_site_name(head: PageHead, main: MainObject) -> str:
    websites = (text_value(n.get("name")) for n in head.graph if "WebSite" in kind_of(n))
    publisher = main.text("publisher")
    said = [
        head.meta("og:site_name"),
        "" if "://" in publisher else publisher,
        *websites,
        head.meta("application-name", "dc.publisher", "citation_journal_title"),
    ]
    # Templates put the article's title there.
    declared = {key(text) for text in (main.headline, head.meta("og:title"), head.document_title)}
    titles = declared & {key(heading.text) for heading in head.headings if heading.is_main}
    names = (unescape(name) for name in said if name)
    fitting = (name for name in names if word_count(name) < _TITLE_WORDS or key(name) not in titles)
    return next(fitting, "") or host_of(head.url)


class SiteNames:
    def __init__(self, head: PageHead, main: MainObject, name: str) -> None:
        handles = [value.lstrip("@") for value in head.metas("twitter:site")]
        said = [
            name,
            *head.metas("og:site_name", "application-name", "apple-mobile-web-app-title", "al:ios:app_name"),
            main.text("publisher"),
            *(text for node in head.graph[:_MAX_NODES] for text in _names_of(node)),
            *(heading.text for heading in head.headings if heading.is_site),
            *(value for value in handles if not value.isdigit()),
        ]
        hosts = {host_of(url) for url in page_urls(head)}
        labels = {label for host in hosts for label in host.split(".")[:-1] if label not in _COMMON_LABELS}
        # Templates put the article's title into fields meant for the site.
        titles = {key(head.meta("og:title")), key(main.headline)} - {key(head.meta("og:site_name")), key(name)}
        said = [text for text in said if text and "://" not in text and word_count(text) <= _MAX_WORDS]
        self._hosts = {key(f"{prefix}{host}") for host in hosts if host for prefix in ("", "www.")}
        self._declared = {found for text in said if len(found := key(text)) > 1} - titles - self._hosts
        self._labels = {found for label in labels if len(found := key(label)) > 1}

    def is_name(self, text: str) -> bool:
        return self.is_declared(text) or _is_one_of(text, self._labels)

    def is_declared(self, text: str) -> bool:
        """Not only a part of the host's name: "python" of python.org is also a word of its pages' titles."""
        return _is_one_of(text, self._declared) or _is_one_of(text, self._hosts)

    def is_like_name(self, text: str) -> bool:
        """Also a part of the name, or the name with a little more ("BBC" for "BBC News" and the other way around).

        Not for names that only the host has.
        """
        if self.is_name(text):
            return True
        if word_count(text) > _MAX_WORDS:
            return False
        found = key(text)
        return any(
            (len(found) >= _MIN_PART and name.startswith(found))
            or (len(name) >= _MIN_WHOLE and name in found and len(found) <= len(name) + _MAX_MORE)
            for name in self._declared
        )


def _is_one_of(text: str, keys: set[str]) -> bool:
    found = key(text)
    return bool(found) and (found in keys or found.removeprefix("the") in keys)


def _names_of(node: dict[str, Any]) -> list[str]:
    if not _ORGANIZATIONS.search(kind_of(node)):
        return []
    return [text_value(node.get("name")), text_value(node.get("alternateName"))]
