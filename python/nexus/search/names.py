"""Names that are not plain words: identifiers, versions, languages such as C++. They are found as they are written."""

import re

from nexus.search.tokenizer import MAX_WORD_CHARS, fold

_PART = r"[^\W_]+"
# The classes are disjoint, so that the pattern is linear.
_AROUND = "\"'“”\u2018\u2019«»„()[]{}<>,;!?"
_CANDIDATE = re.compile(rf"[.#@$]?{_PART}(?:[_.:/+#-]+{_PART})*+(?:\+\+|[+#])?")


def names_in(text: str) -> list[str]:
    """Folded, each as often as it occurs; plain words are no names."""
    # Most runs between spaces are plain words; without the pattern they are recognised several times as fast.
    marked = " ".join(run for run in text.split() if not run.isalnum())
    return [folded for found in _CANDIDATE.findall(marked) if not found.isalnum() and (folded := _folded(found))]


def name_of(typed: str) -> str | None:
    """The name that was typed, without the punctuation around it; None: it is none."""
    names = names_in(typed.strip(_AROUND).rstrip(".:"))
    return names[0] if len(names) == 1 else None


def _folded(found: str) -> str:
    return fold(found) if len(found) <= MAX_WORD_CHARS else ""
