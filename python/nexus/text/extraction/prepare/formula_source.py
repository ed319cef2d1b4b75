"""The TeX of a formula, or a line of text where the page has no TeX."""

import re
import unicodedata
from urllib.parse import parse_qs, urlsplit

from lxml import etree

from nexus.text.extraction.prepare.edits import find, names_of, text_of, writable
from nexus.text.extraction.prepare.mathml import linear_form

_ANNOTATION = etree.XPath(".//annotation[contains(@encoding, 'tex') or contains(@encoding, 'TeX')]")
_MATH = etree.XPath("descendant-or-self::math")
_PICTURES = etree.XPath(".//img[@alt]")
_LATEX = etree.XPath("descendant-or-self::*[@data-latex]")
_PAIRS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
_STYLE = r"\displaystyle"
_SCRIPT_END = re.compile(r"%\s*+\]\]>\s*+$|%\s*+$")
_IMAGE_NAMES = frozenset(("latex", "mathimg", "mimetex"))
# Classes that also name other pictures: there the alt text must look like TeX.
_VAGUE_NAMES = frozenset(("math", "tex"))
_VAGUE_WORDS = ("formula", "equation")
# "x_1" is TeX, "my_screenshot" is the name of a file.
_TEX_SIGNS = re.compile(r"[\\^={}]|(?<![^\W\d_])[^\W\d_]_")
_SERVICES = frozenset(("latex", "latex.php", "latexrender", "mathtex.cgi", "mimetex.cgi"))
_MAX_MARKUP = 100_000
_MAX_SPACES = 12
_CODE = re.compile(r"[0-9A-F]{2,4}(?![0-9A-F])|1[0-9A-F]{4}(?![0-9A-F])")


def clean_tex(raw: str) -> str:
    # LaTeXML breaks its lines with a comment, which would hide the rest once the lines are joined.
    text = " ".join(raw.replace("%\r\n", "").replace("%\n", "").split())
    for start, end in _PAIRS:
        if text.startswith(start) and text.endswith(end) and len(text) > len(start) + len(end):
            text = text[len(start) : -len(end)].strip()
            break
    if text.startswith("{" + _STYLE) and text.endswith("}"):
        text = text[1 + len(_STYLE) : -1].strip()
    return text.removeprefix(_STYLE + " ").strip()


def formula_text(element: etree._Element) -> str:
    """The best source first: TeX that the author wrote, then the MathML, then whatever is shown."""
    if element.tag == "img":
        return _image_tex(element)
    if element.tag == "script":
        raw = (element.text or "").replace("% <![CDATA[", "")
        if raw.lstrip().startswith("<"):
            return _of_markup(raw)
        return clean_tex(_SCRIPT_END.sub("", raw))
    notes = find(_ANNOTATION, element)
    maths = find(_MATH, element)
    said = [
        *(note.text or "" for note in notes[:1]),
        *(math.get("alttext") or "" for math in maths[:1]),
        *(each.get("data-latex") or "" for each in find(_LATEX, element)[:1]),
        *(image.get("alt") or "" for image in find(_PICTURES, element)[:1]),
    ]
    tex = next((tex for one in said if (tex := clean_tex(one))), "")
    return tex or next((line for math in maths[:1] if (line := linear_form(math))), "") or _shown_source(element)


def _shown_source(element: etree._Element) -> str:
    """MathJax 2 keeps its MathML in an attribute; without it there is only the text that is drawn."""
    line = _of_markup(element.get("data-mathml") or "")
    if line:
        return line
    text = text_of(element) or _drawn_characters(element)
    # Some editors leave the class on a paragraph.
    return text if text.count(" ") < _MAX_SPACES else ""


def _of_markup(markup: str) -> str:
    if not markup or len(markup) > _MAX_MARKUP:
        return ""
    # As the page is parsed: the rules expect elements only.
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        parsed = etree.fromstring(writable(markup).encode(), parser)
    except etree.XMLSyntaxError:  # nothing but white space or a comment
        return ""
    maths = find(_MATH, parsed) if parsed is not None else []
    return linear_form(maths[0]) if maths else ""


def _drawn_characters(element: etree._Element) -> str:
    """MathJax 3 draws each character as an element whose class or attribute has its code."""
    codes = (each.get("data-c") or (each.get("class") or "").partition("mjx-c")[2][:6] for each in element.iter())
    found = (_CODE.match(code) for code in codes)
    return unicodedata.normalize("NFKC", "".join(chr(int(code[0], 16)) for code in found if code))


def _image_tex(image: etree._Element) -> str:
    written = (image.get("alt") or "").strip()
    alt, names = clean_tex(written), names_of(image)
    # LaTeX2HTML keeps the dollar signs.
    if any(written.startswith(start) and written.endswith(end) for start, end in _PAIRS) and _TEX_SIGNS.search(alt):
        return alt
    if any(name in _IMAGE_NAMES or name.startswith("mwe-math-fallback-image") for name in names):
        return alt
    if any(name in _VAGUE_NAMES or word in name for name in names for word in _VAGUE_WORDS):
        return alt if len(alt) == 1 or _TEX_SIGNS.search(alt) else ""
    return _url_tex(image.get("src") or "", alt)


def _url_tex(url: str, alt: str) -> str:
    """The TeX in the address of a service that draws formulas."""
    if "tex" not in url:
        return ""
    try:
        parts = urlsplit(url)
        query = parse_qs(parts.query)
    except ValueError:  # "http://[" is what some pages write
        return ""
    said = query.get("tex") or query.get("latex")
    if said:
        return clean_tex(said[0])
    drawn = "latex" in parts.netloc.split(".") or not _SERVICES.isdisjoint(parts.path.split("/"))
    # A single "_" is that of a file name.
    return alt if drawn and ("\\" in alt or len(_TEX_SIGNS.findall(alt)) > 1) else ""
