"""The addresses of an image that can be requested."""

from collections.abc import Iterable, Iterator

from lxml import etree

from nexus.text.picture_source import picture_candidates

_NOT_REQUESTED = ("data:", "blob:", "about:")


def attributes_of(element: etree._Element) -> dict[str, str | None]:
    return {str(name): str(value) for name, value in element.attrib.items()}


def picture_urls(image: etree._Element, sources: Iterable[dict[str, str | None]] = ()) -> Iterator[str]:
    """The best first; `sources` are the attributes of the <source> elements that belong to it."""
    candidates = picture_candidates(attributes_of(image), sources)
    return (url for url in candidates if not url.startswith(_NOT_REQUESTED))
