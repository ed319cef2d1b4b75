"""Finds the copies of a noscript's pictures that the page shows a few elements away."""

from bisect import bisect_left
from collections.abc import Iterator
from urllib.parse import urlsplit

from lxml import etree

from nexus.text.extraction.picture_urls import picture_urls
from nexus.text.extraction.prepare.edits import hide, writable
from nexus.text.extraction.prepare.hidden import is_hidden
from nexus.text.picture_source import is_picture_url

_A_FEW = 8
_MAX_LEVELS = 3
_ADDED = ("alt", "width", "height")


class ShownPictures:
    """The pictures outside noscripts, by their place in the page."""

    def __init__(self, body: etree._Element) -> None:
        self.places: list[int] = []
        self.images: list[etree._Element] = []
        self.noscripts: dict[etree._Element, tuple[int, int]] = {}
        until = -1
        for place, element in enumerate(body.iter()):
            if place <= until:
                continue
            if element.tag == "noscript":
                until = place + sum(1 for _ in element.iterdescendants())
                self.noscripts[element] = (place, until)
            elif element.tag == "img":
                self.places.append(place)
                self.images.append(element)

    def without_copies(self, noscript: etree._Element, images: list[etree._Element]) -> list[etree._Element]:
        """Hides the images that are shown nearby, and returns the others."""
        if noscript not in self.noscripts:
            return images
        near = {key: image for image in self._near(noscript) if not _is_unseen(image) for key in _keys(image)}
        others = []
        for image in images:
            shown = next((near[key] for key in _keys(image) if key in near), None)
            if shown is None:
                others.append(image)
            else:
                _add_size(shown, image)
                hide(image)
        return others

    def _near(self, noscript: etree._Element) -> Iterator[etree._Element]:
        start, end = self.noscripts[noscript]
        first, last = bisect_left(self.places, start - _A_FEW), bisect_left(self.places, end + _A_FEW + 1)
        # Its own pictures are not listed.
        yield from self.images[first:last]


def path_of(url: str) -> str:
    try:
        return urlsplit(url).path.lower()
    except ValueError:  # "http://[" is what some pages write
        return ""


def _keys(image: etree._Element) -> list[str]:
    """Sizes are often asked for after the "?"; where a script sends the picture, that says which one."""
    return [path_of(each) if is_picture_url(each) else each for each in picture_urls(image)]


def _is_unseen(image: etree._Element) -> bool:
    levels = zip(image.iterancestors(), range(_MAX_LEVELS), strict=False)
    return is_hidden(image) or any(is_hidden(up) for up, _ in levels)


def _add_size(shown: etree._Element, copy: etree._Element) -> None:
    for name in _ADDED:
        value = copy.get(name)
        if value and not shown.get(name):
            shown.set(name, writable(value))
