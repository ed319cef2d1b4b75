"""Converts sanitized HTML to Markdown."""

import re
from typing import Any
from urllib.parse import unquote

from markdownify import ATX, MarkdownConverter

from nexus.text.image_source import IMAGE_PROXY


class _Converter(MarkdownConverter):
    def convert_img(self, el: Any, text: str, parent_tags: Any) -> str:
        # The image's own URL, because the proxy works only on this server.
        source = el.attrs.get("src", "")
        if source.startswith(IMAGE_PROXY):
            el.attrs["src"] = unquote(source.removeprefix(IMAGE_PROXY))
        markdown: str = super().convert_img(el, text, parent_tags)  # type: ignore[misc] # its stubs leave it out
        return markdown


def to_markdown(html_sanitized: str) -> str:
    markdown = _Converter(heading_style=ATX, bullets="-").convert(html_sanitized)
    return re.sub(r"\n{3,}", "\n\n", markdown).strip()
