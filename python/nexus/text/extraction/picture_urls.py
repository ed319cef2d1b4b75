"""The addresses of an image that can be requested."""

from collections.abc import Iterable, Iterator

from lxml import etree

from nexus.text.picture_source import image_candidates

_NOT_REQUESTED = ("data:", "blob:", "about:")


def attributes_of(element: etree._Element) -> dict[str, str | None]:
    return {str(name): str(value) for name, value in element.attrib.items()}


def image_addresses(image: etree._Element, sources: Iterable[dict[str, str | None]] = ()) -> Iterator[str]:
    """The best first; `sources` are the attributes of the <source> elements that belong to it."""
    candidates = image_candidates(attributes_of(image), sources)
    return (address for address in candidates if not address.startswith(_NOT_REQUESTED))
