"""What stands in <noscript>: a notice is gone, a picture stays if the page does not have it already."""

from collections.abc import Iterable
from itertools import islice

from lxml import etree

from nexus.text.extraction.picture_urls import picture_urls
from nexus.text.extraction.prepare.edits import find, hide, writable
from nexus.text.extraction.prepare.hidden import is_hidden
from nexus.text.extraction.prepare.prose import Prose
from nexus.text.extraction.prepare.shown_pictures import ShownPictures, path_of
from nexus.text.picture_source import is_picture_url

_IMAGES = etree.XPath("descendant-or-self::img")
_TINY = frozenset(("0", "1", "2", "0px", "1px", "2px"))
_SOURCES = ("src", "srcset", "alt", "width", "height")
_MAX_LOOKED_AT = 50


def resolve_noscripts(noscripts: Iterable[etree._Element], prose: Prose) -> None:
    shown: ShownPictures | None = None
    nested: set[etree._Element] = set()  # inside another: each level would be read again
    for noscript in noscripts:
        # Some forums give their whole text to readers without scripts; a noscript without an end holds the page.
        if noscript in nested:
            continue
        if prose.is_most(prose.chars(noscript)):
            noscript.tag = "div"
            continue
        nested.update(noscript.iterdescendants("noscript"))
        if next(noscript.iter("iframe", "video"), None) is not None:
            _keep_pictures(noscript)  # copies and counters are sorted out with the other embeds
            continue
        images = [image for image in find(_IMAGES, noscript) if _is_picture(image)]
        if images and not _is_shown_already(noscript, images):
            shown = shown or ShownPictures(prose.body)
            images = shown.without_copies(noscript, images)
            if images:
                _keep_pictures(noscript)
                continue
        hide(noscript)


def _is_picture(image: etree._Element) -> bool:
    """Not a counter: those are tiny, hidden, or have no file name of a picture."""
    if image.get("width") in _TINY or image.get("height") in _TINY or is_hidden(image):
        return False
    return any(map(is_picture_url, picture_urls(image))) or bool(image.get("srcset"))


def _file_name(url: str) -> str:
    return path_of(url).rpartition("/")[2]


def _is_shown_already(noscript: etree._Element, images: list[etree._Element]) -> bool:
    """Lazy loaders put a picture without an address, or with it in an attribute of their own, beside the noscript."""
    for beside in _neighbours(noscript):
        shown = [each for each in islice(beside.iter(), _MAX_LOOKED_AT) if each.tag == "img"]
        if not shown:
            continue
        known = {_file_name(each) for image in shown for each in picture_urls(image)}
        if not known:
            _copy_url(images[0], shown[-1])
            return True
        if any(_file_name(each) in known for each in picture_urls(images[0])) or _is_lazy(shown[-1]):
            return True
    return False


def _neighbours(noscript: etree._Element) -> list[etree._Element]:
    found = [noscript.getprevious(), noscript.getnext()]
    return [each for each in found if each is not None and each.tag != "noscript"]


def _is_lazy(image: etree._Element) -> bool:
    source = image.get("src") or ""
    return not source or source.startswith("data:") or "lazy" in (image.get("class") or "")


def _copy_url(real: etree._Element, placeholder: etree._Element) -> None:
    for name in _SOURCES:
        value = real.get(name)
        if value:
            placeholder.set(name, writable(value))


def _keep_pictures(noscript: etree._Element) -> None:
    """Without its notices: text is kept only as a caption."""
    noscript.tag = "span"
    noscript.text = None
    captions: set[etree._Element] = set()
    for caption in noscript.iter("figcaption"):
        if caption not in captions:
            captions.update(caption.iterdescendants())
    for each in noscript.iterdescendants():
        if each.tag == "noscript":
            each.tag = "span"
        if each in captions:
            continue
        each.tail = None
        if each.tag != "figcaption":
            each.text = None
