"""Writes the feeds spec as YAML, without a general YAML writer, which takes seconds for 5 000 feeds."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML

# A URL without spaces that does not end in a colon needs no quotes; neither does a key.
PLAIN = re.compile(r"https?://[!-~]*[A-Za-z0-9/_=~-]|[a-z]*+_[a-z_]*+|newest|oldest|feed|host")
SINGLE_QUOTED = re.compile(r"[ !-&(-~]+")  # printable ASCII except the quote
ESCAPES = {'"': '\\"', "\\": "\\\\"}


def dump_spec_yaml(comments: Mapping[str, Any], feeds: Sequence[str | dict[str, Any]]) -> str:
    lines = [_comment(key, value) for key, value in comments.items()]
    lines.append("feeds:" if feeds else "feeds: []")
    for entry in feeds:
        if isinstance(entry, str):
            lines.append(f"- {_scalar(entry)}")
        else:
            pairs = [f"{key}: {_scalar(value)}" for key, value in entry.items()]
            lines.append("- " + "\n  ".join(pairs))
    return "\n".join(lines) + "\n"


def _comment(key: str, value: Any) -> str:
    """Any YAML value."""
    if isinstance(value, str):
        return f"{_scalar(key)}: {_scalar(value)}"
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.allow_unicode = True
    writer.width = 100_000
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment] # declared by its default, None
    out = io.StringIO()
    writer.dump({key: value}, out)
    return out.getvalue().rstrip("\n")


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if PLAIN.fullmatch(value):
        return value
    if SINGLE_QUOTED.fullmatch(value):
        return f"'{value}'"
    return f'"{"".join(_escaped(char) for char in value)}"'


def _escaped(char: str) -> str:
    return ESCAPES.get(char) or (char if char.isprintable() else f"\\U{ord(char):08x}")
