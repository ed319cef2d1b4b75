"""The page's base, its declared address and its lead picture."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit

from nexus.text.extraction.json_ld import kind_of, text_value
from nexus.text.extraction.metadata.main_object import MainObject
from nexus.text.extraction.metadata.page_head import PageHead

_MAX_URL_CHARS = 2048
# File names that say that they show no article.
_NO_PICTURE = re.compile(
    r"(?:^|[/_.-])(?:logo|logos|sitelogo|favicon|apple-touch-icon|blank|spacer|pixel|transparent|placeholder|"
    r"default[-_]?(?:image|img|share|og|thumb|social|user|opener)|no[-_]?ima?ge?|1x1)(?=[/_.-]|$)|^default\.",
    re.IGNORECASE,
)
_MIN_PIXELS = 50


def joined(base: str, value: str) -> str:
    try:
        found = urljoin(base, value.strip())
        urlsplit(found)
    except ValueError:
        return ""
    return found


def read_base(head: PageHead) -> str:
    return joined(head.url, head.base) or head.url


def read_declared_url(head: PageHead, base: str) -> str:
    """What the page calls its own address: for information, because a page may claim another's."""
    said = [*head.links.get("canonical", ())[:1], head.meta("og:url")]
    return next((found for value in said if (found := _absolute(value, base))), "")


def _absolute(value: str, base: str) -> str:
    if not value or len(value) > _MAX_URL_CHARS:
        return ""
    found = joined(base, value).replace(" ", "%20")
    try:
        parts = urlsplit(found)
        is_page = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    return found if is_page and len(found) <= _MAX_URL_CHARS and found.isprintable() else ""


def read_lead_image(head: PageHead, main: MainObject, base: str) -> str:
    image = main.value("image")
    said = [
        *([] if _is_small(head.meta("og:image:width"), head.meta("og:image:height")) else _open_graph(head)),
        head.meta("twitter:image", "twitter:image:src"),
        "" if _is_small_object(image) else text_value(image) if not isinstance(image, dict) else _image_url(image),
        main.text("thumbnailUrl"),
        *head.links.get("image_src", ())[:1],
    ]
    logos = {found for node in head.graph for found in _logos(node, base)} | set(_logos(main.node, base))
    found = [image for value in said if (image := _absolute(value, base)) and image not in logos]
    return next((image for image in found if not _NO_PICTURE.search(_file_name(image))), "")


def _open_graph(head: PageHead) -> list[str]:
    return head.metas("og:image", "og:image:url", "og:image:secure_url")[:3]


def _image_url(image: dict[str, Any]) -> str:
    return text_value(image.get("url") or image.get("contentUrl") or image.get("@value") or image.get("name"))


def _logos(node: dict[str, Any], base: str) -> list[str]:
    publisher = node.get("publisher")
    logo = publisher.get("logo") if isinstance(publisher, dict) else None
    if "Organization" in kind_of(node):
        logo = logo or node.get("logo")
    if isinstance(logo, dict):
        logo = _image_url(logo)
    return [joined(base, logo)] if isinstance(logo, str) and logo else []


def _file_name(url: str) -> str:
    return urlsplit(url).path.rsplit("/", 1)[-1][-200:]


def _is_small(*sizes: Any) -> bool:
    said = [str(size) for size in sizes if isinstance(size, str | int)]
    numbers = [int(size) for size in said if size.isdecimal() and len(size) < 6]  # noqa: PLR2004
    return any(number < _MIN_PIXELS for number in numbers)


def _is_small_object(image: Any) -> bool:
    return isinstance(image, dict) and _is_small(image.get("width"), image.get("height"))
