"""Players, maps, posts and other frames become <embed src title>, all alike; whatever else is framed is gone.

`collect_blocks` has no text of an <embed>; `extraction/embed_cards.py` writes those among the kept text as links.
"""

from collections.abc import Iterable

from lxml import etree

from nexus.text.extraction.prepare.edits import empty, hide, text_of, writable
from nexus.text.extraction.prepare.embed_url import host_of, is_unwanted, kind_of, page_url
from nexus.text.extraction.prepare.hidden import is_hidden

EMBED_TAGS = ("iframe", "video", "audio", "object", "embed", "amp-iframe", "amp-video", "amp-audio")
# Elements of scripts that draw a player when it is clicked; they know only its number.
PLAYERS = {
    **dict.fromkeys(("lite-youtube", "amp-youtube", "youtube-video"), "https://www.youtube.com/watch?v="),
    **dict.fromkeys(("lite-vimeo", "amp-vimeo", "vimeo-video"), "https://vimeo.com/"),
}
_NUMBERS = ("videoid", "data-videoid", "video-id", "data-video-id")
_KINDS = {"video": "Video", "amp-video": "Video", "audio": "Audio", "amp-audio": "Audio"}
_MIN_SIDE = 50
_MAX_FIGURE_LEVELS = 4
_MAX_TITLE = 200
# What tools write into every frame says nothing about this one.
_TITLE_PREFIXES = ("Spotify Embed:", "Play:", "Play Video:", "Play video:")
_NO_TITLES = frozenset(
    (
        "audio player",
        "embed",
        "embedded content",
        "embedded video",
        "iframe",
        "player",
        "twitter tweet",
        "video",
        "video player",
        "vimeo",
        "vimeo video player",
        "youtube",
        "youtube video",
        "youtube video player",
    )
)


def replace_embeds(candidates: Iterable[etree._Element]) -> None:
    for element in candidates:
        tag = str(element.tag)
        url = _url(element, tag)
        title = _title(element)
        kind = _KINDS.get(tag) or kind_of(url) or ("Embedded page" if title and tag == "iframe" else "")
        unseen = is_hidden(element) or _is_tiny(element) or _is_decoration(element)
        if not url or not kind or unseen or is_unwanted(url, title):
            hide(element)
            continue
        page = page_url(url)
        host = host_of(page)
        empty(element)
        element.tag = "embed"
        element.set("src", writable(page))
        element.set("title", writable(title or (f"{kind} on {host}" if host else kind)))


def is_script_embed(element: etree._Element) -> bool:
    """A script that writes a snippet of code where it stands."""
    return element.tag == "script" and "//gist." in (element.get("src") or "")


def _url(element: etree._Element, tag: str) -> str:
    if tag in PLAYERS:
        number = next((value for name in _NUMBERS if (value := element.get(name))), "")
        return PLAYERS[tag] + number.strip() if number.replace("-", "").replace("_", "").isalnum() else ""
    own = [element.get("src") or "", element.get("data") or ""]
    lazy = [
        str(value) for name, value in element.attrib.items() if str(name).startswith("data-") and "src" in str(name)
    ]
    inner = [
        (each.get("src") or each.get("value") or "")
        for each in element.iterdescendants("source", "embed", "param", "iframe")
        if each.tag != "param" or each.get("name") in ("movie", "src")
    ]
    if tag == "object" and (element.get("type") or "").startswith("image/"):
        return ""
    absolute = [
        each.strip() for each in (*own, *lazy, *inner) if each.strip().startswith(("https://", "http://", "//"))
    ]
    if absolute or tag not in _KINDS:
        return absolute[0] if absolute else ""
    return next((each.strip() for each in (*own, *inner) if each and ":" not in each), "")


def _title(element: etree._Element) -> str:
    said = (element.get("title"), element.get("aria-label"), element.get("playlabel"), element.get("data-title"))
    inner = text_of(element) if element.tag in PLAYERS else ""
    for one in (*said, inner):
        title = " ".join((one or "").split())
        for prefix in _TITLE_PREFIXES:
            title = title.removeprefix(prefix).strip()
        if title and len(title) <= _MAX_TITLE and title.lower() not in _NO_TITLES:
            return title
    return ""


def _is_decoration(video: etree._Element) -> bool:
    """Plays for ever and cannot be stopped: a background, unless it stands in a figure."""
    if video.get("loop") is None or video.get("autoplay") is None or video.get("controls") is not None:
        return False
    return not any(up.tag == "figure" for up, _ in zip(video.iterancestors(), range(_MAX_FIGURE_LEVELS), strict=False))


def _is_tiny(element: etree._Element) -> bool:
    sides = (element.get("width") or "", element.get("height") or "")
    numbers = [int(side) for value in sides if (side := value.strip().removesuffix("px")).isascii() and side.isdigit()]
    return any(number < _MIN_SIDE for number in numbers) and element.tag != "audio"
