"""Text that comes in pieces, up to a limit."""

import re

from nexus.text.imports.markup.tokens import Text
from nexus.text.imports.values import decode_entities

MAX_CHARS = 1_000_000
_LINE_END = re.compile(r"\r\n|\n\r|\r")


class Pieces:
    def __init__(self, max_chars: int = MAX_CHARS) -> None:
        self._pieces: list[str] = []
        self._left = max_chars

    def add(self, text: Text) -> None:
        if self._left > 0:
            piece = text.text[: self._left]
            # A reference may be cut between two pieces, so they are replaced in the end.
            self._pieces.append(piece.replace("&", "&amp;") if text.is_literal else piece)
            self._left -= len(piece)

    def text(self) -> str:
        """With its lines, and their indentation: people keep code and lists in notes."""
        return _LINE_END.sub("\n", decode_entities("".join(self._pieces))).strip()
