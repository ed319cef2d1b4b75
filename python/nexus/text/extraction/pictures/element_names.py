"""What the class and the id of an element say it is. One element may hold all pictures of a page: it is read once."""

import re

from nexus.text.extraction.blocks import Page
from nexus.text.extraction.pictures.picture import DECORATION_WORDS, ICONS, PICTURE_TAGS

_WORD = re.compile(r"[a-z]+")
_CAPTION_MARKS = ("caption", "credit", "cutline", "legend")
_MAX_NAME = 300  # characters that are read: longer ones are not written by people


class ElementNames:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._decoration: dict[int, bool] = {}
        self._captions: dict[int, bool] = {}

    def is_decoration(self, node: int) -> bool:
        """True where the class or the id calls the element a logo, an avatar, an advertisement, a share button …"""
        if node not in self._decoration:
            words = _WORD.findall(f"{self._read(node, 'class')} {self._read(node, 'id')}")
            is_icon = self._page.tags[node] in PICTURE_TAGS and not ICONS.isdisjoint(words)
            self._decoration[node] = is_icon or not DECORATION_WORDS.isdisjoint(words)
        return self._decoration[node]

    def is_caption(self, node: int) -> bool:
        if node not in self._captions:
            name = self._read(node, "class")
            is_caption = self._page.tags[node] == "figcaption" or any(mark in name for mark in _CAPTION_MARKS)
            self._captions[node] = is_caption
        return self._captions[node]

    def _read(self, node: int, attribute: str) -> str:
        return (self._page.elements[node].get(attribute) or "")[:_MAX_NAME].lower()
