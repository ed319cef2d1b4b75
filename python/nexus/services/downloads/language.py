"""The language and the direction of a text, as readers of HTML and EPUB need them."""

import re
import unicodedata
from typing import Literal

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")
UNKNOWN = "und"
MAX_SAMPLE_CHARS = 4000

Direction = Literal["ltr", "rtl"]


def language_of(lang: str | None) -> str:
    """A language tag, or the one for an unknown language: pages declare what they like."""
    tag = (lang or "").strip().replace("_", "-")
    return tag if LANGUAGE.fullmatch(tag) else UNKNOWN


def direction_of(words: str) -> Direction:
    """By most of its letters, which are right also where the declared language is not."""
    classes = [unicodedata.bidirectional(letter) for letter in words[:MAX_SAMPLE_CHARS]]
    rtl = sum(each in ("R", "AL") for each in classes)
    return "rtl" if rtl > sum(each == "L" for each in classes) else "ltr"
