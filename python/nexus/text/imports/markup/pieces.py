"""Text that comes in pieces, up to a limit."""

import re

from nexus.text.imports.markup.tokens import Text, decode

MAX_CHARS = 1_000_000
_LINE_END = re.compile(r"[ \t]*(?:\r\n|\n\r|\n|\r)[ \t]*")


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
        """With its lines, each without blanks around it."""
        return _LINE_END.sub("\n", decode("".join(self._pieces))).strip()
