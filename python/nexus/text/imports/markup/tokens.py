"""Reads HTML and XML as a stream of tokens, as broken as people's files are.

Only what is being looked at is in memory, so a bookmark file of 100 MB of icons costs as much as a small one. There is
no tree, and no entity but those of HTML is known: nothing can be nested too deep, included or expanded.
"""

import re
from collections.abc import Iterator
from io import StringIO
from itertools import islice
from typing import NamedTuple, TextIO

from nexus.text.imports.values import decode_entities

CHUNK_CHARS = 1 << 16
MAX_TAG = 1 << 24  # an icon of a bookmark has some thousand characters
MAX_ATTRIBUTES = 100
MAX_VALUE = 1 << 16
LITERAL = "<![CDATA["
LOOK_AHEAD = 64  # enough for the name of any element

_TAG_STOP = re.compile(r""">|=\s*+(["'])""")
_ATTRIBUTE = re.compile(r"""[\s/]*+([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+))?)?""")
_NAME = re.compile(r"</?([a-zA-Z][^\s/>]*+)")
_WITHOUT_MARKUP = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
_BRACKET, _COMMENT_END = re.compile(">"), re.compile("-->")


class Text(NamedTuple):
    """A piece of text; a long one comes in several. Its references are not yet replaced, unless it is from CDATA."""

    text: str
    is_literal: bool = False


class Start(NamedTuple):
    name: str
    raw: dict[str, str]  # attributes as they are written, by their names in lower case
    is_empty: bool = False  # `<outline … />`

    def get(self, name: str) -> str | None:
        value = self.raw.get(name)
        return None if value is None else decode_entities(value)


class End(NamedTuple):
    name: str


Token = Text | Start | End


def tokens(stream: TextIO) -> Iterator[Token]:
    return _Tokenizer(stream).tokens()


def root_element(beginning: str) -> str | None:
    found = (token.name for token in tokens(StringIO(beginning)) if isinstance(token, Start))
    return next(found, None)


class _Tokenizer:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._buffer = ""
        self._at = 0

    def tokens(self) -> Iterator[Token]:
        while self._has(1):
            begin = self._buffer.find("<", self._at)
            if begin != self._at:
                end = len(self._buffer) if begin < 0 else begin
                yield Text(self._buffer[self._at : end])
                self._at = end
                continue
            if len(self._buffer) - begin < LOOK_AHEAD:
                self._has(LOOK_AHEAD)
            token = self._markup()
            if token is not None:
                yield token
            if isinstance(token, Start) and token.name in _WITHOUT_MARKUP:
                self._skip_past(_WITHOUT_MARKUP[token.name])
                self._skip_past(_BRACKET)

    def _markup(self) -> Token | None:
        ahead = self._buffer[self._at : self._at + LOOK_AHEAD]
        if ahead[1:2].isascii() and ahead[1:2].isalpha():
            return self._start()
        if ahead.startswith("<!--"):
            self._skip_past(_COMMENT_END)
            return None
        if ahead.startswith(LITERAL):
            return self._literal()
        if ahead[1:2] and ahead[1:2] in "/!?":
            self._skip_past(_BRACKET)
            name = _NAME.match(ahead)
            return End(name[1].lower()) if name else None
        self._at += 1
        return Text("<")

    def _start(self) -> Token:
        tag = self._whole_tag()
        name = _NAME.match(tag)
        after = name.end() if name else 1
        raw: dict[str, str] = {}
        for found in islice(_ATTRIBUTE.finditer(tag, after, max(after, len(tag) - 1)), MAX_ATTRIBUTES):
            value = found[2] or found[3] or found[4] or ""
            raw.setdefault(found[1].lower(), value[:MAX_VALUE])
        return Start(name[1].lower() if name else "", raw, is_empty=tag.endswith("/>"))

    def _whole_tag(self) -> str:
        """Up to the `>` that is not within quotes."""
        scanned = self._at
        while True:
            stop = _TAG_STOP.search(self._buffer, scanned)
            closed = self._buffer.find(stop[1], stop.end()) if stop and stop[1] else -1
            if stop and not stop[1]:
                tag = self._buffer[self._at : stop.end()]
                self._at = stop.end()
                return tag
            if closed >= 0:
                scanned = closed + 1
                continue
            scanned = (stop.start() if stop else scanned) - self._at
            # Twice as much each time, so that all of a long tag is looked at a few times only.
            if len(self._buffer) - self._at >= MAX_TAG or not self._more(len(self._buffer) - self._at):
                tag = self._buffer[self._at : self._at + MAX_VALUE]
                self._skip_past(_BRACKET)
                return tag
            scanned += self._at

    def _literal(self) -> Token:
        self._at += len(LITERAL)
        while (end := self._buffer.find("]]>", self._at)) < 0:
            if len(self._buffer) - self._at >= MAX_TAG or not self._more(len(self._buffer) - self._at):
                end = len(self._buffer)
                break
        text = Text(self._buffer[self._at : end], is_literal=True)
        self._at = min(end + 3, len(self._buffer))
        return text

    def _skip_past(self, pattern: re.Pattern[str]) -> None:
        while not (found := pattern.search(self._buffer, self._at)):
            # What is looked for may have begun in the last characters.
            self._at = max(self._at, len(self._buffer) - LOOK_AHEAD)
            if not self._more():
                self._at = len(self._buffer)
                return
        self._at = found.end()

    def _has(self, count: int) -> bool:
        while len(self._buffer) - self._at < count:
            if not self._more():
                return len(self._buffer) > self._at
        return True

    def _more(self, size: int = CHUNK_CHARS) -> bool:
        chunk = self._stream.read(max(size, CHUNK_CHARS))
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return chunk != ""
