"""Converts sanitized HTML to Markdown."""

import re
from typing import Any
from urllib.parse import unquote

from markdownify import ATX, MarkdownConverter

from nexus.text.image_source import IMAGE_PROXY

# By default a picture in these is replaced with its alternative text.
_PICTURES_IN = ["h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "a", "em", "strong"]


class _Converter(MarkdownConverter):
    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        # The image's own URL, because the proxy works only on this server.
        source = el.attrs.get("src", "")
        if source.startswith(IMAGE_PROXY):
            el.attrs["src"] = unquote(source.removeprefix(IMAGE_PROXY))
        markdown: str = super().convert_img(el, text, parent_tags)  # type: ignore[misc] # its stubs leave it out
        return markdown

    def convert_figure(self, _el: Any, text: str, parent_tags: Any) -> str:
        """A paragraph of its own, also after the loose text of a list item."""
        return text if "_inline" in parent_tags else f"\n\n{text.strip()}\n\n"


def to_markdown(html_sanitized: str) -> str:
    markdown = _Converter(heading_style=ATX, bullets="-", keep_inline_images_in=_PICTURES_IN).convert(html_sanitized)
    return re.sub(r"\n{3,}", "\n\n", markdown).strip()
