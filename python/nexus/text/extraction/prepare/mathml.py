"""Writes MathML without a TeX annotation as one readable line: x^2 + (a + b)/c."""

import re
from collections.abc import Callable

from lxml import etree

# Each level of a formula copies what is below it; one that is larger than any real formula is not worth that.
_MAX_ELEMENTS = 3_000
_MAX_CHARS = 20_000
_INVISIBLE = str.maketrans("", "", "\u2061\u2062\u2063\u2064\u200b\ufeff")
_SPACED = frozenset("=<>≤≥≠≈≡≃≅∝+±∓÷⋅∘→←↔⇒⇐⇔↦∈∉⊂⊆⊃⊇∩∧:\u223c\u2212\u00d7\u222a\u2228\u2223\u2216")
_PRIMES = frozenset("'*†″‴\u2032")
_ACCENTS = dict(zip("¯‾^~\u02dc˙→", "\u0304\u0304\u0302\u0303\u0303\u0307\u20d7", strict=True))
_NOT_SHOWN = frozenset(("annotation", "annotation-xml", "mphantom", "mprescripts", "none"))
_BRACKETS = frozenset(("[]", "{}", "||", "‖‖", "⟨⟩", "⌊⌋", "⌈⌉"))
_VALUE = re.compile(r"\d++(?:[.,]\d++)?")
_TOKENS = frozenset(("mi", "mn", "mo", "mtext", "ms"))


def linear_form(math: etree._Element) -> str:
    whole = "".join(map(str, math.itertext("mi", "mn", "mo", "mtext", "ms"))) if len(math) else math.text or ""
    if len(whole) > _MAX_CHARS or sum(1 for _ in math.iter()) > _MAX_ELEMENTS:
        return _tidy(whole)
    written: dict[etree._Element, str] = {}
    for _, element in etree.iterwalk(math, events=("end",)):
        written[element] = _write(element, [written.pop(child) for child in element])
    return _tidy(written[math])


def _tidy(text: str) -> str:
    return " ".join(text.translate(_INVISIBLE).split())


def _write(element: etree._Element, parts: list[str]) -> str:
    tag = str(element.tag)
    if tag in _TOKENS:
        return _token(tag, " ".join((element.text or "").split()).translate(_INVISIBLE))
    if tag in _NOT_SHOWN:
        return ""
    if tag == "mmultiscripts" and parts:
        return _multiscripts([str(child.tag) for child in element], parts)
    needed, shape = _SHAPES.get(tag, (0, "".join))
    if tag == "mfenced":
        inside = f"{(element.get('separators') or ',').strip()[:1]} ".join(parts)
        return f"{element.get('open', '(')}{inside}{element.get('close', ')')}"
    return shape(parts) if parts and len(parts) >= needed else "".join(parts) or (element.text or "")


def _token(tag: str, text: str) -> str:
    if tag == "mo" and (text in _SPACED or text == ","):
        return ", " if text == "," else f" {text} "
    return f" {text} " if tag == "mtext" and len(text) > 1 else text


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) == 1 or text.isalnum() or _is_bracketed(text) else f"({text})"


def _factor(text: str) -> str:
    """For what binds more tightly than a product: 1/(2a), e^(2a)."""
    text = text.strip()
    return text if len(text) == 1 or _VALUE.fullmatch(text) or _is_bracketed(text) else f"({text})"


def _base(text: str) -> str:
    """(a/b)^2: brackets around a base whose operator binds less."""
    inner = text.strip()
    if len(inner) == 1 or ("/" not in inner and " " not in inner) or _is_bracketed(inner):
        return text
    return text if "/" not in inner and inner[:1] + inner[-1:] in _BRACKETS else f"({inner})"


def _is_bracketed(text: str) -> bool:
    """One pair of brackets around everything: "(a)(b)" is not."""
    return text[:1] == "(" and text[-1:] == ")" and "(" not in text[1:]


def _raised(exponent: str) -> str:
    exponent = exponent.strip()
    if not exponent or set(exponent) <= _PRIMES:
        return exponent
    return f"^{_factor(exponent)}"


def _lowered(index: str) -> str:
    return f"_{_grouped(index)}" if index.strip() else ""


def _over(parts: list[str]) -> str:
    base, above = parts[0].strip(), parts[1].strip()
    if len(base) == 1 and above in _ACCENTS:
        return base + _ACCENTS[above]
    return base + _raised(above)


def _multiscripts(tags: list[str], parts: list[str]) -> str:
    """The base, pairs of index and exponent behind it, then those before it: _6^14C."""
    start = tags.index("mprescripts") if "mprescripts" in tags else len(parts)
    return _pairs(parts[start + 1 :]) + parts[0] + _pairs(parts[1:start])


def _pairs(scripts: list[str]) -> str:
    return "".join((_raised if i % 2 else _lowered)(script) for i, script in enumerate(scripts))


_SHAPES: dict[str, tuple[int, Callable[[list[str]], str]]] = {
    "mfrac": (2, lambda p: f"{_grouped(p[0])}/{_factor(p[1])}"),
    "msqrt": (1, lambda p: f"√{_factor(''.join(p))}"),
    "mroot": (2, lambda p: f"√[{p[1].strip()}]{_factor(p[0])}"),
    "msup": (2, lambda p: _base(p[0]) + _raised(p[1])),
    "msub": (2, lambda p: _base(p[0]) + _lowered(p[1])),
    "munder": (2, lambda p: p[0] + _lowered(p[1])),
    "mover": (2, _over),
    "msubsup": (3, lambda p: _base(p[0]) + _lowered(p[1]) + _raised(p[2])),
    "munderover": (3, lambda p: p[0] + _lowered(p[1]) + _raised(p[2])),
    "mtable": (1, lambda p: "; ".join(filter(None, p))),
    "mtr": (1, lambda p: ", ".join(filter(None, p))),
    "semantics": (1, lambda p: p[0]),
    "maction": (1, lambda p: p[0]),
}
