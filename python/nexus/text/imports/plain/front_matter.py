"""The properties at the beginning of a Markdown note, as Obsidian, Readwise and our own export write them.

Not a YAML parser: templates of such programs write what is no YAML, such as a title with a colon in it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

MAX_CHARS = 100_000
FENCE = re.compile(r"---[ \t]*\r?\n(.*?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)", re.DOTALL)
PROPERTY = re.compile(r"([A-Za-z][\w .-]{0,60}?)[ \t]*::?(?:[ \t]+(.*))?$")
ENTRY = re.compile(r"[ \t]*-[ \t]+(.*)$")
WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
LIST_PARTS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|\[\[[^\[\]]*\]\]|[^,]+")


@dataclass(frozen=True)
class Note:
    """A property has one value or several."""

    properties: Mapping[str, list[str]]
    body: str
    body_line: int  # from 1

    def first(self, *names: str) -> str:
        return next((value for name in names for value in self.properties.get(name, []) if value), "")

    def all(self, *names: str) -> list[str]:
        return [value for name in names for value in self.properties.get(name, [])]


def split_note(text: str) -> Note:
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    fence = FENCE.match(text, 0, MAX_CHARS)
    if fence is None:
        return Note({}, text, 1)
    return Note(_properties(fence[1].splitlines()), text[fence.end() :], text.count("\n", 0, fence.end()) + 1)


def _properties(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if entry := ENTRY.match(line):
            if name:
                found[name].append(value_of(entry[1]))
        elif line[:1] in (" ", "\t") and name:
            # A value that goes on: the rest of a long line, or of a block after `|` or `>`.
            found[name] = (
                [*found[name][:-1], f"{found[name][-1]}\n{line.strip()}".strip()] if found[name] else [line.strip()]
            )
        elif parsed := PROPERTY.match(line):
            name = parsed[1].strip().lower()
            found[name] = _values((parsed[2] or "").strip())
    return found


def _values(text: str) -> list[str]:
    if not text or text in ("|", ">", "|-", ">-"):
        return []
    if text.startswith("[") and text.endswith("]") and not text.startswith("[["):
        return [value for part in LIST_PARTS.findall(text[1:-1]) if (value := value_of(part))]
    return [value_of(text)]


def value_of(text: str) -> str:
    """Without quotes, and `[[Name]]` as the name."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            text = str(json.loads(text, strict=False))
        except ValueError:
            text = text[1:-1]
    elif len(text) > 1 and text[0] == text[-1] == "'":
        text = text[1:-1].replace("''", "'")
    return WIKI_LINK.sub(r"\1", text).strip()
