"""Hypothesis strategies for hostile and broken HTML."""

from hypothesis import strategies as st

from nexus.text.html_tree import word_set
from nexus.text.sanitize import ALLOWED_TAGS, DROPPED_WITH_CONTENT, RENAMED_TAGS

TAGS = sorted(
    ALLOWED_TAGS
    | DROPPED_WITH_CONTENT
    | set(RENAMED_TAGS)
    | {"html", "head", "body", "picture", "source", "col", "colgroup", "frameset", "foreignObject", "desc"}
    | {"mi", "mtext", "mglyph", "annotation-xml", "font", "ruby", "rt", "image", "input", "x-y", "isindex"}
)
URLS = st.sampled_from(
    [
        "/x",
        "a.png",
        "#top",
        "//cdn.example/i.png",
        "https://example.org/?a=1&b=2#c",
        "mailto:a b@example.org",
        "javascript:alert(1)",
        " JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "java&#x0A;script:alert(1)",
        "\xa0javascript:alert(1)",
        "\u2028javascript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://example.org/1",
        "/media/image?url=https%3A%2F%2Fexample.org%2Fi.png",
        "/media/image?url=javascript%3Aalert(1)",
        "http://[::1",
    ]
) | st.text(max_size=12)
NAMES = st.sampled_from(
    sorted(
        word_set(
            "href src srcset data-src data-srcset alt title width height colspan rowspan start datetime style"
            " class id onclick onerror formaction action xlink:href srcdoc content http-equiv is ping target"
            " rel name encoding referrerpolicy background poster"
        )
    )
)
ENDS = st.sampled_from([">", ">", "/>", " ", ">\n"])
QUOTES = st.sampled_from(['"', "'", "`", ""])


@st.composite
def attributes(draw: st.DrawFn) -> str:
    quote = draw(QUOTES)
    return f" {draw(NAMES)}={quote}{draw(URLS)}{quote}"


@st.composite
def tags(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(TAGS))
    if draw(st.booleans()):
        return f"</{name}>"
    inside = "".join(draw(st.lists(attributes(), max_size=3)))
    return f"<{name}{inside}{draw(ENDS)}"


MARKUP_DEBRIS = [
    "<!--",
    "-->",
    "--!>",
    "<![CDATA[",
    "]]>",
    "<",
    "</",
    "<!",
    "<?php",
    "<!doctype html>",
    "=",
    '"',
    "'",
]
REFERENCES = ["&", "&#0;", "&#x80;", "&#13;", "&#xD800;", "&lt", "&nbsp;"]
ODD_CHARACTERS = ["\0", "\r", "\r\n", "\x0c", "\xa0", "\u2028", "\ufeff", "\x85", "\ud800", "\ufffe", "`"]
BROKEN = st.sampled_from([*MARKUP_DEBRIS, *REFERENCES, *ODD_CHARACTERS])
SOUP = st.lists(tags() | BROKEN | st.text(max_size=8), max_size=30).map("".join)
