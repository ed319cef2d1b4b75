"""The text that highlights refer to: a pure function of the sanitized HTML, the same in Python and in the viewer.

Specified in docs/reference/canonical-text.md, tested with tests/pure/vectors/canonical_text.json.
"""

import re

from nexus.text.characters import without_surrogates
from nexus.text.html_tree import TEXT, parse_fragment, walk, word_set
from nexus.text.unicode_form import normalize

BLOCKS = word_set(
    "p blockquote pre ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tfoot caption dl dt dd figure figcaption"
    " div section article header footer aside hr br"
)
CELLS = word_set("td th")
NOT_TEXT = word_set("script style noscript template")

# Unicode's White_Space property, spelled out: `\s` adds U+001C-001F in Python, adds U+FEFF and leaves out
# U+0085 in JavaScript.
WHITE_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Specified in the document and shared with the viewer, so apart from those of text/characters.py.
NON_SPACE_CONTROLS = "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"

_white_space = re.compile(f"[{WHITE_SPACE}]+")
_controls = re.compile(f"[{NON_SPACE_CONTROLS}]")
_line_end = re.compile("\r\n|\r|\n")


def canonicalize(html_sanitized: str) -> str:
    text = _Text()
    rows: list[int] = []  # for each open row, how much was written when it began
    open_pres = 0
    tree = parse_fragment(without_surrogates(html_sanitized))
    for node, tag, is_start in walk(tree.root, NOT_TEXT):
        if tag == TEXT:
            text.add(node.text_content or "", keep_lines=open_pres > 0)
        elif tag in BLOCKS:
            text.end_line()
            if tag == "pre":
                open_pres += 1 if is_start else -1
        elif tag == "tr":
            text.end_row()
            if is_start:
                rows.append(text.written)
            else:
                rows.pop()
        elif tag in CELLS and is_start and rows and text.written > rows[-1]:
            text.next_cell()
    return text.result()


class _Text:
    """Writes a separator only before the next word, so that no line is blank, starts or ends with white space."""

    def __init__(self) -> None:
        self.written = 0
        self._parts: list[str] = []
        self._line_ended = False
        self._tabs = 0
        self._space = False

    def add(self, text: str, *, keep_lines: bool) -> None:
        text = _controls.sub("", text)
        for number, line in enumerate(_line_end.split(text) if keep_lines else (text,)):
            if number:
                self.end_line()
            self._add_words(_white_space.sub(" ", line))

    def _add_words(self, text: str) -> None:
        words = text.strip(" ")
        if not words:
            self._space = self._space or bool(text)
            return
        self._space = self._space or text[0] == " "
        if self._parts:
            self._parts.append(self._separator())
        self._parts.append(words)
        self.written += 1
        self._line_ended, self._tabs, self._space = False, 0, text[-1] == " "

    def _separator(self) -> str:
        if self._line_ended:
            return "\n"
        return "\t" * self._tabs or " " * self._space

    def end_line(self) -> None:
        # At the start of a cell a block starts no new line: the tab already separates it.
        self._line_ended = self._line_ended or not self._tabs

    def end_row(self) -> None:
        self._line_ended, self._tabs = True, 0

    def next_cell(self) -> None:
        self._line_ended = False
        self._tabs += 1

    def result(self) -> str:
        # Once, over the whole text: a base letter and its accent may be in two text nodes.
        return normalize("NFC", "".join(self._parts))
