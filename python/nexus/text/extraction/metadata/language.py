"""The language: what the page declares, unless its text is written in a script which that language does not have."""

import re

from nexus.text.extraction.metadata.main_object import MainObject
from nexus.text.extraction.metadata.page_head import PageHead
from nexus.text.html_tree import word_set

_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,4}$")
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_SAMPLE_CHARS = 4000
_MIN_LETTERS = 40
_NEARLY_ALL = 0.8
_SOME_KANA = 0.08
_LETTER = re.compile(r"[^\W\d_]")
_SCRIPTS = {
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "han": re.compile("[\u3400-\u9fff\uf900-\ufaff]"),
    "kana": re.compile("[\u3040-\u30ff]"),
    "hangul": re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "arabic": re.compile("[\u0600-\u06ff\u0750-\u077f]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
    "georgian": re.compile("[\u10a0-\u10ff]"),
    "armenian": re.compile("[\u0530-\u058f]"),
}
# Scripts of one language, but for a few that are far rarer.
_LANGUAGE_OF = {
    "han": "zh", "japanese": "ja", "hangul": "ko", "greek": "el", "thai": "th", "georgian": "ka", "armenian": "hy",
    "hebrew": "he",
}  # fmt: skip
# Languages that are written in a script of their own; all others are taken to use Latin letters, or several.
_SCRIPTS_OF = {
    "zh": {"han"}, "yue": {"han"}, "wuu": {"han"}, "ja": {"japanese", "han"}, "ko": {"hangul", "han"},
    "el": {"greek"}, "th": {"thai"}, "he": {"hebrew"}, "yi": {"hebrew"}, "ka": {"georgian"}, "hy": {"armenian"},
    "ar": {"arabic"}, "fa": {"arabic"}, "ur": {"arabic"}, "hi": {"devanagari"}, "mr": {"devanagari"},
    "ne": {"devanagari"}, "ru": {"cyrillic"}, "uk": {"cyrillic"}, "be": {"cyrillic"}, "bg": {"cyrillic"},
    "mk": {"cyrillic"},
}  # fmt: skip
_LATIN_ONLY = word_set("en de fr es it pt nl sv da nb nn no fi pl cs sk hu ro tr vi id ms et lv lt sl hr is ga ca")


def declared_language(head: PageHead, main: MainObject) -> str:
    root = head.root
    body = root.find("body")
    candidates = [
        root.get("lang") or root.get(_XML_LANG) or root.get("xml:lang") or "",
        main.text("inLanguage"),
        head.meta("content-language"),
        head.meta("dc.language"),
        head.meta("og:locale"),
        head.meta("language"),
        (body.get("lang") or body.get(_XML_LANG) or "") if body is not None else "",
    ]
    found = next((c.strip() for c in candidates if _LANGUAGE.match(c.strip())), "")
    return found.replace("_", "-")


def language_of(declared: str | None, text: str) -> str | None:
    """The declared language where the text may be that; else what the script says, if only one language has it."""
    script = _script(text[:_SAMPLE_CHARS])
    if script is None or (declared and _may_be(declared, script)):
        return declared or None
    return _LANGUAGE_OF.get(script)


def _may_be(language: str, script: str) -> bool:
    main = language.split("-", 1)[0].lower()
    if "latn" in language.lower():
        return script == "latin"
    if main in _SCRIPTS_OF:
        # Latin letters may be a long quotation, or a page in English on a Chinese site: too little to decide on.
        return script in _SCRIPTS_OF[main] or script == "latin"
    return main not in _LATIN_ONLY or script == "latin"


def _script(text: str) -> str | None:
    """The script that nearly all letters belong to; Japanese is told from Chinese by its kana."""
    letters = len(_LETTER.findall(text))
    if letters < _MIN_LETTERS:
        return None
    count = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()}
    if count["kana"] > _SOME_KANA * letters and count["kana"] + count["han"] > _NEARLY_ALL * letters:
        return "japanese"
    return next((name for name, number in count.items() if number > _NEARLY_ALL * letters), None)
