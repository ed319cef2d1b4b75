"""Reads a page's JSON-LD."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from nexus.text.characters import one_line

_ARTICLE = re.compile(
    r"Article|BlogPosting|Posting$|Report$|Review$|Recipe$|QAPage|Question$|HowTo$|Course$|Product$|Book$"
)
_MAX_DEPTH = 8
_WRAPPING = re.compile(r"^\s*(?:<!\[CDATA\[|<!--|//<!\[CDATA\[)|(?:\]\]>|-->|//\]\]>)\s*+(?:;\s*+)?$")


def _objects(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for entry in value:
            yield from _objects(entry, depth + 1)
    elif isinstance(value, dict):
        yield value
        for key in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from _objects(value.get(key), depth + 1)


def kind_of(node: dict[str, Any]) -> str:
    kind = node.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return " ".join(each for each in kinds if isinstance(each, str))


def read_json_ld(root: etree._Element) -> list[dict[str, Any]]:
    """Every object, articles and the like first. Broken JSON is common and ignored."""
    found: list[dict[str, Any]] = []
    for script in root.iter("script"):
        if (script.get("type") or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        try:
            found += _objects(json.loads(_WRAPPING.sub("", script.text or ""), strict=False))
        except (ValueError, RecursionError):
            continue
    return sorted(found, key=lambda node: _ARTICLE.search(kind_of(node)) is None)


def is_writing(node: dict[str, Any]) -> bool:
    return _ARTICLE.search(kind_of(node)) is not None


def text_value(value: Any, depth: int = 0) -> str:
    """JSON-LD has the same value as "x", {"name": "x"}, {"url": "x"} or a list of those."""
    if isinstance(value, str):
        return one_line(value)
    if depth > _MAX_DEPTH:
        return ""
    if isinstance(value, dict):
        named = value.get("name") or value.get("@value") or value.get("url") or value.get("contentUrl")
        return text_value(named, depth + 1)
    if isinstance(value, list):
        return next((text for each in value[:5] if (text := text_value(each, depth + 1))), "")
    return ""


def names(value: Any, by_id: dict[str, dict[str, Any]]) -> list[str]:
    """The names of people and organizations; `by_id` holds those that are only referred to ({"@id": …})."""
    entries = value if isinstance(value, list) else [value]
    found = []
    for entry in entries[:20]:
        if isinstance(entry, dict) and not entry.get("name"):
            referred = entry.get("@id")
            entry = by_id.get(referred, entry) if isinstance(referred, str) else entry  # noqa: PLW2901
        found.append(text_value(entry))
    return list(dict.fromkeys(name for name in found if name))
