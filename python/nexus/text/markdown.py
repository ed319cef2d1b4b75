"""Converts sanitized HTML to Markdown."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from markdownify import ATX, MarkdownConverter

from nexus.text.markdown_url import escape_url
from nexus.text.picture_source import PICTURE_PROXY

# By default a picture in these is replaced with its alternative text.
_PICTURES_IN = ["h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "a", "em", "strong"]

# In Obsidian and others a word behind it is a tag.
_HASH = re.compile(r"(?<![\w\\&/])#(?=\w)")


class _Converter(MarkdownConverter):
    def __init__(self, pictures: Mapping[str, str], *, exact: bool) -> None:
        super().__init__(heading_style=ATX, bullets="-", keep_inline_images_in=_PICTURES_IN, escape_misc=exact)
        self._pictures = pictures
        self._exact = exact

    def escape(self, text: str, parent_tags: Any) -> str:
        escaped: str = super().escape(text, parent_tags)  # type: ignore[misc] # its stubs leave it out
        return _HASH.sub(r"\\#", escaped) if self._exact else escaped

    def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
        if self._exact and el.get("href"):
            el["href"] = escape_url(el["href"])
        markdown: str = super().convert_a(el, text, parent_tags)  # type: ignore[misc]
        return markdown

    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        # The image's own URL, because the proxy works only on this server.
        source = el.attrs.get("src", "")
        if source.startswith(PICTURE_PROXY):
            url = unquote(source.removeprefix(PICTURE_PROXY))
            el.attrs["src"] = self._pictures.get(url, escape_url(url) if self._exact else url)
        markdown: str = super().convert_img(el, text, parent_tags)  # type: ignore[misc] # its stubs leave it out
        return markdown

    def convert_figure(self, _el: Any, text: str, parent_tags: Any) -> str:
        """A paragraph of its own, also after the loose text of a list item."""
        return text if "_inline" in parent_tags else f"\n\n{text.strip()}\n\n"


def to_markdown(html_sanitized: str, pictures: Mapping[str, str] | None = None, *, exact: bool = False) -> str:
    """`pictures`: the files that have pictures, by their addresses. `exact`: whatever Markdown gives a meaning to is
    escaped, so that the text reads as the page did; else prose is left alone, which people read more easily."""
    markdown = _Converter(pictures or {}, exact=exact).convert(html_sanitized)
    return re.sub(r"\n{3,}", "\n\n", markdown).strip()
