"""Highlights in a Markdown note: quotes, callouts or list entries under a heading `Highlights`."""

import re
from dataclasses import dataclass, field
from typing import cast

from nexus.text.imports.plain.front_matter import WIKI_LINK
from nexus.text.imports.records import ImportedHighlight
from nexus.text.imports.values import read_tags, read_text, read_time
from nexus.text.quotes.colors import HighlightColor

HEADING = re.compile(r"(#{1,6})[ \t]+(.*)$")
HIGHLIGHTS = frozenset({"highlights", "highlight", "quotes", "annotations"})
METADATA = frozenset({"metadata", "properties"})
CALLOUT = re.compile(r"\[!(\w+)\][+-]?[ \t]*(.*)$")
CALLOUT_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:]{5,8})?")
COLOR = re.compile(r"\b(yellow|green|blue|pink)\b")
BLOCK_ID = re.compile(r"\^[\w-]{1,100}$")
# `([View Highlight](https://…))`, `([Location 12](https://…))`
READWISE_LINK = re.compile(r"\(\[[^\[\]]{1,100}\]\([^()\s]{1,2000}\)\)")
NOTE_LINE = re.compile(r"(?:\*\*)?(Note|Tags|Color):(?:\*\*)?[ \t]*(.*)$", re.IGNORECASE)
TAG_LINE = re.compile(r"(?:#[^\s#]+[ \t]*)+$")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass
class Sections:
    """The lines of a note by what they are."""

    body: list[str] = field(default_factory=list)
    highlights: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)


def split_sections(text: str) -> Sections:
    found = Sections()
    target, level, is_code = found.body, 0, False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        heading = None if is_code else HEADING.match(line)
        if heading:
            name, depth = heading[2].strip(" \t#*:_").lower(), len(heading[1])
            if name in HIGHLIGHTS or name in METADATA:
                target, level = (found.highlights if name in HIGHLIGHTS else found.metadata), depth
                continue
            if depth <= level:
                target, level = found.body, 0
        target.append(line)
    return found


@dataclass
class _Open:
    """A highlight whose lines are being read."""

    quote: list[str] = field(default_factory=list)
    note: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    about: str = ""
    is_list: bool = False

    def finished(self) -> ImportedHighlight | None:
        quote = read_text(unescaped("\n".join(self.quote)))
        if quote is None:
            return None
        date, color = CALLOUT_DATE.search(self.about), COLOR.search(self.about.lower())
        return ImportedHighlight(
            quote, read_text(unescaped("\n".join(self.note))), cast("HighlightColor", color[1]) if color else None,
            read_tags(self.tags), read_time(date[0]) if date else None,
        )  # fmt: skip


def read_highlights(lines: list[str]) -> tuple[ImportedHighlight, ...]:
    found: list[_Open] = []
    was_quoted = False
    for line in lines:
        text = line.strip()
        if BLOCK_ID.fullmatch(text):
            was_quoted = False
        elif text.startswith(">"):
            _quoted(found, text.removeprefix(">").strip(), is_new=not was_quoted)
            was_quoted = True
        elif text:
            was_quoted = False
            _plain(found, line, text)
        else:
            was_quoted = False
    return tuple(highlight for each in found if (highlight := each.finished()))


def _quoted(found: list[_Open], text: str, *, is_new: bool) -> None:
    callout = CALLOUT.match(text)
    if is_new or (callout and callout[1].lower() != "note"):
        found.append(_Open(about=callout[2] if callout else ""))
        if callout:
            return
    current = found[-1]
    if text.startswith(">"):  # a note within the quote
        inner = text.removeprefix(">").strip()
        if not CALLOUT.match(inner):
            current.note.append(inner)
    elif current.quote and TAG_LINE.fullmatch(text):
        current.tags += [tag.lstrip("#") for tag in text.split()]
    else:
        current.quote.append(_without_marks(text))


def _plain(found: list[_Open], line: str, text: str) -> None:
    is_entry, is_inner = text.startswith(("- ", "* ", "+ ")), line[:1] in (" ", "\t")
    entry = text[2:].strip() if is_entry else text
    said = NOTE_LINE.match(entry)
    if said and found:
        if said[1].lower() == "tags":
            found[-1].tags += [tag.strip(" #") for tag in WIKI_LINK.sub(r"\1,", said[2]).replace(" #", ",").split(",")]
        elif said[1].lower() == "note":
            found[-1].note.append(said[2])
    elif is_entry and not is_inner:
        found.append(_Open([_without_marks(entry)], is_list=True))
    elif found and found[-1].is_list:
        found[-1].quote.append(_without_marks(entry))
    elif found and TAG_LINE.fullmatch(text):
        found[-1].tags += [tag.lstrip("#") for tag in text.split()]
    elif found and not HEADING.match(line):
        found[-1].note.append(entry)


def _without_marks(text: str) -> str:
    return READWISE_LINK.sub("", BLOCK_ID.sub("", text).rstrip()).rstrip()


def unescaped(text: str) -> str:
    return ESCAPED.sub(r"\1", text)
