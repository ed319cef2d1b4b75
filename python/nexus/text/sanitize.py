"""Turns hostile HTML into HTML that the viewer may insert. The returned string always comes out of nh3."""

import re

import ada_url
import nh3
from selectolax.lexbor import LexborNode

from nexus.errors import SanitizationError
from nexus.text.characters import storable
from nexus.text.html_limits import cut_deep_nesting, cut_long_tags
from nexus.text.html_tree import TEXT, parse_fragment, walk, word_set
from nexus.text.picture_source import PICTURE_PROXY, picture_source

BLOCK_TAGS = word_set(
    "p blockquote pre ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tfoot tr th td caption dl dt dd"
    " figure figcaption div section article header footer aside"
)
INLINE_TAGS = word_set("strong em b i u s code a sup sub span mark small del ins kbd samp var abbr cite q time")
VOID_TAGS = word_set("br hr img")
ALLOWED_TAGS = BLOCK_TAGS | INLINE_TAGS | VOID_TAGS

# Dangerous elements, and raw-text and metadata elements whose content a browser never shows as text.
DROPPED_WITH_CONTENT = word_set(
    "script style iframe form object embed svg math meta link base template noscript canvas audio video"
    " select textarea button title noframes noembed datalist"
)

# Unwrapping these would join the words of neighbouring blocks or lose the meaning of the tag.
RENAMED_TAGS = {
    **dict.fromkeys(
        word_set("main nav address center details summary dialog fieldset legend hgroup search marquee option"),
        "div",
    ),
    **dict.fromkeys(("menu", "dir"), "ul"),
    **dict.fromkeys(("xmp", "listing", "plaintext"), "pre"),
    "strike": "s",
    "tt": "code",
    "acronym": "abbr",
}

ALLOWED_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "width", "height"},
    "th": {"colspan", "rowspan"},
    "td": {"colspan", "rowspan"},
    "ol": {"start"},
    "time": {"datetime"},
}
LINK_ATTRIBUTES = {"rel": "noopener noreferrer", "target": "_blank", "referrerpolicy": "no-referrer"}
LINK_SCHEMES = frozenset({"http:", "https:", "mailto:"})
IMAGE_SCHEMES = frozenset({"http:", "https:"})

# libxml2 silently drops what is nested deeper than 256, and nh3 takes 7 s for 244 KB of nested <div>: elements
# below this depth are unwrapped, their text stays.
MAX_DEPTH = 200

# Parsing again may still move elements (a link inside a link, a block inside a paragraph). 84 000 generated inputs
# converged within 2 passes; one that never does has no stable form that could be stored.
MAX_PASSES = 8

_NUMERIC = {
    "width": re.compile(r"[0-9]{1,5}"),
    "height": re.compile(r"[0-9]{1,5}"),
    "colspan": re.compile(r"[0-9]{1,4}"),
    "rowspan": re.compile(r"[0-9]{1,5}"),
    "start": re.compile(r"-?[0-9]{1,9}"),
}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\xa0": "&nbsp;"})
_QUOTED_ESCAPES = _ESCAPES | str.maketrans({'"': "&quot;"})

_cleaner = nh3.Cleaner(
    tags=ALLOWED_TAGS,
    clean_content_tags=DROPPED_WITH_CONTENT,
    attributes=ALLOWED_ATTRIBUTES,
    tag_attribute_values={"a": {name: {value} for name, value in LINK_ATTRIBUTES.items()}},
    set_tag_attribute_values={"a": LINK_ATTRIBUTES},
    link_rel=None,
    url_schemes={"http", "https", "mailto"},
    url_relative=lambda url: url if url.startswith(PICTURE_PROXY) else None,
)


def sanitize_html(html: str, base_url: str) -> str:
    source = cut_deep_nesting(cut_long_tags(storable(html)))
    for _ in range(MAX_PASSES):
        written = _Writer(source, base_url).write()
        cleaned = _cleaner.clean(written)
        # What nh3 returns unchanged is stable; anything else goes through another pass.
        if cleaned in (written, source):
            return cleaned
        source = cleaned
    raise SanitizationError("The page's markup cannot be stored safely: sanitizing it again changes it again.")


class _Writer:
    """Writes the allowed part of an HTML5 tree, with absolute links and proxied pictures."""

    def __init__(self, html: str, base_url: str) -> None:
        self._tree = parse_fragment(html)
        self._out: list[str] = []
        self._closings: list[str] = []
        self._depth = 0
        self._base = base_url if ada_url.URL.can_parse(base_url) else None
        self._base = self._page_base()

    def write(self) -> str:
        for node, name, is_start in walk(self._tree.root, DROPPED_WITH_CONTENT):
            tag = RENAMED_TAGS.get(name, name)
            if tag == TEXT:
                self._text(node.text_content or "")
            elif tag in VOID_TAGS:
                if is_start:
                    self._void(tag, node)
            elif tag in ALLOWED_TAGS:
                if is_start:
                    self._closings.append(self._start(tag, node))
                else:
                    self._close(self._closings.pop())
            elif tag == "form":
                self._line_break()
        return "".join(self._out)

    def _start(self, tag: str, node: LexborNode) -> str:
        """Open the element and return what closes it."""
        if self._depth >= MAX_DEPTH:
            if tag in BLOCK_TAGS:
                self._line_break()
                return "<br>"
            return ""
        self._depth += 1
        attributes = self._attributes(tag, node) if tag in ALLOWED_ATTRIBUTES else ""
        self._out.append(f"<{tag}{attributes}>")
        return f"</{tag}>"

    def _close(self, closing: str) -> None:
        if closing == "<br>":
            self._line_break()
        elif closing:
            self._depth -= 1
            self._out.append(closing)

    def _line_break(self) -> None:
        if self._out and not self._out[-1].startswith("<"):
            self._out.append("<br>")

    def _text(self, text: str) -> None:
        # Each parse drops the first newline of <pre>.
        if self._out and self._out[-1] == "<pre>":
            text = text.lstrip("\r\n")
        if text:
            self._out.append(text.translate(_ESCAPES))

    def _void(self, tag: str, node: LexborNode) -> None:
        attributes = self._attributes(tag, node) if tag == "img" else ""
        if tag != "img" or attributes:
            self._out.append(f"<{tag}{attributes}>")

    def _attributes(self, tag: str, node: LexborNode) -> str:
        given = node.attributes
        kept: dict[str, str] = {}
        for name in sorted(ALLOWED_ATTRIBUTES[tag]):
            value = given.get(name) or ""
            if name == "href":
                value = self._resolve(value, LINK_SCHEMES) or ""
            elif name == "src":
                value = picture_source(given, _picture_sources(node), self._resolve_image) or ""
            elif name in _NUMERIC and not _NUMERIC[name].fullmatch(value):
                continue
            if value:
                kept[name] = value
        if tag == "img" and not ("src" in kept or "alt" in kept):
            return ""
        if tag == "a":
            kept |= LINK_ATTRIBUTES
        return "".join(f' {name}="{value.translate(_QUOTED_ESCAPES)}"' for name, value in kept.items())

    def _resolve_image(self, value: str) -> str | None:
        return self._resolve(value, IMAGE_SCHEMES)

    def _resolve(self, value: str, schemes: frozenset[str]) -> str | None:
        if not value:
            return None
        try:
            url = ada_url.URL(value, self._base)
        except ValueError:
            return None
        return url.href if url.protocol in schemes else None

    def _page_base(self) -> str | None:
        node = self._tree.css_first("base[href]")
        declared = (node.attributes.get("href") if node is not None else None) or ""
        return self._resolve(declared, IMAGE_SCHEMES) or self._base


def _picture_sources(node: LexborNode) -> list[dict[str, str | None]]:
    parent = node.parent
    if parent is None or parent.tag != "picture":
        return []
    return [child.attributes for child in parent.iter() if child.tag == "source"]
